import { setImmediate } from "node:timers/promises";

/** After this long others get their turn. */
const longestStretchMs = 12;

/** The pauses of work that would otherwise keep the whole process waiting. */
export class Pace {
  #since = performance.now();

  /** Whether it is time for {@link pause}; saves a loop the waiting. */
  get isDue(): boolean {
    return performance.now() - this.#since >= longestStretchMs;
  }

  /** @throws The signal's reason once it has fired. */
  async pause(signal: AbortSignal): Promise<void> {
    await setImmediate();
    signal.throwIfAborted();
    this.#since = performance.now();
  }
}
