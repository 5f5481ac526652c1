import { readdirSync, readFileSync } from "node:fs";

/** How many more descriptors this process may have; undefined where that cannot be told. */
export function freeDescriptors(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? undefined : Number(limit) - readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
