import { InterruptedError, OutputClosedError, UsageError } from "./errors.ts";
import { errorLine } from "./error-line.ts";
import { Interrupts } from "./interrupts.ts";
import { MisusedCommandError, parse } from "./parse.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** What a call of the command line may be given beside its arguments. */
export interface MainOptions {
  /** The streams of this process by default. */
  readonly terminal?: Terminal | undefined;
  /** How the caller passes Ctrl-C on; by default nobody does. */
  readonly interrupts?: Interrupts | undefined;
}

/**
 * Runs a command line and says how it ended; it never throws and never ends the process.
 *
 * @param args - The words behind `roboz`.
 * @returns The exit status: 0 done or help, 1 refused or failed, 2 wrong usage, 130 interrupted.
 */
export async function main(args: readonly string[], options: MainOptions = {}): Promise<number> {
  const { terminal = processTerminal(), interrupts = new Interrupts() } = options;
  try {
    const parsed = await parse(args, Math.min(terminal.output.columns ?? 80, 100));
    if (parsed.kind === "text") terminal.output.write(parsed.text);
    else await untilGivenUp(parsed.run({ terminal, interrupts }), interrupts.signal);
    return 0;
  } catch (error) {
    const { status, text } = report(reasonOf(error, interrupts.signal));
    terminal.errors.write(text);
    return status;
  }
}

/** How long a command that was told to end may take to put things in order. */
const graceMs = 500;

/** What the work gives; once it was given up, only for a moment more: loading a module cannot be ended, for one. */
function untilGivenUp(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject);
    const giveUp = (): void => {
      setTimeout(reject, graceMs, signal.reason);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}

/** What gave a command up is told by the signal, whatever the abandoned work made of it. */
function reasonOf(error: unknown, { aborted, reason }: AbortSignal): unknown {
  return aborted ? reason : error;
}

/** The one place where an error becomes an exit status and a text. */
function report(error: unknown): { readonly status: number; readonly text: string } {
  if (error instanceof InterruptedError) return { status: 130, text: "\nCancelled.\n" };
  if (error instanceof OutputClosedError) return { status: 1, text: "" };
  if (error instanceof MisusedCommandError) {
    const { usage } = error;
    const help = `${usage.replace(/ [<[].*/, "")} --help`;
    return { status: 2, text: `Usage: ${usage}\nError: ${errorLine(error)}; see \`${help}\`\n` };
  }
  return {
    status: error instanceof UsageError ? 2 : 1,
    text: `Error: ${errorLine(error)}\n${trace(error)}`,
  };
}

/** The stack, for whoever asks for it. */
function trace(error: unknown): string {
  const { ROBOZ_DEBUG: wanted = "" } = process.env;
  return wanted !== "" && error instanceof Error ? `${error.stack ?? ""}\n` : "";
}
