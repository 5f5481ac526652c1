import { join } from "node:path";

import { RunLockedError } from "./errors.ts";
import type { FileLayer } from "./file-layer.ts";
import { isHeld, newProcessHold } from "./process-hold.ts";

/**
 * Holds a run against other processes, by numbered files in a folder of the run's own: the holder is the owner of the
 * highest. A lock that was released, or whose owner is gone, is never removed to be made again, which two could do at
 * once: the next owner makes the next number, which only one can, and then removes those below.
 *
 * @returns What lets go of the run; it does not fail.
 * @throws {@link RunLockedError} (`core/run-locked`).
 */
export async function lockRun(files: FileLayer, folder: string, runId: string): Promise<() => Promise<void>> {
  const locks = join(folder, `${runId}.lock`);
  const numbers = async (): Promise<readonly number[]> =>
    (await files.list(locks)).filter((name) => /^\d+$/.test(name)).map(Number);
  const pathOf = (number: number): string => join(locks, String(number));

  await files.makeFolder(locks);
  const highest = Math.max(0, ...(await numbers()));
  if (highest > 0 && (await isTaken(files, pathOf(highest)))) throw new RunLockedError({ runId });
  const own = highest + 1;
  const hold = newProcessHold();
  if (!(await files.createExclusive(pathOf(own), hold.text))) throw new RunLockedError({ runId });
  const after = await numbers();
  if (Math.max(own, ...after) > own) {
    await files.remove(pathOf(own));
    throw new RunLockedError({ runId });
  }
  for (const number of after) if (number < own) await files.remove(pathOf(number));
  return async () => {
    try {
      await files.empty(pathOf(own));
    } catch {
      // The disk went read-only, or the folder elsewhere. Others find the run held until this process ends, and this process knows better.
      hold.end();
    }
  };
}

/** A lock is made with what it says in it: one with nothing was released, or is what a power cut left of one. */
async function isTaken(files: FileLayer, path: string): Promise<boolean> {
  const bytes = await files.read(path);
  return bytes !== undefined && isHeld(new TextDecoder().decode(bytes));
}
