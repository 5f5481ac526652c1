import type { Clock } from "@roboz/core/portable";

/** A clock that tests move; short waits pass by themselves. */
export class ManualClock implements Clock {
  /** The short waits there were, in milliseconds. */
  readonly waits: number[] = [];
  #now = 1000;
  readonly #timers = new Set<{ readonly at: number; readonly then: () => void }>();
  readonly #passesBelowMs: number;

  /** @param passesBelowMs - Waits shorter than that pass at once, and move the clock. */
  constructor({ passesBelowMs = 10_000 }: { readonly passesBelowMs?: number } = {}) {
    this.#passesBelowMs = passesBelowMs;
  }

  readonly now = (): number => this.#now;

  readonly after = (ms: number, then: () => void): (() => void) => {
    const timer = { at: this.#now + ms, then };
    this.#timers.add(timer);
    if (ms < this.#passesBelowMs) {
      setImmediate(() => {
        if (!this.#timers.has(timer)) return;
        this.waits.push(ms);
        this.elapse(Math.max(0, timer.at - this.#now));
      });
    }
    return () => {
      this.#timers.delete(timer);
    };
  };

  /** Moves the clock; what is due happens. */
  elapse(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.then();
    }
  }
}
