import { setImmediate } from "node:timers/promises";

/** After this long others get their turn. */
const longestStretchMs = 12;
/** How many steps go between two looks at the clock, which cost as much as a small step. */
const mostUnseen = 16;

/** The pauses of work that would otherwise keep the whole process waiting. */
export class Pace {
  #since = performance.now();
  #seen = this.#since;
  #stride = 1;
  #untilLook = 1;
  #isDue = false;

  /** Whether it is time for {@link pause}, to be asked at each step; saves a loop the waiting. */
  get isDue(): boolean {
    if (this.#isDue) return true;
    this.#untilLook -= 1;
    if (this.#untilLook > 0) return false;
    const now = performance.now();
    // Steps that take long are each followed by a look.
    this.#stride = now - this.#seen < 1 ? Math.min(2 * this.#stride, mostUnseen) : 1;
    this.#seen = now;
    this.#untilLook = this.#stride;
    this.#isDue = now - this.#since >= longestStretchMs;
    return this.#isDue;
  }

  /** @throws The signal's reason once it has fired. */
  async pause(signal: AbortSignal): Promise<void> {
    await setImmediate();
    signal.throwIfAborted();
    this.#since = performance.now();
    this.#seen = this.#since;
    this.#isDue = false;
  }
}
