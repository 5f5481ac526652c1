import type { BigIntStats } from "node:fs";
import type { FileAccess } from "./access.ts";
import { kindOf } from "./entry.ts";
import type { EntryKind } from "./entry.ts";
import { childLocation } from "./file-name.ts";
import type { ListedEntry } from "./open-directory.ts";

/** A name in a tree, as its directory lists it. */
export interface TreeName {
  readonly location: string;
  /** The directory that holds it. */
  readonly directory: string;
  readonly name: string;
  readonly kind: EntryKind;
}

/** One entry of a tree that was looked at. */
export interface TreeEntry extends TreeName {
  readonly stats: BigIntStats;
  /** 0 for the top. */
  readonly depth: number;
}

/**
 * Every entry below a directory, parents before children, names in byte order. Links are entries like any other and
 * never entered. Nothing recurses, so depth is no limit.
 *
 * @param options.enter - Whether to look into a directory; the default is yes.
 */
export function* treeBelow(
  access: FileAccess,
  top: string,
  { enter = () => true, depth = 0 }: { enter?: (entry: TreeEntry) => boolean; depth?: number } = {},
): Generator<TreeEntry, void> {
  const stack: { location: string; entries: readonly ListedEntry[]; next: number }[] = [
    { location: top, entries: access.at(top).list(), next: 0 },
  ];
  for (let level = stack.at(-1); level !== undefined; level = stack.at(-1)) {
    const listed = level.entries[level.next++];
    if (listed === undefined) {
      stack.pop();
      continue;
    }
    const stats = access.at(level.location).inspect(listed.name);
    if (stats === undefined) continue;
    const { location: directory } = level;
    const { name } = listed;
    const location = childLocation(directory, name);
    const entry = { location, directory, name, kind: kindOf(stats), stats, depth: depth + stack.length };
    yield entry;
    if (entry.kind === "directory" && enter(entry)) {
      stack.push({ location, entries: access.at(location).list(), next: 0 });
    }
  }
}
