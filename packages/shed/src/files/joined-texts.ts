import { isUtf8 } from "node:buffer";
import { closeSync, readSync } from "node:fs";
import { systemSentence } from "./system-error.ts";

/** Larger files are handed on as they are: starting to read them costs little beside reading them. */
const largestText = 128 * 1024;
/** How much text is joined at once. */
export const mostJoinedBytes = 1024 * 1024;

const newline = 10;

/** A file that was opened for reading. */
export interface OpenedFile {
  readonly descriptor: number;
  readonly size: number;
  /** How many names it has. */
  readonly names: number;
}

/** Several files as one text, each ended by a line break. */
export interface JoinedTexts {
  /** How many of the files were taken, from the first on: at least one. */
  readonly taken: number;
  /** Empty when only files that hold some words were asked for. */
  readonly text: Uint8Array<ArrayBuffer>;
  /** The files of the text, or those that hold the words, by their places among those that were given. */
  readonly files: readonly number[];
  /** Where each file of the text begins in it. */
  readonly starts: readonly number[];
  /** Files that stand in no text: large, binary, or not to be read. */
  readonly apart: readonly number[];
  /** Whether one of the taken files has a second name where it must not. */
  readonly hasSecondName: boolean;
}

/**
 * Opens files one after the other, each of which is to be closed here, and reads them as one text, as far as there is
 * room for it. What goes wrong with a file is for whoever opens it by itself.
 *
 * @param options.space - Where the text is put together, {@link mostJoinedBytes} long.
 * @param options.open - Opens a file. What it throws that is no error of the operating system ends the work.
 * @param options.words - Only tells which files hold these words, which have no line break.
 */
export function joinTexts<File>(
  files: readonly File[],
  {
    space,
    open,
    words,
  }: {
    readonly space: Buffer;
    readonly open: (file: File) => OpenedFile;
    readonly words: string | undefined;
  },
): JoinedTexts {
  const joined = new Joined(space);
  let hasSecondName = false;
  let taken = 0;
  for (const file of files) {
    try {
      const { descriptor, size, names } = open(file);
      try {
        if (names > 1) hasSecondName = true;
        else if (size > largestText) joined.leaveApart(taken);
        else if (joined.hasRoomFor(size)) joined.append(taken, descriptor, size);
        else break;
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      if (systemSentence(error) === undefined) throw error;
      joined.leaveApart(taken);
    }
    taken++;
    if (hasSecondName) break;
  }
  return { taken, hasSecondName, ...(words === undefined ? joined.end() : joined.filesWith(words)) };
}

type JoinedFiles = Pick<JoinedTexts, "text" | "files" | "starts" | "apart">;

class Joined {
  readonly #space: Buffer;
  readonly #files: number[] = [];
  readonly #starts: number[] = [];
  readonly #apart: number[] = [];
  #filled = 0;

  constructor(space: Buffer) {
    this.#space = space;
  }

  leaveApart(file: number): void {
    this.#apart.push(file);
  }

  /** Room for a byte more than there should be, and for the end of a last line that has none. */
  hasRoomFor(size: number): boolean {
    return this.#space.length - this.#filled >= size + 2;
  }

  /** Reads a file into the text, if it is one, and does not grow while it is read. */
  append(file: number, descriptor: number, size: number): void {
    const space = this.#space;
    const start = this.#filled;
    let read = 0;
    while (read <= size) {
      const count = readSync(descriptor, space, start + read, size + 1 - read, read);
      if (count === 0) break;
      read += count;
      if (read === size) break;
    }
    if (read === 0) return;
    if (read > size || hasMark(space, start)) {
      this.leaveApart(file);
      return;
    }
    let end = start + read;
    if (space[end - 1] !== newline) space[end++] = newline;
    this.#files.push(file);
    this.#starts.push(start);
    this.#filled = end;
  }

  filesWith(words: string): JoinedFiles {
    const text = this.#space.subarray(0, this.#filled);
    const needle = Buffer.from(words);
    const files: number[] = [];
    for (
      let at = text.indexOf(needle), index = 0;
      at !== -1;
      at = text.indexOf(needle, this.#starts[index] ?? text.length)
    ) {
      while ((this.#starts[index + 1] ?? Number.POSITIVE_INFINITY) <= at) index += 1;
      const file = this.#files[index++];
      if (file !== undefined) files.push(file);
    }
    return { text: new Uint8Array(), files, starts: [], apart: this.#apart };
  }

  end(): JoinedFiles {
    const text = new Uint8Array(this.#filled);
    text.set(this.#space.subarray(0, this.#filled));
    if (!isText(text)) this.#dropBinary(text);
    return { text, files: this.#files, starts: this.#starts, apart: this.#apart };
  }

  /** Binary files are judged by other rules than lines of text, so empty lines take their place. */
  #dropBinary(text: Uint8Array): void {
    for (const [index, file] of this.#files.entries()) {
      const one = text.subarray(this.#starts[index], this.#starts[index + 1]);
      if (isText(one)) continue;
      this.leaveApart(file);
      one.fill(newline);
    }
  }
}

/** Whether a text begins with a byte order mark, of which programs make something else. */
function hasMark(bytes: Uint8Array, start: number): boolean {
  const [first, second] = [bytes[start], bytes[start + 1]];
  if (first === 0xef) return second === 0xbb;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function isText(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && isUtf8(bytes);
}
