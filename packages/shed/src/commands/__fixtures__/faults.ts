import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Puts something else in the place of a call of the file system, for as long as `use` takes. */
export async function withCall<T>(
  name: "readSync" | "writeSync" | "openSync" | "lstatSync" | "linkSync" | "chmodSync",
  replacement: (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) => unknown,
  use: () => Promise<T>,
): Promise<T> {
  const original: unknown = Reflect.get(fs, name);
  if (typeof original !== "function") throw new Error(`No such call: ${name}`);
  const call = (...given: readonly unknown[]): unknown => {
    const result: unknown = Reflect.apply(original, fs, given);
    return result;
  };
  Reflect.set(fs, name, (...given: readonly unknown[]) => replacement(call, given));
  syncBuiltinESMExports();
  try {
    return await use();
  } finally {
    Reflect.set(fs, name, original);
    syncBuiltinESMExports();
  }
}

/** Does something with the rights of nobody in particular; root has all of them, and everybody else has none already. */
export async function asNobody<T>(use: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) {
    process.setegid?.(65534);
    process.seteuid?.(65534);
  }
  try {
    return await use();
  } finally {
    if (isRoot) {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
  }
}

/** Mounts a file system in memory; false where that is not allowed. */
export function mountMemory(folder: string, options: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export function unmount(folder: string): void {
  execFileSync("umount", [folder], { stdio: "ignore" });
}
