import { OnceUncertainError } from "../runtime/journal/errors.ts";
import type { OnceOptions, RunNotes } from "../tools/context.ts";
import type { RunState } from "./run-state.ts";

/** Where intents and results of effects are written before the run goes on. */
export interface OnceJournal {
  readonly intent: (key: string) => Promise<void>;
  readonly result: (key: string, result: unknown) => Promise<void>;
  readonly failed: (key: string) => Promise<void>;
}

/** Does effects once for one run: what was recorded under a key is not done again. */
export class OnceEffects implements RunNotes {
  readonly #state: Pick<RunState, "runId" | "once">;
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** None for a run without a journal, whose effects are kept in its snapshots alone. */
  journal: OnceJournal | undefined;

  constructor(state: Pick<RunState, "runId" | "once">) {
    this.#state = state;
  }

  /** What was recorded under a key, by `do` or `write`; undefined for nothing. */
  read(key: string): unknown {
    const entry = this.#state.once.get(key);
    return entry?.isDone === true ? entry.result : undefined;
  }

  /** Records plain data under a key, whatever it had before. */
  async write(key: string, note: unknown): Promise<void> {
    await this.#record(key, note);
  }

  /** The recorded result, that of a call under way, or that of doing the effect now. */
  do(
    key: string,
    effect: (idempotencyKey: string) => unknown,
    options: OnceOptions<unknown> = {},
  ): Promise<unknown> {
    const entry = this.#state.once.get(key);
    if (entry?.isDone === true) return Promise.resolve(entry.result);
    let done = this.#underWay.get(key);
    if (done === undefined) {
      done = this.#carryOut(key, effect, entry === undefined ? undefined : options).finally(() =>
        this.#underWay.delete(key),
      );
      this.#underWay.set(key, done);
    }
    return done;
  }

  /** @param uncertain - Set when the effect was begun before, and nobody knows whether it happened. */
  async #carryOut(
    key: string,
    effect: (idempotencyKey: string) => unknown,
    uncertain: OnceOptions<unknown> | undefined,
  ): Promise<unknown> {
    const idempotencyKey = `${this.#state.runId}:${key}`;
    if (uncertain !== undefined) {
      const { verify, onUncertain = "throw" } = uncertain;
      const found = await verify?.(idempotencyKey);
      if (found !== undefined) return this.#record(key, found);
      if (verify === undefined && onUncertain === "throw")
        throw new OnceUncertainError({ key, idempotencyKey });
    }
    await this.journal?.intent(key);
    this.#state.once.set(key, { isDone: false });
    let result: unknown;
    try {
      result = await effect(idempotencyKey);
    } catch (error) {
      // The effect says itself that it failed: that is an end, and the next call is a new attempt under the same key.
      await this.journal?.failed(key);
      this.#state.once.delete(key);
      throw error;
    }
    return this.#record(key, result);
  }

  async #record(key: string, given: unknown): Promise<unknown> {
    const result = asStored(key, given);
    await this.journal?.result(key, result);
    this.#state.once.set(key, { isDone: true, result });
    return result;
  }
}

/** A result as it will be read back, so that the first run and a resumed one see the same. */
function asStored(key: string, result: unknown): unknown {
  if (result === undefined) return undefined;
  try {
    const stored: unknown = JSON.parse(JSON.stringify(result));
    return stored;
  } catch (cause) {
    throw new TypeError(
      `The effect \`${key}\` was done, but its result is no JSON and cannot be recorded; return plain data`,
      { cause },
    );
  }
}
