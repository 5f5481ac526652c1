import type { EventPipe } from "../runtime/pipe.ts";
import type { UserIo } from "../runtime/user-io.ts";
import type { OnceOptions, ToolContext, ToolEvent } from "../tools/context.ts";
import type { Message } from "../values/message.ts";
import { OnceEffects } from "./once.ts";
import type { RunState } from "./run-state.ts";

/** A change of history that a tool asked for. */
export interface Replacement {
  readonly range: { readonly from: number; readonly to: number };
  readonly messages: readonly Message[];
}

/** What a run's tools get beside their input. One serves a whole run. */
export class StepContext implements ToolContext {
  readonly #state: RunState;
  readonly #pipe: EventPipe;
  readonly io: UserIo;
  readonly effects: OnceEffects;
  #replacements: Replacement[] = [];

  constructor(state: RunState, pipe: EventPipe, io: UserIo) {
    this.#state = state;
    this.#pipe = pipe;
    this.io = io;
    this.effects = new OnceEffects(state);
  }

  get messages(): readonly Message[] {
    return this.#state.live;
  }

  get runId(): string {
    return this.#state.runId;
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

  readonly replaceMessages = (
    range: { readonly from: number; readonly to: number },
    messages: readonly Message[],
  ): void => {
    const { from, to } = range;
    const { length } = this.#state.messages;
    if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || from > to || to > length) {
      throw new RangeError(`The range from ${from} to ${to} is not within the ${length} messages of the run`);
    }
    this.#replacements.push({ range, messages: [...messages] });
  };

  /** The changes of history asked for since the last call, in order. */
  takeReplacements(): readonly Replacement[] {
    if (this.#replacements.length === 0) return this.#replacements;
    const taken = this.#replacements;
    this.#replacements = [];
    return taken;
  }
}
