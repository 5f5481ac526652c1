/** Where the time comes from; tests bring their own. */
export interface Clock {
  /** Milliseconds; only differences mean something. */
  readonly now: () => number;
  /** Calls `then` after a time; the function returned calls it off. */
  readonly after: (ms: number, then: () => void) => () => void;
}

/** The longest delay that a timer keeps, about 24 days; a longer one would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

/** The machine's clock. A time longer than about 24 days never comes. */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  after: (ms: number, then: () => void) => {
    if (ms > longestDelayMs) return () => undefined;
    const timer = setTimeout(then, ms);
    return () => {
      clearTimeout(timer);
    };
  },
});
