import { recordedIo } from "../runtime/journal/outside.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import type { UserIo } from "../runtime/user-io.ts";
import type { OnceOptions, ToolEvent } from "../tools/context.ts";
import type { Message } from "../values/message.ts";
import type { ParentRun } from "./nesting.ts";
import { OnceEffects } from "./once.ts";
import type { RunState } from "./run-state.ts";

/** What all calls of a run's tools share; its functions can be taken off it. */
export class StepContext {
  readonly #state: RunState;
  readonly #pipe: EventPipe;
  readonly io: UserIo;
  readonly effects: OnceEffects;

  /** What this run is to the runs of agents that are its tools. */
  readonly asParent: ParentRun;

  constructor(state: RunState, pipe: EventPipe, io: UserIo, asParent: ParentRun) {
    this.#state = state;
    this.#pipe = pipe;
    this.io = recordedIo(io, () => state.outside);
    this.asParent = asParent;
    this.effects = new OnceEffects(state);
  }

  get messages(): readonly Message[] {
    return this.#state.live;
  }

  get runId(): string {
    return this.#state.runId;
  }

  get step(): number {
    return this.#state.tally.steps;
  }

  get signal(): AbortSignal {
    return this.#pipe.cancelSignal;
  }

  // The members are bound, since tools take them out of the context: `run: (input, { once }) => …`.
  readonly once = async <T>(
    key: string,
    effect: (idempotencyKey: string) => T | Promise<T>,
    options?: OnceOptions<T>,
  ): Promise<T> => {
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the seam: what a key recorded is what its own effect gave
    return (await this.effects.do(key, effect, options)) as T;
  };

  readonly emit = (event: ToolEvent): void => {
    if (event.type === "script-output") this.#pipe.scriptOutput(event.content);
    else this.#pipe.runtime("tool", event.kind, event.level, event.message, event.data);
  };
}
