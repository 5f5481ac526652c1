import type { Clock } from "@roboz/core";

/** A clock that a test moves. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly then: () => void }>();

  readonly now = (): number => this.#now;

  readonly after = (ms: number, then: () => void): (() => void) => {
    const timer = { at: this.#now + ms, then };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  };

  /** Lets time pass, fires what is due in its order, and lets what waits for it go on. */
  readonly pass = async (ms: number): Promise<void> => {
    await settled();
    const until = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= until).sort((one, two) => one.at - two.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.then();
      await settled();
    }
    this.#now = until;
  };
}

/** Lets everything that does not wait for time go on. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
