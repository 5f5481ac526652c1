import { UserInputUnavailableError } from "../errors.ts";
import { Str } from "../values/builtin.ts";
import { lineReaderOf, type LineSource } from "./line-reader.ts";
import { printable } from "./sinks/printable.ts";
import { textOutputOf, type TextStream } from "./text-output.ts";
import type { AskOptions, UserIo } from "./user-io.ts";
import { waitForAnswer } from "./wait-for-answer.ts";

/** The two ends of {@link cliUserIo}. */
export interface CliUserIoOptions {
  /** The standard input by default. */
  readonly input?: LineSource | undefined;
  /** The standard output by default. */
  readonly output?: TextStream | undefined;
}

const outputIsGone =
  "Nobody reads the output any more, so nobody can be asked; pass another channel as `io` to the run";
const endOfInput = "The input has ended, so nobody can be asked; pass another channel as `io` to the run";

/**
 * A channel to the person at the terminal, or to lines that are piped in: prints a question, reads one line. Questions
 * that are asked at once are put one after another. Input is only read while a question waits, so an idle channel never
 * keeps the process alive. What {@link cliSink} has just printed on the same stream is not printed again.
 *
 * At the end of input, and when nobody reads the output any more, a question is refused with
 * {@link UserInputUnavailableError} (`core/user-input-unavailable`), and from then on the channel is not live.
 */
export function cliUserIo({ input = process.stdin, output = process.stdout }: CliUserIoOptions = {}): UserIo {
  const reader = lineReaderOf(input);
  const printed = textOutputOf(output);
  const print = (text: string): void => {
    if (printed.justShowed(text)) printed.endLine();
    else printed.lines(printable(text));
  };
  /** Undefined when the time was over, null at the end of input. */
  const readLine = async (options: AskOptions): Promise<string | null | undefined> => {
    let line: string | null | undefined;
    try {
      line = (await waitForAnswer(async (signal) => ({ line: await reader.next(signal) }), options))?.line;
      return line;
    } finally {
      // A terminal has shown the line that was typed; anything else leaves the cursor behind the question.
      if (input.isTTY !== true || typeof line !== "string") printed.piece(`${printable(line ?? "")}\n`);
      else printed.typed();
    }
  };
  return {
    get isLive() {
      return !reader.isAtEnd && !printed.isGone;
    },
    ask: async (question, options = {}) => {
      const done = await reader.turn(options.signal);
      try {
        if (reader.isAtEnd) throw new UserInputUnavailableError(endOfInput);
        print(question);
        printed.piece("> ");
        if (printed.isGone) throw new UserInputUnavailableError(outputIsGone);
        const line = await readLine(options);
        if (line === null) throw new UserInputUnavailableError(endOfInput);
        return line === undefined ? null : Str({ value: line });
      } finally {
        done();
      }
    },
    notify: print,
  };
}
