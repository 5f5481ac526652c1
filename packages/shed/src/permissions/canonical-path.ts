import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, isAbsolute } from "node:path";

/**
 * A path without links; of what does not exist yet, the rest is kept as it is written.
 *
 * @param path - Absolute and normalised.
 * @throws An error of the operating system, for anything but a missing entry.
 */
export function canonicalPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing || dirname(path) === path) throw error;
    return join(canonicalPath(dirname(path)), basename(path));
  }
}

/** Whether a path lies below a folder, and is not the folder itself; by the texts alone. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
