import type { Output } from "./output.ts";
import type { SearchForm } from "./search-options.ts";

interface Layout {
  readonly form: SearchForm;
  readonly hasNames: boolean;
  readonly hasNumbers: boolean;
}

/** Which file each path that was handed to the program stands for. */
export type ShownNames = ReadonlyMap<string, string>;

const newline = 10;
const nul = 0;
const colon = 58;
const dash = 45;

/**
 * Puts what a search program writes into its final form. The program is always asked for names, ended by a NUL, and
 * for line numbers, so that nothing in a file can be taken for either.
 */
export class SearchOutput {
  readonly #layout: Layout;
  readonly #output: Output;
  readonly #names: ShownNames;
  #rest: Buffer = Buffer.alloc(0);
  /** Whether a line has begun to be written, and has not ended. */
  #isInLine = false;
  #waitsForMatch: boolean;
  hasOutput = false;

  /** @param needsSeparator - Whether a `--` is to come before the first line, because another process has written. */
  constructor(layout: Layout, output: Output, names: ShownNames, needsSeparator: boolean) {
    this.#layout = layout;
    this.#output = output;
    this.#names = names;
    this.#waitsForMatch = needsSeparator;
  }

  take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = this.#layout.form === "names" ? nul : newline;
    let start = this.#isInLine ? this.#goOn(bytes) : 0;
    for (let at = bytes.indexOf(end, start); at !== -1; at = bytes.indexOf(end, start)) {
      this.#record(bytes.subarray(start, at));
      start = at + 1;
    }
    const rest = bytes.subarray(start);
    this.#isInLine ||= this.#layout.form === "lines" && this.#begin(rest);
    this.#rest = this.#isInLine ? Buffer.alloc(0) : rest;
  }

  /** Writes more of a line that has begun, and says where it ends. */
  #goOn(bytes: Buffer): number {
    const at = bytes.indexOf(newline);
    this.#isInLine = at === -1;
    const end = at === -1 ? bytes.length : at + 1;
    this.#output.add(bytes.subarray(0, end));
    return end;
  }

  /** Writes the begin of a line, once it is known whose it is: a line may be as long as its file. */
  #begin(bytes: Buffer): boolean {
    const nameEnd = bytes.indexOf(nul);
    const shown = nameEnd === -1 ? undefined : this.#names.get(bytes.toString("latin1", 0, nameEnd));
    if (shown === undefined || numberEnd(bytes, nameEnd + 1) === bytes.length) return false;
    this.#line(shown, bytes.subarray(nameEnd + 1));
    return true;
  }

  #record(record: Buffer): void {
    if (this.#layout.form === "names") {
      const shown = this.#names.get(record.toString("latin1"));
      if (shown !== undefined) this.#write(`${shown}\n`);
      return;
    }
    if (record.length === 2 && record[0] === dash && record[1] === dash) {
      this.#write("--\n");
      return;
    }
    const nameEnd = record.indexOf(nul);
    const shown = nameEnd === -1 ? undefined : this.#names.get(record.toString("latin1", 0, nameEnd));
    if (shown === undefined) this.#message(record);
    else if (this.#layout.form === "counts") this.#count(shown, record.subarray(nameEnd + 1));
    else {
      this.#line(shown, record.subarray(nameEnd + 1));
      this.#output.add("\n");
    }
  }

  #line(shown: string, record: Buffer): void {
    const at = numberEnd(record, 0);
    const mark = record[at] === dash ? "-" : ":";
    const number = this.#layout.hasNumbers ? `${record.toString("latin1", 0, at)}${mark}` : "";
    this.#write(`${this.#layout.hasNames ? shown + mark : ""}${number}`);
    this.#output.add(record.subarray(at + 1));
  }

  #count(shown: string, record: Buffer): void {
    this.#write(`${this.#layout.hasNames ? `${shown}:` : ""}${record.toString("latin1")}\n`);
  }

  /** A line about a file, such as that it is binary: its name stands before a colon. */
  #message(record: Buffer): void {
    const nameEnd = record.indexOf(colon);
    const shown = nameEnd === -1 ? undefined : this.#names.get(record.toString("latin1", 0, nameEnd));
    if (shown === undefined) return;
    const text = record.toString("utf8", nameEnd + 1).trimStart();
    this.#write(this.#layout.hasNames ? `${shown}: ${text}\n` : `${text}\n`);
  }

  #write(text: string): void {
    if (this.#waitsForMatch) this.#output.add("--\n");
    this.#waitsForMatch = false;
    this.hasOutput = true;
    this.#output.add(text);
  }
}

/** Where a number ends that begins at a place. */
function numberEnd(bytes: Buffer, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte !== undefined && byte >= 48 && byte <= 57; byte = bytes[++at]);
  return at;
}
