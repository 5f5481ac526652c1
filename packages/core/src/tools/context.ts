import type { RunEvent } from "../runtime/events.ts";
import type { UserIo } from "../runtime/user-io.ts";
import type { Message } from "../values/message.ts";

/** How `once` treats an effect of which nobody knows whether it happened. */
export interface OnceOptions<T> {
  /** Finds out whether the effect happened; undefined stands for "it did not". */
  readonly verify?: (idempotencyKey: string) => T | undefined | Promise<T | undefined>;
  /** `"throw"` (the default) reports it; `"repeat"` calls the function again with the same key. */
  readonly onUncertain?: "throw" | "repeat";
}

/** What a tool's `run` gets beside its input. */
export interface ToolContext {
  /** The run's conversation: live and read-only. */
  readonly messages: readonly Message[];
  /** Fires when the run is cancelled or the tool's time is over. */
  readonly signal: AbortSignal;
  /** Asks and notifies the user. */
  readonly io: UserIo;
  /** The run this call belongs to; undefined when a tool is called alone. */
  readonly runId?: string | undefined;
  /**
   * How many steps the run had finished when this one began; undefined when a tool is called alone. It is the same when a resumed
   * run takes the step again, so that it makes a key of `once` for each call.
   */
  readonly step?: number | undefined;
  /**
   * Does an effect once: the result is recorded under `key`, and a resumed run gets the recorded one.
   *
   * @param key - Unique within the run.
   * @param effect - Gets an idempotency key that is the same at every attempt.
   */
  readonly once: <T>(
    key: string,
    effect: (idempotencyKey: string) => T | Promise<T>,
    options?: OnceOptions<T>,
  ) => Promise<T>;
  /** Sends an event to the run's sinks, such as a script's output. */
  readonly emit: (event: ToolEvent) => void;
  /**
   * Replaces a range of the conversation when the step finishes; the only way to change history. A call that fails
   * changes nothing.
   *
   * @param range - Positions in `messages` as they are during the step; `to` is not part of it. Ranges of one step
   * must not overlap.
   * @throws {@link HistoryChangeError} (`core/history-change`) for a range that is not within the messages, or
   * overlaps another, and when the step is over; {@link MessageError} (`core/message`) for what is no message.
   */
  readonly replaceMessages: (
    range: { readonly from: number; readonly to: number },
    messages: readonly Message[],
  ) => void;
}

/** What this package's own tools keep in a run's state, under keys of their own; in snapshots and journals too. */
export interface RunNotes {
  /** What was written last under a key; undefined for nothing. */
  readonly read: (key: string) => unknown;
  /** Keeps plain data, in place of what the key had. */
  readonly write: (key: string, note: unknown) => Promise<void>;
}

/** Where the context of a run's tool has the run's notes. */
export const notesKey: unique symbol = Symbol.for("@roboz/core/run-notes");

/** The notes of the run that a context belongs to; undefined outside of any. */
export function notesOf(context: ToolContext): RunNotes | undefined {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the key stands on the contexts of runs alone
  return Reflect.get(context, notesKey) as RunNotes | undefined;
}

/** What a tool may send to the run's sinks; the run adds sequence and names. */
export type ToolEvent =
  | { readonly type: "script-output"; readonly content: string }
  | {
      readonly type: "runtime";
      readonly kind: Extract<RunEvent, { type: "runtime" }>["kind"];
      readonly level: "debug" | "info" | "warning" | "error";
      readonly message: string;
      readonly data?: Readonly<Record<string, unknown>>;
    };
