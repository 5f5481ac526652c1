import type { Message } from "../values/message.ts";

/** How a run ended, as events and documents say it. */
export type RunStatus = "completed" | "failed" | "cancelled" | "suspended";

/** What every event of a run carries. */
interface Stamped {
  /** Rises by one with every event of a run, from 1. */
  readonly sequence: number;
  readonly runId: string;
  readonly agentName: string;
}

/** A run began or ended. */
export interface RunLifecycleEvent extends Stamped {
  readonly type: "run-lifecycle";
  readonly kind: "started" | "stopped";
  readonly agentDescription: string;
  /** The agent that called this one; null for a run of its own. */
  readonly parentAgentName: string | null;
  /** The run of that agent; left out for a run of its own. */
  readonly parentRunId?: string | undefined;
  /** Only when stopped. */
  readonly status?: RunStatus | undefined;
  /** Only when failed: the class of the error, never its text. */
  readonly errorType?: string | undefined;
  readonly apiName?: string | undefined;
  readonly modelName?: string | undefined;
  readonly maxContextTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly outputFormat?: string | undefined;
}

/** A message was added to the conversation, complete. */
export interface MessageEvent extends Stamped {
  readonly type: "message";
  readonly message: Message;
  /** The stream it was delivered under, if it was. */
  readonly messageId?: string | undefined;
}

/** A piece of a message that is still being produced. */
export interface MessageDeltaEvent extends Stamped {
  readonly type: "message-delta";
  readonly messageId: string;
  readonly delta: string;
  /** From 1 within one stream. */
  readonly chunkIndex: number;
  readonly role: "assistant";
}

/** Output of a script that a tool runs. */
export interface ScriptOutputEvent extends Stamped {
  readonly type: "script-output";
  readonly content: string;
}

export type RuntimeEventKind =
  "started" | "retrying" | "succeeded" | "failed" | "timed_out" | "cancelled" | "interrupted";
export type EventLevel = "debug" | "info" | "warning" | "error";

/** Something about how the run works: identifiers and numbers, never prompts, replies or secrets. */
export interface RuntimeEvent extends Stamped {
  readonly type: "runtime";
  readonly category: "llm" | "tool" | "run";
  readonly kind: RuntimeEventKind;
  readonly level: EventLevel;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Everything a run tells its sinks. */
export type RunEvent =
  RunLifecycleEvent | MessageEvent | MessageDeltaEvent | ScriptOutputEvent | RuntimeEvent;

/** Receives a run's events, in order, synchronously. Most sinks are a function and nothing more. */
export interface EventSink {
  (event: RunEvent): void;
  /**
   * Called when a run that the sink heard of has ended and its journal is closed. The run's result waits for it; what it
   * fails with is the sink's failure.
   */
  readonly settle?: ((runId: string) => Promise<void>) | undefined;
  /** Where the sink keeps what it persists, if it does. */
  readonly dataPath?: string | undefined;
  /**
   * Whether what it is told reaches anybody now; left out by a sink that always listens.
   *
   * @internal
   */
  readonly isListening?: (() => boolean) | undefined;
}
