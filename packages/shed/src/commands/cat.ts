import type { CommandDefinition } from "./command.ts";
import { inputChunks, inputFingerprint, inputNeeds, readerInputs, shownArguments } from "./inputs.ts";
import { Output } from "./output.ts";

/** `cat`: files one after the other. */
export const cat: CommandDefinition = {
  name: "cat",
  options: {
    options: [
      { key: "number", forms: ["-n", "--number"] },
      { key: "number-nonblank", forms: ["-b", "--number-nonblank"] },
      { key: "squeeze-blank", forms: ["-s", "--squeeze-blank"] },
      { key: "show-ends", forms: ["-E", "--show-ends"] },
      { key: "show-tabs", forms: ["-T", "--show-tabs"] },
    ],
  },
  async prepare(command, context) {
    const { options, operands } = command;
    const given = await readerInputs("cat", operands, context);
    const inputs = given.length === 0 ? [{ shown: "-", file: null }] : given;
    return {
      needs: inputNeeds(inputs),
      shown: shownArguments(command, given),
      fingerprint: () => inputFingerprint(inputs),
      async run(io) {
        const output = new Output("cat", io);
        const dress = options.size === 0 ? undefined : new LineDress(new Set(options.keys()));
        for (const input of inputs) {
          try {
            for await (const chunk of inputChunks({ access: context.access, io }, input)) {
              if (dress === undefined) output.add(chunk);
              else output.add(Buffer.from(dress.chunk(chunk.toString("latin1")), "latin1"));
              if (output.isDue) await output.flow();
            }
          } catch (error) {
            await output.complainAbout(input.shown, error);
          }
        }
        if (dress !== undefined) output.add(dress.end());
        await output.flush();
        return output.status;
      },
    };
  },
};

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
