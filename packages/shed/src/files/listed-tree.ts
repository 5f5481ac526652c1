import type { BigIntStats } from "node:fs";
import type { FileAccess } from "./access.ts";
import { childLocation } from "./file-name.ts";
import type { FileThread } from "./file-thread.ts";
import {
  EntryReader,
  hasKind,
  identityAt,
  noEntries,
  packEntries,
  packTexts,
  unpackTexts,
} from "./packed-entries.ts";
import type { PackedEntries } from "./packed-entries.ts";
import { sharedWork } from "./shared-work.ts";
import type { TreeEntry, TreeName } from "./tree.ts";

/** A directory of a tree, and what it holds. */
export interface ListedDirectory {
  readonly location: string;
  /** In byte order. */
  readonly entries: PackedEntries;
  /** The directories among the entries, in the same order. */
  readonly below: readonly ListedDirectory[];
  /** What was seen of each entry, in the same order; undefined where only the directory was looked at. */
  readonly stats: readonly BigIntStats[] | undefined;
  /** Why it could not be listed. */
  readonly failure: { readonly error: unknown } | undefined;
}

/** How many directories one job lists. */
const directoriesInARow = 64;

/**
 * Lists a directory and all directories below it. It takes one look for each, and a second thread helps where there are
 * many. What goes wrong with one is noted there.
 *
 * @param pause - Called now and then; what it throws ends the work.
 */
export async function listTree(access: FileAccess, top: string, pause: () => void): Promise<ListedDirectory> {
  const tree = new Directory(top);
  const jobs: (readonly Directory[])[] = [[tree]];
  const work = {
    here: (directories: readonly Directory[]) => {
      for (const directory of directories) directory.list(access);
      return directories;
    },
    there: async (thread: FileThread, directories: readonly Directory[]) =>
      (await listThere(access, thread, directories)) ? directories : undefined,
  };
  for await (const directories of sharedWork(jobs, work)) {
    pause();
    const below = directories.flatMap((directory) => directory.below);
    for (let at = 0; at < below.length; at += directoriesInARow)
      jobs.push(below.slice(at, at + directoriesInARow));
  }
  return tree;
}

async function listThere(
  access: FileAccess,
  thread: FileThread,
  directories: readonly Directory[],
): Promise<boolean> {
  const locations = packTexts(directories.map(({ location }) => location));
  const reply = await thread.do({ kind: "list", containment: access.containment, locations });
  if (reply?.kind !== "list") return false;
  const [names, kinds] = [unpackTexts(reply.names), unpackTexts(reply.kinds)];
  for (const [index, directory] of directories.entries()) {
    const identity = identityAt(reply.identities, index);
    const isRight = identity !== undefined && access.expect(directory.location, identity);
    if (isRight) directory.take({ names: names[index] ?? "", kinds: kinds[index] ?? "" });
    else directory.list(access);
  }
  return true;
}

/** The same directories of entries that were looked at, parents before children, as `treeBelow` gives them. */
export class TreeOfEntries {
  readonly top: ListedDirectory;
  readonly #directories = new Map<string, Directory>();

  constructor(top: string) {
    const directory = new Directory(top);
    directory.stats = [];
    this.top = directory;
    this.#directories.set(top, directory);
  }

  add({ directory, name, location, kind, stats }: TreeEntry): void {
    const parent = this.#directories.get(directory);
    if (parent === undefined) throw new Error(`An entry came before its directory: \`${location}\``);
    const entry = packEntries([{ name, kind }]);
    parent.entries = {
      names: parent.entries.names + entry.names,
      kinds: parent.entries.kinds + entry.kinds,
    };
    parent.stats?.push(stats);
    if (kind !== "directory") return;
    const child = new Directory(location);
    child.stats = [];
    parent.below.push(child);
    this.#directories.set(location, child);
  }
}

class Directory implements ListedDirectory {
  readonly location: string;
  entries = noEntries;
  readonly below: Directory[] = [];
  stats: BigIntStats[] | undefined;
  failure: { readonly error: unknown } | undefined;

  constructor(location: string) {
    this.location = location;
  }

  list(access: FileAccess): void {
    try {
      this.take(packEntries(access.at(this.location).list()));
    } catch (error) {
      this.failure = { error };
    }
  }

  take(entries: PackedEntries): void {
    this.entries = entries;
    if (!hasKind(entries, "directory")) return;
    const reader = new EntryReader(entries);
    while (reader.advance()) {
      if (reader.kind === "directory")
        this.below.push(new Directory(childLocation(this.location, reader.name)));
    }
  }
}

/** A directory and all below it, each before those that it holds. */
export function* directoriesOf(top: ListedDirectory): Generator<ListedDirectory, void> {
  const stack = [top];
  for (let directory = stack.pop(); directory !== undefined; directory = stack.pop()) {
    yield directory;
    for (let at = directory.below.length - 1; at >= 0; at--) {
      const below = directory.below[at];
      if (below !== undefined) stack.push(below);
    }
  }
}

/** A name in a listed tree, with what was seen of it where it was looked at. */
export interface ListedName extends TreeName {
  readonly stats: BigIntStats | undefined;
}

/** The names in one directory, one after the other. */
class NamesIn {
  readonly #directory: ListedDirectory;
  readonly #reader: EntryReader;
  #read = 0;
  #entered = 0;

  constructor(directory: ListedDirectory) {
    this.#directory = directory;
    this.#reader = new EntryReader(directory.entries);
  }

  next(): ListedName | undefined {
    if (!this.#reader.advance()) return undefined;
    const { name, kind } = this.#reader;
    const { location: directory, stats } = this.#directory;
    return { location: childLocation(directory, name), directory, name, kind, stats: stats?.[this.#read++] };
  }

  /** What the directory holds that the last name stands for. */
  enter(): NamesIn | undefined {
    const below = this.#directory.below[this.#entered++];
    if (below?.failure !== undefined) throw below.failure.error;
    return below === undefined ? undefined : new NamesIn(below);
  }
}

/** The names in one directory. */
export function* namesIn(directory: ListedDirectory): Generator<ListedName, void> {
  const names = new NamesIn(directory);
  for (let name = names.next(); name !== undefined; name = names.next()) yield name;
}

/**
 * The names below a directory, in the order of `treeBelow`.
 *
 * @throws What came of listing a directory, when its turn has come.
 */
export function* namesBelow(top: ListedDirectory): Generator<ListedName, void> {
  if (top.failure !== undefined) throw top.failure.error;
  const stack = [new NamesIn(top)];
  for (let names = stack.at(-1); names !== undefined; names = stack.at(-1)) {
    const name = names.next();
    if (name === undefined) {
      stack.pop();
      continue;
    }
    yield name;
    const below = name.kind === "directory" ? names.enter() : undefined;
    if (below !== undefined) stack.push(below);
  }
}
