import { closeSync, constants } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import type { Identity } from "../files/entry.ts";
import type { FilesOfDirectory } from "../files/file-jobs.ts";
import { lastName, parentLocation } from "../files/file-name.ts";
import type { FileThread } from "../files/file-thread.ts";
import { joinTexts, mostJoinedBytes } from "../files/joined-texts.ts";
import type { JoinedTexts, OpenedFile } from "../files/joined-texts.ts";
import { sharedWork } from "../files/shared-work.ts";
import { systemSentence } from "../files/system-error.ts";
import type { Output } from "./output.ts";
import type { ProgramName } from "./programs.ts";
import { hasMoreNames, TreeFile } from "./search-plan.ts";
import type { Searched } from "./search-plan.ts";

/** How many files one job looks at. */
const filesInARow = 256;

/** Files that were looked at, and their text. */
interface Looked {
  readonly files: readonly Searched[];
  readonly joined: JoinedTexts;
}

/**
 * The files of a search, looked at before any of them is searched by itself: each is opened through its directory, must
 * be an ordinary file with one name, and is then read as part of one long text, file after file. Where a line of it
 * matches, the file is worth to be searched by itself.
 */
export class SearchTexts {
  readonly #name: ProgramName;
  readonly #access: FileAccess;
  readonly #output: Output;
  readonly #files: readonly Searched[];
  /** Files that were not looked at. */
  readonly #left: (readonly Searched[])[] = [];
  /** Files that are searched by themselves whatever the text says: large, binary, or not to be read. */
  readonly #apart = new Set<Searched>();
  /** Files of the text in order, and where each begins in it. */
  readonly #joined: Searched[] = [];
  readonly #starts: number[] = [];
  readonly #matched = new Set<Searched>();
  readonly #space = Buffer.allocUnsafeSlow(mostJoinedBytes);
  #size = 0;
  #cursor = 0;

  constructor(
    name: ProgramName,
    files: readonly Searched[],
    { access, output }: { access: FileAccess; output: Output },
  ) {
    this.#name = name;
    this.#files = files;
    this.#access = access;
    this.#output = output;
    for (let at = 0; at < files.length; at += filesInARow) this.#left.push(files.slice(at, at + filesInARow));
  }

