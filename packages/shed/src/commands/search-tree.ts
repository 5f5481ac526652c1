import type { BigIntStats } from "node:fs";
import { childLocation, compareLocations } from "../files/file-name.ts";
import type { ListedDirectory, ListedName } from "../files/listed-tree.ts";
import { countFiles, EntryReader } from "../files/packed-entries.ts";

/** A file that may be searched. */
export interface Searched {
  readonly location: string;
  readonly shown: string;
  /** Undefined where only the name is known: what stands there is looked at when the search opens it. */
  readonly stats: BigIntStats | undefined;
}

/** How the locations of a tree become what is shown. */
export interface ShownTree {
  readonly prefix: string;
  /** How many characters of each location the prefix takes the place of. */
  readonly skipped: number;
}

/** A file of a searched tree. */
export class TreeFile implements Searched {
  readonly directory: string;
  readonly name: string;
  readonly stats: BigIntStats | undefined;
  readonly tree: ShownTree;

  constructor({ directory, name, stats }: Pick<ListedName, "directory" | "name" | "stats">, tree: ShownTree) {
    this.directory = directory;
    this.name = name;
    this.stats = stats;
    this.tree = tree;
  }

  get location(): string {
    return childLocation(this.directory, this.name);
  }

  get shown(): string {
    return this.tree.prefix + this.location.slice(this.tree.skipped);
  }
}

/** Ordinary files of one directory of a searched tree. With very many files, it is these that are kept. */
export class DirectoryFiles {
  readonly directory: ListedDirectory;
  readonly count: number;
  readonly #tree: ShownTree;
  readonly #names: ReadonlySet<string> | undefined;

  /** @param names - Of the files; undefined for all that the directory has. */
  constructor(directory: ListedDirectory, tree: ShownTree, names?: ReadonlySet<string>) {
    this.directory = directory;
    this.#tree = tree;
    this.#names = names;
    this.count = names?.size ?? countFiles(directory.entries);
  }

  /** The names, each of which ends with a `/`. */
  get names(): string {
    const { entries } = this.directory;
    if (this.#names === undefined && this.count === entries.kinds.length) return entries.names;
    return this.files()
      .map(({ name }) => `${name}/`)
      .join("");
  }

  files(): readonly TreeFile[] {
    const files: TreeFile[] = [];
    const { location: directory, entries, stats } = this.directory;
    const reader = new EntryReader(entries);
    for (let at = 0; reader.advance(); at++) {
      const { name, kind } = reader;
      if (kind === "file" && this.#names?.has(name) !== false)
        files.push(new TreeFile({ directory, name, stats: stats?.[at] }, this.#tree));
    }
    return files;
  }
}

/** Files of a searched tree. */
export class FoundFiles {
  readonly tree: ShownTree;
  readonly directories: DirectoryFiles[] = [];

  constructor(tree: ShownTree) {
    this.tree = tree;
  }

  get count(): number {
    return this.directories.reduce((count, files) => count + files.count, 0);
  }

  /** In the order in which a walk through the tree meets them. */
  files(): readonly TreeFile[] {
    return inOrder(this.directories.flatMap((files) => files.files()));
  }
}

/** Files of one tree in the order in which a walk through it meets them. */
export function inOrder(files: TreeFile[]): readonly TreeFile[] {
  return files.sort((left, right) => compareLocations(left.location, right.location));
}
