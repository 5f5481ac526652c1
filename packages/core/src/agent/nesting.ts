import type { EventSink, RunEvent } from "../runtime/events.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import type { notesKey, RunNotes, ToolContext } from "../tools/context.ts";
import type { RunReport } from "./outcome.ts";
import type { RunState } from "./run-state.ts";

/** How deep agents may call agents. */
export const maxDepth = 8;

/** The run that calls an agent as a tool, as the called run knows it. */
export interface ParentRun {
  readonly runId: string;
  readonly agentName: string;
  /** 1 for a run of its own, one more for each run that called another. */
  readonly depth: number;
  /** Where the parent keeps its journal; the child keeps its own there too. */
  readonly journal: JournalStore | undefined;
  /** Delivers the child's events to whoever hears the parent's. */
  readonly forward: EventSink;
  /** Adds what a child did to what the parent did. */
  readonly count: (child: RunReport, before: RunReport | undefined) => void;
  /** An id for the next child: the same when the step is run again. */
  readonly nextChildId: () => string;
}

/** What a run is to the runs of the agents that are its tools. */
export class ParentOf implements ParentRun {
  readonly depth: number;
  readonly journal: JournalStore | undefined;
  readonly #state: RunState;
  readonly #pipe: EventPipe;
  #step = -1;
  #children = 0;

  constructor(state: RunState, pipe: EventPipe, { depth, journal }: Pick<ParentRun, "depth" | "journal">) {
    this.#state = state;
    this.#pipe = pipe;
    this.depth = depth;
    this.journal = journal;
  }

  get runId(): string {
    return this.#state.runId;
  }

  get agentName(): string {
    return this.#pipe.agentName;
  }

  readonly forward: EventSink = Object.assign(
    (event: RunEvent): void => {
      this.#pipe.forward(event);
    },
    {
      settle: async (runId: string): Promise<void> => {
        if (this.#pipe.hasSettling) await this.#pipe.settle(runId);
      },
    },
  );

  readonly count = (child: RunReport, before: RunReport | undefined): void => {
    this.#state.tally.add(child, before);
  };

  readonly nextChildId = (): string => {
    const step = this.#state.tally.steps + 1;
    this.#children = this.#step === step ? this.#children + 1 : 1;
    this.#step = step;
    return `${this.runId}.${step}${this.#children === 1 ? "" : `-${this.#children}`}`;
  };
}

/** Where a tool's context tells the run it belongs to. */
export const parentKey: unique symbol = Symbol.for("@roboz/core/parent-run");

/** The context of a tool that runs within a run. */
export interface RunToolContext extends ToolContext {
  readonly [parentKey]: ParentRun;
  readonly [notesKey]: RunNotes;
}

/** The run that a context belongs to; undefined outside of any. */
export function parentOf(context: ToolContext): ParentRun | undefined {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the key stands on the contexts of runs alone
  return Reflect.get(context, parentKey) as ParentRun | undefined;
}
