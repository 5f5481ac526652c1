/** Lets so many pieces of work go on at once, in the order in which they came. */
export class Slots {
  #free: number;
  #waiting: (() => void)[] = [];
  /** How many were given back so far. */
  returned = 0;

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a slot.
   *
   * @returns What gives it back, once; undefined when the signal fired first.
   */
  async take(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#handedOver(signal))) return undefined;
    return () => {
      this.returned += 1;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  /** Whether somebody handed a slot over before the signal fired. */
  async #handedOver(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#waiting = this.#waiting.filter((each) => each !== mine);
        resolve(false);
      };
      const mine = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve(true);
      };
      this.#waiting.push(mine);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}
