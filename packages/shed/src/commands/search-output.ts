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
    let start = 0;
    for (let at = bytes.indexOf(end, start); at !== -1; at = bytes.indexOf(end, start)) {
      this.#record(bytes.subarray(start, at));
      start = at + 1;
    }
    this.#rest = bytes.subarray(start);
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
    else this.#line(shown, record.subarray(nameEnd + 1));
  }

  #line(shown: string, record: Buffer): void {
    let at = 0;
    while ((record[at] ?? 0) >= 48 && (record[at] ?? 0) <= 57) at++;
    const mark = record[at] === dash ? "-" : ":";
    const number = this.#layout.hasNumbers ? `${record.toString("latin1", 0, at)}${mark}` : "";
    this.#write(`${this.#layout.hasNames ? shown + mark : ""}${number}`);
    this.#output.add(record.subarray(at + 1));
    this.#output.add("\n");
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
