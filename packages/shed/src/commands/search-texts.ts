import { closeSync, constants, readSync } from "node:fs";
import { isUtf8 } from "node:buffer";
import type { FileAccess } from "../files/access.ts";
import { lastName, parentLocation } from "../files/file-name.ts";
import type { OpenDirectory } from "../files/open-directory.ts";
import { systemSentence } from "../files/system-error.ts";
import type { Output } from "./output.ts";
import type { ProgramName } from "./programs.ts";
import { hasMoreNames, TreeFile } from "./search-plan.ts";
import type { Searched } from "./search-plan.ts";

/** Larger files are handed to the program as they are: starting to read them costs little beside reading them. */
const largestText = 128 * 1024;
const blockBytes = 1024 * 1024;

const newline = 10;

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
  /** Files that are searched by themselves whatever the text says: large, binary, or not to be read. */
  readonly #apart = new Set<Searched>();
  /** Files of the text in order, and where each begins in it. */
  readonly #joined: Searched[] = [];
  readonly #starts: number[] = [];
  readonly #matched = new Set<Searched>();
  /** How many files were looked at. */
  #looked = 0;
  /** What was read and is to be handed on. */
  #full: Buffer | undefined;
  #block = Buffer.alloc(0);
  #filled = 0;
  /** The first file that stands in the block. */
  #firstOfBlock = 0;
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
   * The text, in blocks; each file is looked at when its turn comes.
   *
   * @throws CommandRefusal for a file of a tree that has more than one name.
   */
  async *blocks(): AsyncGenerator<Buffer, void> {
    for (let file = this.#files[this.#looked]; file !== undefined; file = this.#files[this.#looked]) {
      this.#looked += 1;
      this.#take(file, true);
      if (this.#full !== undefined) yield this.#handOn(this.#full);
      if (this.#output.isDue) await this.#output.flow();
    }
    this.#endBlock();
    if (this.#full !== undefined) yield this.#handOn(this.#full);
  }

  /**
   * Looks at the files whose turn has not come, without reading them.
   *
   * @throws CommandRefusal as {@link blocks} does.
   */
  async look(): Promise<void> {
    for (let file = this.#files[this.#looked]; file !== undefined; file = this.#files[this.#looked]) {
      this.#looked += 1;
      if (file.stats === undefined) this.#take(file, false);
      if (this.#output.isDue) await this.#output.flow();
    }
  }

  #handOn(block: Buffer): Buffer {
    this.#full = undefined;
    return block;
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

  #checkName(file: TreeFile): void {
    const stats = this.#access.at(file.directory).inspect(file.name);
    if (stats !== undefined && stats.nlink > 1n && !stats.isDirectory()) throw hasMoreNames(this.#name, file);
  }

  /** Opens and checks a file; what goes wrong is told when it is searched by itself. */
  #take(file: Searched, isRead: boolean): void {
    try {
      const { descriptor, size } = this.#open(file);
      try {
        if (!isRead) return;
        if (size > largestText || !this.#append(file, descriptor, size)) this.#apart.add(file);
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      if (systemSentence(error) === undefined) throw error;
      this.#apart.add(file);
    }
  }

  #open(file: Searched): { descriptor: number; size: number } {
    const directory = this.#directoryOf(file);
    const name = file instanceof TreeFile ? file.name : lastName(file.location);
    if (file.stats !== undefined) {
      const { descriptor, stats } = directory.openFile(name, constants.O_RDONLY, file.stats);
      return { descriptor, size: Number(stats.size) };
    }
    const { descriptor, size, names } = directory.openAnyFile(name);
    if (names <= 1) return { descriptor, size };
    closeSync(descriptor);
    throw hasMoreNames(this.#name, file);
  }

  #directoryOf(file: Searched): OpenDirectory {
    return this.#access.at(file instanceof TreeFile ? file.directory : parentLocation(file.location));
  }

  /** Reads a file into the text; false when it is no text, or grows while it is read. */
  #append(file: Searched, descriptor: number, size: number): boolean {
    // Room for a byte more than there should be, and for the end of a last line that has none.
    if (this.#block.length - this.#filled < size + 2) this.#startBlock();
    const start = this.#filled;
    let read = 0;
    while (read <= size) {
      const count = readSync(descriptor, this.#block, start + read, size + 1 - read, read);
      if (count === 0) break;
      read += count;
      if (read === size) break;
    }
    if (read > size) return false;
    if (read === 0) return true;
    if (this.#block[start] === 0xef && this.#block[start + 1] === 0xbb) return false;
    let end = start + read;
    if (this.#block[end - 1] !== newline) this.#block[end++] = newline;
    this.#joined.push(file);
    this.#starts.push(this.#size);
    this.#size += end - start;
    this.#filled = end;
    return true;
  }

  #startBlock(): void {
    this.#endBlock();
    this.#block = Buffer.allocUnsafeSlow(blockBytes);
    this.#firstOfBlock = this.#joined.length;
  }

  #endBlock(): void {
    if (this.#filled === 0) return;
    const block = this.#block.subarray(0, this.#filled);
    if (!isText(block)) this.#dropBinary(block);
    this.#full = block;
    this.#block = Buffer.alloc(0);
    this.#filled = 0;
  }

  /** Binary files are judged by other rules than lines of text, so empty lines take their place. */
  #dropBinary(block: Buffer): void {
    const offset = this.#starts[this.#firstOfBlock] ?? 0;
    for (let index = this.#firstOfBlock; index < this.#joined.length; index++) {
      const file = this.#joined[index];
      const start = (this.#starts[index] ?? 0) - offset;
      const text = block.subarray(start, (this.#starts[index + 1] ?? this.#size) - offset);
      if (file === undefined || isText(text)) continue;
      this.#apart.add(file);
      text.fill(newline);
    }
  }
}

function isText(bytes: Buffer): boolean {
  return !bytes.includes(0) && isUtf8(bytes);
}
