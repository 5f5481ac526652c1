import type { PendingRequest, RunSnapshot, StoredValue, GraphFingerprint } from "../../agent/snapshot.ts";
import type { RepeatState } from "../../agent/repeats.ts";
import type { Counts } from "../../agent/tally.ts";
import type { Message } from "../../values/message.ts";
import type { RunStatus, RuntimeEvent } from "../events.ts";
import type { JournalOutside } from "./outside.ts";

/** What every record carries. */
interface Stamped {
  /** Rises by one with every record of a run, from 1. */
  readonly sequence: number;
  /** When it was written: UTC, milliseconds, `Z`. */
  readonly at: string;
}

/** A run was opened, for the first time: what it started from. */
export interface OpenedRecord extends Stamped {
  readonly type: "opened";
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly agentName: string;
  readonly agentDescription: string;
  readonly fingerprint: GraphFingerprint;
  readonly input: StoredValue;
  /** The snapshot that the run was resumed or forked from; null for a run from its beginning. */
  readonly base: RunSnapshot | null;
  /** The run whose tool started this one; null for a run of its own. */
  readonly parentRunId: string | null;
  readonly parentAgentName: string | null;
}

/** A run was opened again, by whoever resumed it. */
export interface ResumedRecord extends Stamped {
  readonly type: "resumed";
}

/** A message as it was reported; a repair message is no part of the conversation. */
export interface JournalMessage {
  /** Its event's sequence number. */
  readonly event: number;
  readonly at: string;
  readonly message: Message;
  readonly isRepair?: true | undefined;
}

/** A runtime event as it was reported. */
export type JournalEvent = Pick<RuntimeEvent, "category" | "kind" | "level" | "message" | "data"> & {
  readonly event: number;
  readonly at: string;
};

/** A change of history that a tool asked for. */
export interface JournalReplacement {
  readonly from: number;
  readonly to: number;
  readonly messages: readonly Message[];
}

/** A step was finished: what it added, and where the run then stood. */
export interface StepRecord extends Stamped {
  readonly type: "step";
  /** Changes of history; they come before the messages. */
  readonly replacements: readonly JournalReplacement[];
  readonly messages: readonly JournalMessage[];
  readonly events: readonly JournalEvent[];
  /** What reached the step from outside; left out for nothing. */
  readonly outside?: readonly JournalOutside[] | undefined;
  readonly position: RunSnapshot["position"];
  readonly pending: PendingRequest | null;
  /** The skills loaded by then; left out for none. */
  readonly skills?: readonly string[] | undefined;
  readonly counts: Counts;
  readonly repeats: RepeatState;
  readonly showings: Readonly<Record<string, number>>;
}

/** An effect is about to be done once. */
export interface OnceIntentRecord extends Stamped {
  readonly type: "once-intent";
  readonly key: string;
}

/** An effect was done, with this result. */
export interface OnceResultRecord extends Stamped {
  readonly type: "once-result";
  readonly key: string;
  readonly result: unknown;
}

/** An effect said itself that it failed: the next call is a new attempt. */
export interface OnceFailedRecord extends Stamped {
  readonly type: "once-failed";
  readonly key: string;
}

/** A stretch of the run ended. */
export interface EndedRecord extends Stamped {
  readonly type: "ended";
  readonly status: RunStatus;
  /** The kind of error of a failed run; its text may hold what a journal must not. */
  readonly errorType?: string | undefined;
  /** What a step that was not finished had reported; no part of the conversation. Left out when there is none. */
  readonly messages?: readonly JournalMessage[] | undefined;
  /** What had reached such a step; left out for nothing. */
  readonly outside?: readonly JournalOutside[] | undefined;
  readonly events: readonly JournalEvent[];
  /** The sequence number of the stretch's last event, recorded or not; the next stretch's follow it. */
  readonly lastEvent: number;
}

/** One entry of a run's journal. */
export type JournalRecord =
  | OpenedRecord
  | ResumedRecord
  | StepRecord
  | OnceIntentRecord
  | OnceResultRecord
  | OnceFailedRecord
  | EndedRecord;
