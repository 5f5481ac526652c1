import type { BigIntStats } from "node:fs";
import type { FileAccess } from "./access.ts";
import { kindOf } from "./entry.ts";
import { childLocation, parentLocation } from "./file-name.ts";
import { onDiskName } from "./on-disk-name.ts";
import { LinkOnPathError, systemError } from "./system-error.ts";

/** A path somebody wrote, and what stands there. */
export interface Place {
  /** The path as written. */
  readonly spelled: string;
  /** Absolute, without `.`, `..` and doubled separators, names as they are on disk. No component on the way is a link. */
  readonly location: string;
  /** `undefined`: nothing has this name. */
  readonly stats: BigIntStats | undefined;
  /** Whether a directory holds, or could hold, this name. */
  readonly hasParent: boolean;
  /** Whether the spelling asks for a directory: it ends in `/`, `/.` or `/..`. */
  readonly asksForDirectory: boolean;
}

const longestPath = 4095;

/** The absolute form of a path by its text alone; nothing is looked at. */
function lexicalLocation(base: string, path: string): string {
  let location = path.startsWith("/") ? "/" : base;
  for (const component of path.split("/")) {
    if (component === "" || component === ".") continue;
    location = component === ".." ? parentLocation(location) : childLocation(location, component);
  }
  return location;
}

function asksForDirectory(path: string): boolean {
  return /(?:^|\/)\.{0,2}$/.test(path);
}

/**
 * Finds out what a path leads to. Every component it names is looked at, also one that a later `..` takes back, and
 * none may be a link; the last one is judged by the caller.
 *
 * @throws {@link LinkOnPathError}, or an error of the operating system: `ENOTDIR` for a file on the way,
 * `ENAMETOOLONG`, `EACCES`.
 */
export function lookUp(access: FileAccess, base: string, path: string): Place {
  if (Buffer.byteLength(path) > longestPath) throw systemError("ENAMETOOLONG");
  let directory = path.startsWith("/") ? "/" : base;
  access.at(directory);
  let name: string | undefined;
  let stats: BigIntStats | undefined;
  const components = path.split("/").filter((component) => component !== "" && component !== ".");
  const place = { spelled: path, asksForDirectory: asksForDirectory(path) };
  for (const component of components) {
    if (name !== undefined) {
      if (stats === undefined) {
        return { location: lexicalLocation(base, path), stats, hasParent: false, ...place };
      }
      directory = enter(directory, name, stats);
      name = undefined;
    }
    if (component === "..") {
      directory = parentLocation(directory);
    } else {
      stats = access.at(directory).inspect(component);
      name = stats === undefined ? component : onDiskName(access.at(directory), component, stats);
    }
  }
  if (name === undefined) {
    const standing = access.at(directory).stats;
    return { spelled: path, location: directory, stats: standing, hasParent: true, asksForDirectory: true };
  }
  const location = childLocation(directory, name);
  if (place.asksForDirectory && stats !== undefined) enter(directory, name, stats);
  return { location, stats, hasParent: true, ...place };
}

function enter(directory: string, name: string, stats: BigIntStats): string {
  const location = childLocation(directory, name);
  const kind = kindOf(stats);
  if (kind === "link") throw new LinkOnPathError(location);
  if (kind !== "directory") throw systemError("ENOTDIR");
  return location;
}
