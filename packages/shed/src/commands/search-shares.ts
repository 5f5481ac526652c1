import { FoundFiles, TreeFile } from "./search-tree.ts";
import type { DirectoryFiles, Searched } from "./search-tree.ts";

/** How many files are looked at together. */
const filesInARow = 256;

/** Files of a directory, of which nothing but the names is known. */
export interface NamesInDirectory {
  readonly location: string;
  /** Each ends with a `/`. */
  readonly names: string;
}

/** Some of the files of a search, which are looked at together. */
export interface Share {
  readonly count: number;
  readonly files: () => readonly Searched[];
  /** One of them: each time the same object. */
  readonly at: (index: number) => Searched | undefined;
  /** The same files by their names; undefined when more is known of some than their names. */
  readonly names: () => readonly NamesInDirectory[] | undefined;
}

/** Files one by one. */
export class FileShare implements Share {
  readonly #files: readonly Searched[];

  constructor(files: readonly Searched[]) {
    this.#files = files;
  }

  get count(): number {
    return this.#files.length;
  }

  files(): readonly Searched[] {
    return this.#files;
  }

  at(index: number): Searched | undefined {
    return this.#files[index];
  }

  names(): readonly NamesInDirectory[] | undefined {
    const directories: { location: string; names: string }[] = [];
    for (const file of this.#files) {
      if (!(file instanceof TreeFile) || file.stats !== undefined) return undefined;
      const last = directories.at(-1);
      if (last?.location === file.directory) last.names += `${file.name}/`;
      else directories.push({ location: file.directory, names: `${file.name}/` });
    }
    return directories;
  }
}

/** The files of whole directories, which are told one by one when that is asked for. */
class DirectoryShare implements Share {
  readonly #directories: readonly DirectoryFiles[];
  readonly count: number;
  #files: readonly Searched[] | undefined;
  readonly #asked = new Map<DirectoryFiles, readonly Searched[]>();

  constructor(directories: readonly DirectoryFiles[], count: number) {
    this.#directories = directories;
    this.count = count;
  }

  files(): readonly Searched[] {
    this.#files ??= this.#directories.flatMap((directory) => this.#filesOf(directory));
    return this.#files;
  }

  at(index: number): Searched | undefined {
    if (this.#files !== undefined) return this.#files[index];
    let before = 0;
    for (const directory of this.#directories) {
      if (index < before + directory.count) return this.#filesOf(directory)[index - before];
      before += directory.count;
    }
    return undefined;
  }

  #filesOf(directory: DirectoryFiles): readonly Searched[] {
    let files = this.#asked.get(directory);
    if (files === undefined) this.#asked.set(directory, (files = directory.files()));
    return files;
  }

  names(): readonly NamesInDirectory[] | undefined {
    const directories: NamesInDirectory[] = [];
    for (const { directory, names } of this.#directories) {
      if (directory.stats !== undefined) return undefined;
      directories.push({ location: directory.location, names });
    }
    return directories;
  }
}

/** Divides files into shares. */
export function sharesOf(files: Iterable<Searched | FoundFiles>): Share[] {
  const named: Searched[] = [];
  const shares: Share[] = [];
  for (const item of files) {
    if (item instanceof FoundFiles) shares.push(...sharesOfTree(item));
    else named.push(item);
  }
  return [...shares, ...sharesOfFiles(named)];
}

function sharesOfTree({ directories }: FoundFiles): Share[] {
  const shares: Share[] = [];
  let [some, count]: [DirectoryFiles[], number] = [[], 0];
  for (const directory of directories) {
    if (directory.count > filesInARow) {
      shares.push(...sharesOfFiles(directory.files()));
      continue;
    }
    if (count + directory.count > filesInARow) {
      shares.push(new DirectoryShare(some, count));
      [some, count] = [[], 0];
    }
    some.push(directory);
    count += directory.count;
  }
  if (count > 0) shares.push(new DirectoryShare(some, count));
  return shares;
}

function sharesOfFiles(files: readonly Searched[]): Share[] {
  const shares: Share[] = [];
  for (let at = 0; at < files.length; at += filesInARow)
    shares.push(new FileShare(files.slice(at, at + filesInARow)));
  return shares;
}