  /**
   * Looks at files that are not searched, and still must not have a second name.
   *
   * @throws CommandRefusal for one that has.
   */
  async passOver(files: readonly TreeFile[]): Promise<void> {
    for (const file of files) {
      if (file.stats === undefined) this.#checkName(file);
      if (this.#output.isDue) await this.#output.flow();
    }
  }

  /**
   * The text, in blocks; each file is looked at when its turn comes. A second thread helps where there are many.
   *
   * @throws CommandRefusal for a file of a tree that has more than one name.
   */
  async *blocks(): AsyncGenerator<Uint8Array, void> {
    for await (const looked of this.#looks(undefined)) {
      this.#noteText(looked);
      if (looked.joined.text.length > 0) yield looked.joined.text;
    }
  }

  /**
   * Finds the files that hold some words, which have no line break. Each file is looked at as by {@link blocks}.
   *
   * @throws CommandRefusal as {@link blocks} does.
   */
  async find(words: string): Promise<void> {
    for await (const { files, joined } of this.#looks(words)) {
      for (const file of chosen(files, joined.files)) this.#matched.add(file);
    }
  }

  async *#looks(words: string | undefined): AsyncGenerator<Looked, void> {
    const work = {
      here: (files: readonly Searched[]) => {
        const open = (file: Searched) => this.#open(file);
        return { files, joined: joinTexts(files, { space: this.#space, open, words }) };
      },
      there: (thread: FileThread, files: readonly Searched[]) => this.#joinThere(thread, files, words),
    };
    for await (const looked of sharedWork(this.#left, work)) {
      const { files, joined } = looked;
      const last = files[joined.taken - 1];
      if (joined.hasSecondName && last !== undefined) this.#refuse(last);
      if (joined.taken < files.length) this.#left.push(files.slice(joined.taken));
      for (const file of chosen(files, joined.apart)) this.#apart.add(file);
      yield looked;
      if (this.#output.isDue) await this.#output.flow();
    }
  }

  /**
   * Looks at the files whose turn has not come, without reading them.
   *
   * @throws CommandRefusal as {@link blocks} does.
   */
  async look(): Promise<void> {
    for (const file of this.#left.splice(0).flat()) {
      this.#take(file);
      if (this.#output.isDue) await this.#output.flow();
    }
  }

  /** Notes that a line matches which begins at this place of the text; places come in order. */
  matchAt(place: number): void {
    while ((this.#starts[this.#cursor + 1] ?? Number.POSITIVE_INFINITY) <= place) this.#cursor += 1;
    const file = this.#joined[this.#cursor];
    if (file !== undefined) this.#matched.add(file);
  }

  /** Whether a file may hold a match, as far as is known. */
  mayMatch(file: Searched): boolean {
    return this.#matched.has(file) || this.#apart.has(file);
  }

  #noteText({ files, joined }: Looked): void {
    for (const start of joined.starts) this.#starts.push(this.#size + start);
    for (const file of chosen(files, joined.files)) this.#joined.push(file);
    this.#size += joined.text.length;
  }

  /** Names the first file that has a second name, whichever was met first. */
  #refuse(met: Searched): never {
    for (const file of this.#files) {
      if (file === met) break;
      this.#take(file);
    }
    throw hasMoreNames(this.#name, met);
  }

  #checkName(file: TreeFile): void {
    const stats = this.#access.at(file.directory).inspect(file.name);
    if (stats !== undefined && stats.nlink > 1n && !stats.isDirectory()) throw hasMoreNames(this.#name, file);
  }

  /** Opens and checks a file; what goes wrong is told when it is searched by itself. */
  #take(file: Searched): void {
    try {
      const { descriptor, names } = this.#open(file);
      closeSync(descriptor);
      if (names > 1) throw hasMoreNames(this.#name, file);
    } catch (error) {
      if (systemSentence(error) === undefined) throw error;
      this.#apart.add(file);
    }
  }

  #open(file: Searched): OpenedFile {
    if (file instanceof TreeFile && file.stats === undefined)
      return this.#access.at(file.directory).openAnyFile(file.name);
    const { location, stats } = file;
    const directory = this.#access.at(parentLocation(location));
    const opened = directory.openFile(lastName(location), constants.O_RDONLY, stats);
    return { descriptor: opened.descriptor, size: Number(opened.stats.size), names: 1 };
  }

  /** Undefined when the thread cannot do it. */
  async #joinThere(
    thread: FileThread,
    files: readonly Searched[],
    words: string | undefined,
  ): Promise<Looked | undefined> {
    const directories = this.#byDirectory(files);
    if (directories === undefined) return undefined;
    const { containment } = this.#access;
    const reply = await thread.do({ kind: "join", containment, directories, words });
    return reply?.kind === "join" ? { files, joined: reply.joined } : undefined;
  }

  #byDirectory(files: readonly Searched[]): readonly FilesOfDirectory[] | undefined {
    const directories: { location: string; identity: Identity; names: string[] }[] = [];
    for (const file of files) {
      if (!(file instanceof TreeFile) || file.stats !== undefined) return undefined;
      const last = directories.at(-1);
      if (last?.location === file.directory) {
        last.names.push(file.name);
        continue;
      }
      const identity = this.#access.identityOf(file.directory);
      if (identity === undefined) return undefined;
      directories.push({ location: file.directory, identity, names: [file.name] });
    }
    return directories;
  }
}

function chosen(files: readonly Searched[], places: readonly number[]): readonly Searched[] {
  return places.flatMap((place) => files[place] ?? []);
}
