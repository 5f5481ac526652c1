import type { Message } from "../values/message.ts";
import type { Metadata } from "../values/metadata.ts";
import type { RepeatState } from "./repeats.ts";
import type { Counts } from "./tally.ts";

/** A value at rest: its kind, its fields, and what travels beside them. */
export interface StoredValue {
  readonly kind: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly meta?: Metadata | undefined;
}

/** Each tool by its key in the graph, with a digest of its contract and links. */
export type GraphFingerprint = Readonly<Record<string, string>>;

/** Who led a run to a tool. */
export type ChosenBy = "model" | "chain" | "tool" | "default";

/** What a run waits for. */
export interface PendingRequest {
  /** The tool that asked, by key. */
  readonly tool: string;
  readonly request: unknown;
  /** What the tool needs besides the reply; undefined for most. */
  readonly state?: unknown;
  readonly chosenBy: ChosenBy;
  /** True when the run itself asked, after a failed or interrupted model call. */
  readonly isRecovery: boolean;
}

/** An effect of `once`: done, with its result, or begun and not known to have ended. */
export type OnceEntry = { readonly isDone: true; readonly result?: unknown } | { readonly isDone: false };

/** A run's state as plain JSON: whoever has the same agent can go on from it. */
export interface RunSnapshot {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly agentName: string;
  readonly fingerprint: GraphFingerprint;
  /** False until the first step has put the opening messages. */
  readonly isStarted: boolean;
  /** The skills loaded, in the order of loading. */
  readonly skills: readonly string[];
  readonly messages: readonly Message[];
  /** How often the model was shown the messages whose policy counts that, by position. */
  readonly showings: Readonly<Record<string, number>>;
  readonly position: {
    /** The tool that ran last, by key; null at the start and after a recovery. */
    readonly lastTool: string | null;
    /** What the next step starts from. */
    readonly output: StoredValue;
    readonly chosenBy: ChosenBy;
    /** The defaults left in this cycle, by key. */
    readonly queue: readonly string[];
    /** Calls of the model's last reply that have not run yet. */
    readonly calls: readonly StoredValue[];
  };
  /** The question the run waits with; null when it can simply go on. */
  readonly pending: PendingRequest | null;
  readonly counts: Counts;
  readonly repeats: RepeatState;
  /** The effects of `once`, by key. */
  readonly once: Readonly<Record<string, OnceEntry>>;
}
