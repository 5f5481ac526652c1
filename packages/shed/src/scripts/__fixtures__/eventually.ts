import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits until something holds; fails after a while with what was waited for. */
export async function eventually(what: string, holds: () => boolean): Promise<void> {
  const until = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > until) throw new Error(`It never came true that ${what}`);
    await sleep(10);
  }
}

/** The processes whose command line holds a text, and that have not ended. */
export function processesWith(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}
