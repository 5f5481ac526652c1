import type { EventSink, RunEvent } from "../runtime/events.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import type { notesKey, RunNotes, ToolContext } from "../tools/context.ts";
import type { UserIo } from "../runtime/user-io.ts";
import type { EffectiveLimits, Limits } from "./limits.ts";
import type { RunReport } from "./outcome.ts";
import type { RunReplay } from "./run-replay.ts";
import type { RunAccess } from "./run-access.ts";
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
  /** Whether the host lets runs go on that agents have changed since. */
  readonly allowChanged: boolean;
  /** What the host gave as the user's channel; a child that asks asks there, also where the parent does not. */
  readonly io: UserIo | undefined;
  /** What stands in for the surroundings of a run that is played again; none for every other run. */
  readonly replay: RunReplay | undefined;
  /** The run itself, for this package's own tools. */
  readonly access: RunAccess;
  /** Delivers the child's events to whoever hears the parent's. */
  readonly forward: EventSink;
  /**
   * Adds what a child does to what the parent does: when the function returned is called, or when the parent ends before.
   *
   * @param before - What was counted of the child in an earlier stretch.
   */
  readonly count: (child: { readonly report: RunReport }, before: RunReport | undefined) => () => void;
  /** An id for the next child: the same when the step is run again. */
  readonly nextChildId: () => string;
  /** What a child may spend of what the parent may: `before` is what the parent has counted of it already. */
  readonly left: (before: RunReport | undefined) => Limits;
  /** Interrupts a child in place of the parent; the function returned ends that. */
  readonly passInterrupts: (interruptChild: () => void) => () => void;
}

/** What a parent is made of. */
interface ParentParts extends Pick<ParentRun, "depth" | "journal" | "io" | "allowChanged" | "replay"> {
  readonly state: RunState;
  readonly pipe: EventPipe;
  readonly limits: EffectiveLimits;
}

/** What a run is to the runs of the agents that are its tools. */
export class ParentOf implements ParentRun {
  readonly depth: number;
  readonly journal: JournalStore | undefined;
  readonly io: UserIo | undefined;
  readonly allowChanged: boolean;
  readonly replay: RunReplay | undefined;
  readonly access: RunAccess;
  readonly #state: RunState;
  readonly #pipe: EventPipe;
  readonly #limits: EffectiveLimits;
  readonly #running = new Set<() => void>();
  #step = -1;
  #children = 0;

  constructor({ state, pipe, limits, depth, journal, io, allowChanged, replay }: ParentParts) {
    this.#state = state;
    this.#pipe = pipe;
    this.#limits = limits;
    this.access = { state, pipe, limits };
    this.depth = depth;
    this.journal = journal;
    this.io = io;
    this.allowChanged = allowChanged;
    this.replay = replay;
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
      isListening: (): boolean => this.#pipe.isListening,
      settle: async (runId: string): Promise<void> => {
        if (this.#pipe.hasSettling) await this.#pipe.settle(runId);
      },
    },
  );

  readonly count = (child: { readonly report: RunReport }, before: RunReport | undefined): (() => void) => {
    let counted = before;
    const add = (): void => {
      const { report } = child;
      this.#state.tally.add(report, counted);
      counted = report;
    };
    this.#running.add(add);
    return () => {
      if (this.#running.delete(add)) add();
    };
  };

  /** Counts the children that are still under way; the parent ends without them. */
  countRunning(): void {
    for (const add of this.#running) add();
    this.#running.clear();
  }

  readonly left = (before: RunReport | undefined): Limits => {
    const { llmCalls, tokensIn, tokensOut, costUsd } = this.#state.tally;
    const { llmCalls: calls = 0, tokensIn: inBefore = 0, tokensOut: outBefore = 0 } = before ?? {};
    return {
      llmCalls: this.#limits.llmCalls - llmCalls + calls,
      tokens: this.#limits.tokens - tokensIn - tokensOut + inBefore + outBefore,
      costUsd: this.#limits.costUsd - costUsd + (before?.costUsd ?? 0),
    };
  };

  readonly passInterrupts = (interruptChild: () => void): (() => void) => {
    const signal = this.#pipe.interruptSignal;
    let stopPassing: () => void = () => undefined;
    const pass = (): void => {
      // The child takes it: the parent is not to act on it once more when the child is done.
      this.#pipe.clearInterrupt();
      interruptChild();
      stopPassing = this.passInterrupts(interruptChild);
    };
    if (signal.aborted) pass();
    else signal.addEventListener("abort", pass, { once: true });
    return () => {
      signal.removeEventListener("abort", pass);
      stopPassing();
    };
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
