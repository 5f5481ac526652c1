import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

import { isBelow } from "../permissions/canonical-path.ts";
import { isGone } from "./stamped-files.ts";

/** An ordinary file, and when it was last changed. */
export interface FoundFile {
  readonly path: string;
  /** Nanoseconds. */
  readonly modified: bigint;
  /** The same for as long as nobody changes or replaces the file. */
  readonly identity: string;
}

/**
 * The ordinary files below a folder that have a fitting name, by path; links are not followed. None for a folder that is not
 * there, and what vanishes meanwhile is left out.
 *
 * @param except - A folder that is passed over.
 */
export async function filesBelow(
  root: string,
  fits: (name: string) => boolean,
  except?: string,
): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (except !== undefined && (folder === except || isBelow(folder, except))) continue;
    for (const entry of await entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile() || !fits(entry.name)) continue;
      const stats = await lstat(path, { bigint: true }).catch(ignoreGone);
      if (stats?.isFile() !== true) continue;
      const { dev, ino, size, mtimeNs, ctimeNs } = stats;
      const identity = [dev, ino, size, mtimeNs, ctimeNs].join(" ");
      found.push({ path, modified: mtimeNs, identity });
    }
  }
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function entriesOf(folder: string) {
  return (await readdir(folder, { withFileTypes: true }).catch(ignoreGone)) ?? [];
}

function ignoreGone(error: unknown): undefined {
  if (isGone(error)) return undefined;
  throw error;
}
