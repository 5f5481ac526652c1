import type { BigIntStats } from "node:fs";
import { isSame } from "./entry.ts";
import type { OpenDirectory } from "./open-directory.ts";
import { systemError } from "./system-error.ts";

type Directory = Pick<OpenDirectory, "inspect" | "listUnsorted">;

/**
 * The name that a directory itself gives an entry. Where a file system takes `secrets` for `Secrets`, or one Unicode form
 * for another, rules must meet the name on disk, whatever was written.
 *
 * @param stats - What stands under the written name.
 * @throws An error of the operating system, `ENOENT`, for an alias that the directory does not list.
 */
export function onDiskName(directory: Directory, name: string, stats: BigIntStats): string {
  if (!variantsOf(name).some((variant) => isEntry(directory, variant, stats))) return name;
  const names = directory.listUnsorted().map((entry) => entry.name);
  if (names.includes(name)) return name;
  const form = folded(name);
  const found = names.find((listed) => folded(listed) === form && isEntry(directory, listed, stats));
  if (found === undefined) throw systemError("ENOENT");
  return found;
}

function isEntry(directory: Directory, name: string, stats: BigIntStats): boolean {
  const found = directory.inspect(name);
  return found !== undefined && isSame(found, stats);
}

/** Spellings that name the same entry where a file system does not care; none for most names without letters. */
function variantsOf(name: string): readonly string[] {
  const upper = name.toUpperCase();
  const variants = [
    upper === name ? name.toLowerCase() : upper,
    name.normalize("NFC"),
    name.normalize("NFD"),
  ];
  return variants.filter((variant) => variant !== name);
}

function folded(name: string): string {
  return name.normalize("NFC").toUpperCase().toLowerCase();
}
