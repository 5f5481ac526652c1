import { inputChunks } from "./inputs.ts";
import { readerCommand } from "./reader.ts";

/** `cat`: files one after the other. */
export const cat = readerCommand({
  name: "cat",
  unnamed: "-",
  options: {
    options: [
      { key: "number", forms: ["-n", "--number"] },
      { key: "number-nonblank", forms: ["-b", "--number-nonblank"] },
      { key: "squeeze-blank", forms: ["-s", "--squeeze-blank"] },
      { key: "show-ends", forms: ["-E", "--show-ends"] },
      { key: "show-tabs", forms: ["-T", "--show-tabs"] },
    ],
  },
  async show({ options, output, each, ...source }) {
    const dress = options.size === 0 ? undefined : new LineDress(new Set(options.keys()));
    await each(async (input) => {
      for await (const chunk of inputChunks(source, input)) {
        const isPlain = dress === undefined;
        await output.pass(isPlain ? chunk : Buffer.from(dress.chunk(chunk.toString("latin1")), "latin1"));
      }
    });
    if (dress !== undefined) output.add(dress.end());
  },
});

/** Numbers lines, squeezes empty ones and shows what cannot be seen; lines go on across chunks and files. */
class LineDress {
  readonly #wanted: ReadonlySet<string>;
  #isAtStart = true;
  #emptyLines = 0;
  #number = 0;
  #heldReturn = "";

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  chunk(bytes: string): string {
    const lines = (this.#heldReturn + bytes).split("\n");
    this.#heldReturn = "";
    let dressed = "";
    const last = lines.length - 1;
    for (const [index, line] of lines.entries()) {
      if (index < last) dressed += this.#line(line, true);
      else if (line !== "") dressed += this.#unfinished(line);
    }
    return dressed;
  }

  end(): string {
    return this.#heldReturn;
  }

  /** A return at the end of a chunk may turn out to end its line. */
  #unfinished(line: string): string {
    if (!this.#wanted.has("show-ends") || !line.endsWith("\r")) return this.#line(line, false);
    this.#heldReturn = "\r";
    return line.length === 1 ? "" : this.#line(line.slice(0, -1), false);
  }

  #line(line: string, isWhole: boolean): string {
    const isEmpty = this.#isAtStart && line === "";
    this.#emptyLines = isEmpty ? this.#emptyLines + 1 : 0;
    if (isEmpty && this.#emptyLines > 1 && this.#wanted.has("squeeze-blank")) return "";
    let dressed = "";
    if (this.#isAtStart && this.#isNumbered(isEmpty)) dressed = `${String(++this.#number).padStart(6)}\t`;
    dressed += this.#wanted.has("show-tabs") ? line.replaceAll("\t", "^I") : line;
    this.#isAtStart = isWhole;
    if (!isWhole) return dressed;
    if (!this.#wanted.has("show-ends")) return `${dressed}\n`;
    return line.endsWith("\r") ? `${dressed.slice(0, -1)}^M$\n` : `${dressed}$\n`;
  }

  #isNumbered(isEmpty: boolean): boolean {
    return this.#wanted.has("number-nonblank") ? !isEmpty : this.#wanted.has("number");
  }
}
