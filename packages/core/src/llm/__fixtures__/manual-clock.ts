import type { Clock } from "../../runtime/clock.ts";

/** A clock that moves when it is told to. */
export class ManualClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly then: () => void }[] = [];

  readonly now = (): number => this.#now;

  readonly after = (ms: number, then: () => void): (() => void) => {
    const timer = { at: this.#now + ms, then };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  /** How long the timers that are set still run, in the order in which they were set. */
  get pending(): readonly number[] {
    return this.#timers.map(({ at }) => at - this.#now);
  }

  /** Moves on, and lets what was waiting go on. */
  async advance(ms: number): Promise<void> {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { then } of due) then();
    await settled();
  }
}

/** Lets everything that is ready to run do so. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
