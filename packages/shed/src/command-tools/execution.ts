import { CommandRefusal, type PreparedCommand } from "../commands/command.ts";
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
  | { readonly type: "too-large" }
  | { readonly type: "failed"; readonly error: unknown };

/** What a run gets and may do. */
export interface ExecutionOptions {
  readonly stdin: AsyncIterable<Uint8Array> | null;
  readonly isPiped: boolean;
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
  { stdin, isPiped, mayRead, signal, timeoutMs, spoolLimits }: ExecutionOptions,
): Promise<Outcome> {
  signal.throwIfAborted();
  const output = new CapturedOutput();
  const spool = isPiped ? new Spool(spoolLimits) : undefined;
  const time = new AbortController();
  const timer = setTimeout(() => {
    time.abort(new DOMException("The command took too long", "TimeoutError"));
  }, timeoutMs);
  let joined: AbortSignal | undefined;
  let leftOut = 0;
  let isGivenUp = true;
  try {
    const status = await prepared.run({
      stdin,
      stdout: spool ?? output.sink("stdout"),
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
    const { stdout, stderr } = output.texts();
    isGivenUp = false;
    return { type: "done", status, stdout: isPiped ? null : stdout, stderr, leftOut, spool };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof OutputTooLarge) return { type: "too-large" };
    if (error instanceof CommandRefusal) return { type: "refused", refusal: error };
    return time.signal.aborted ? { type: "timed-out" } : { type: "failed", error };
  } finally {
    clearTimeout(timer);
    if (isGivenUp) spool?.dispose();
  }
}
