import { StringDecoder } from "node:string_decoder";

import { InterruptedError, PromptError } from "./errors.ts";
import type { Terminal } from "./terminal.ts";

/** What a key does while a hidden reply is typed. */
const keys = {
  enter: new Set(["\r", "\n"]),
  interrupt: "\u0003",
  endOfInput: "\u0004",
  erase: new Set(["\b", "\u007f"]),
  eraseLine: "\u0015",
} as const;

/** An arrow or another key that a terminal sends as several characters. */
// eslint-disable-next-line no-control-regex -- escape sequences begin with a control character
const escapeSequence = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])/;
// eslint-disable-next-line no-control-regex -- the same, not all there yet
const escapeBeginning = /^\u001b(?:\[[0-?]*[ -/]*|O)?$/;

/**
 * Asks at the terminal, one question after the other, without showing what is typed.
 *
 * @returns The replies, in the order of the questions.
 * @throws {@link PromptError} (`cli/prompt`) when there is no terminal or the input ends; {@link InterruptedError}
 * (`cli/interrupted`) for Ctrl-C. Echo is restored in every case.
 */
export async function askHidden(
  { input, errors }: Terminal,
  questions: readonly string[],
): Promise<readonly string[]> {
  if (input.isTTY !== true || input.setRawMode === undefined) throw new PromptError({ fault: "no-terminal" });
  const typed = new TypedText(input);
  input.setRawMode(true);
  try {
    const replies: string[] = [];
    for (const question of questions) {
      errors.write(question);
      replies.push(await reply(typed));
      errors.write("\n");
    }
    // Pressed before the terminal made a signal of it again.
    if (typed.rest.includes(keys.interrupt)) throw new InterruptedError();
    return replies;
  } finally {
    input.setRawMode(false);
    typed.close();
  }
}

async function reply(typed: TypedText): Promise<string> {
  // By character, not by UTF-16 unit: erasing takes a whole one.
  const characters: string[] = [];
  for (;;) {
    const key = await typed.next();
    if (key === undefined) throw new PromptError({ fault: "input-ended" });
    if (keys.enter.has(key)) return characters.join("");
    if (key === keys.interrupt) throw new InterruptedError();
    if (key === keys.endOfInput) {
      if (characters.length === 0) throw new PromptError({ fault: "input-ended" });
    } else if (keys.erase.has(key)) characters.pop();
    else if (key === keys.eraseLine) characters.length = 0;
    else if (key >= " ") characters.push(key);
  }
}

/** Keys as they are typed; what comes in one piece, as a pasted text does, waits for the next question. */
class TypedText {
  readonly #input: Terminal["input"];
  readonly #decoder = new StringDecoder("utf8");
  #text = "";
  #hasEnded = false;
  #wake: () => void = () => undefined;

  constructor(input: Terminal["input"]) {
    this.#input = input;
    input.on("data", this.#read);
    for (const event of ["end", "close", "error"] as const) input.on(event, this.#end);
    input.resume();
  }

  /** The next character; undefined when the input ended. */
  async next(): Promise<string | undefined> {
    for (;;) {
      this.#text = this.#text.replace(escapeSequence, "");
      const isWaiting = this.#text === "" || (escapeBeginning.test(this.#text) && !this.#hasEnded);
      if (!isWaiting) break;
      if (this.#hasEnded) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const [key = ""] = this.#text;
    this.#text = this.#text.slice(key.length);
    return key;
  }

  /** What was typed and not asked for. */
  get rest(): string {
    return this.#text;
  }

  close(): void {
    this.#input.pause();
    this.#input.off("data", this.#read);
    for (const event of ["end", "close", "error"] as const) this.#input.off(event, this.#end);
  }

  readonly #read = (chunk: unknown): void => {
    this.#text += chunk instanceof Uint8Array ? this.#decoder.write(Buffer.from(chunk)) : String(chunk);
    this.#wake();
  };

  readonly #end = (): void => {
    this.#hasEnded = true;
    this.#wake();
  };
}
