import type { EventSink } from "../runtime/events.ts";
import type { JournalHandle, JournalStore } from "../runtime/journal/store.ts";
import type { UserIo } from "../runtime/user-io.ts";
import type { CompiledAgent } from "./compiled.ts";
import type { Limits } from "./limits.ts";
import type { ParentRun } from "./nesting.ts";
import type { RunReplay } from "./run-replay.ts";
import type { RunState } from "./run-state.ts";
import type { ToolStart } from "./settings.ts";
import type { RunSnapshot } from "./snapshot.ts";

/** What a run is made with. */
export interface RunParts<Output> {
  readonly agent: CompiledAgent;
  readonly state: RunState;
  readonly isOutput: (candidate: unknown) => candidate is Output;
  readonly io: UserIo;
  /** The channel that the host gave, for agents that are tools; `io` is none where this run may not ask. */
  readonly hostIo?: UserIo | undefined;
  /** The reply that the state waits for, with the key of the tool that asked. */
  readonly reply?: { readonly tool: string; readonly value: unknown } | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly sinks?: readonly EventSink[] | undefined;
  readonly limits?: Limits | undefined;
  /** Told of each tool before it runs. */
  readonly beforeTool?: ((call: ToolStart) => void | Promise<void>) | undefined;
  /** Where the run's steps are written; none keeps them in memory alone. */
  readonly journal?: RunJournal | undefined;
  /** Where the runs of agents that are tools keep theirs. */
  readonly store?: JournalStore | undefined;
  /** The run whose tool this one is. */
  readonly parent?: ParentRun | undefined;
  /** Whether the host lets agents that are tools go on although they have changed. */
  readonly allowChanged?: boolean | undefined;
  /** What stands in for the surroundings of a run that is played again. */
  readonly replay?: RunReplay | undefined;
  /** What the parent has left to spend. */
  readonly ceiling?: Limits | undefined;
}

/** A run's journal: how to hold it, and what it holds already. */
export interface RunJournal {
  readonly open: () => Promise<JournalHandle>;
  /** What a new journal starts from, when that is not the run's beginning. */
  readonly base: RunSnapshot | null;
  /** The sequence number of the last record; 0 for a new journal. */
  readonly sequence: number;
  /** The sequence number of the last event; 0 for a new journal. */
  readonly eventSequence: number;
}
