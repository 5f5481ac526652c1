import { CommandRefusal, type ByteSink, type PreparedCommand } from "../commands/command.ts";
import { CapturedOutput } from "../language/captured-output.ts";
import { OutputTooLarge, Spool, type SpoolLimits } from "../language/spool.ts";

/** How a command's run came out. */
export type Outcome =
  | {
      readonly type: "done";
      readonly status: number;
      /** Null when it was piped. */
      readonly stdout: string | null;
      readonly stderr: string;
      readonly leftOut: number;
      /** What it wrote for the next command. */
      readonly spool: Spool | undefined;
    }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }
  | { readonly type: "timed-out" }
  /** `status` is null when it was stopped for that. */
  | { readonly type: "too-large"; readonly status: number | null }
  | { readonly type: "failed"; readonly error: unknown };

/** What a run gets and may do. */
export interface ExecutionOptions {
  readonly stdin: AsyncIterable<Uint8Array> | null;
  readonly isPiped: boolean;
  /** It changes files: what it says decides nothing about what it does, so that it is not stopped for saying too much. */
  readonly runsToEnd: boolean;
  readonly mayRead: (location: string) => boolean;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly spoolLimits: SpoolLimits;
}

/**
 * Runs a prepared command within its limits.
 *
 * @throws The signal's reason when the whole run was cancelled.
 */
export async function execute(
  prepared: PreparedCommand,
  { stdin, isPiped, runsToEnd, mayRead, signal, timeoutMs, spoolLimits }: ExecutionOptions,
): Promise<Outcome> {
  signal.throwIfAborted();
  const output = new CapturedOutput({ runsToEnd });
  const spool = isPiped ? new Spool(spoolLimits) : undefined;
  const piped = spool === undefined || !runsToEnd ? spool : new LastingSpool(spool);
  const stdout = piped ?? output.sink("stdout");
  const time = new AbortController();
  const timer = setTimeout(() => {
    time.abort(new DOMException("The command took too long", "TimeoutError"));
  }, timeoutMs);
  let joined: AbortSignal | undefined;
  let leftOut = 0;
  let ended: number | null = null;
  let isGivenUp = true;
  try {
    const status = await prepared.run({
      stdin,
      stdout,
      stderr: output.sink("stderr"),
      // Small commands never look at it, and joining signals takes as long as reading a small file.
      get signal() {
        return (joined ??= AbortSignal.any([signal, time.signal]));
      },
      mayRead,
      leftOut: (count) => {
        leftOut += count;
      },
    });
    signal.throwIfAborted();
    if (runsToEnd) ended = status;
    if (piped instanceof LastingSpool && piped.isOver) throw new OutputTooLarge();
    const shown = output.texts();
    isGivenUp = false;
    return { type: "done", status, ...shown, stdout: isPiped ? null : shown.stdout, leftOut, spool };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutputTooLarge) return { type: "too-large", status: ended };
    if (error instanceof CommandRefusal) return { type: "refused", refusal: error };
    return time.signal.aborted ? { type: "timed-out" } : { type: "failed", error };
  } finally {
    clearTimeout(timer);
    if (isGivenUp) spool?.dispose();
  }
}

/** Drops what is over the limit of a spool, so that the command that writes goes on. */
class LastingSpool implements ByteSink {
  readonly #spool: Spool;
  isOver = false;

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  write(bytes: Uint8Array): void {
    if (this.isOver) return;
    try {
      this.#spool.write(bytes);
    } catch (error) {
      if (!(error instanceof OutputTooLarge)) throw error;
      this.isOver = true;
    }
  }
}
