import type { BigIntStats, Stats } from "node:fs";

/** What stands at a place. Everything but files, directories and symbolic links is special. */
export type EntryKind = "file" | "directory" | "link" | "special";

/** Which object it was: a new object at the same place, even one that got the same number, is another one. */
export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly birthtimeNs: bigint;
}

export function kindOf(
  stats: Pick<Stats | BigIntStats, "isFile" | "isDirectory" | "isSymbolicLink">,
): EntryKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  return stats.isSymbolicLink() ? "link" : "special";
}

/** Whether two looks saw the same object. */
export function isSame(one: Identity, other: Identity): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.birthtimeNs === other.birthtimeNs;
}
