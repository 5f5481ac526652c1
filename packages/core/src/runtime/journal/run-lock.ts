import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";

import { RunLockedError } from "./errors.ts";
import type { FileLayer } from "./file-layer.ts";
import { isAlive, ownIdentity } from "./process-identity.ts";

const ownerSchema = z
  .object({ pid: z.int(), startedAt: z.string().nullable(), boot: z.string().nullable() })
  .nullable();

/**
 * Holds a run against other processes. Its lock files are numbered, and the holder is the owner of the highest. A lock
 * that was released, or whose owner is gone, is never removed to be made again, which two could do at once: the next
 * owner makes the next number, which only one can.
 *
 * @returns What lets go of the run.
 * @throws {@link RunLockedError} (`core/run-locked`).
 */
export async function lockRun(files: FileLayer, folder: string, runId: string): Promise<() => Promise<void>> {
  const prefix = `${runId}.lock.`;
  const numbers = async (): Promise<readonly number[]> =>
    (await files.list(folder))
      .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
      .map((name) => Number(name.slice(prefix.length)))
      .sort((one, other) => one - other);
  const pathOf = (number: number): string => join(folder, `${prefix}${number}`);

  const before = await numbers();
  const highest = before.at(-1) ?? 0;
  if (highest > 0 && (await isHeld(files, pathOf(highest)))) throw new RunLockedError({ runId });
  const own = highest + 1;
  const nonce = randomUUID();
  if (!(await files.createExclusive(pathOf(own), JSON.stringify({ ...ownIdentity(), nonce }))))
    throw new RunLockedError({ runId });
  const after = await numbers();
  if ((after.at(-1) ?? 0) > own) {
    await files.remove(pathOf(own));
    throw new RunLockedError({ runId });
  }
  for (const number of after) if (number < own) await files.remove(pathOf(number));
  return () => files.replace(pathOf(own), "null");
}

/** Whether a lock's owner is at work. One that cannot be read is held: nobody can know better. */
async function isHeld(files: FileLayer, path: string): Promise<boolean> {
  const bytes = await files.read(path);
  if (bytes === undefined) return false;
  try {
    const owner = ownerSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return !owner.success || (owner.data !== null && isAlive(owner.data));
  } catch {
    return true;
  }
}
