/** Where the time comes from; tests bring their own. */
export interface Clock {
  /** Milliseconds; only differences mean something. */
  readonly now: () => number;
  /** Calls `then` after a time; the function returned calls it off. */
  readonly after: (ms: number, then: () => void) => () => void;
}

/** The machine's clock. */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  after: (ms: number, then: () => void) => {
    const timer = setTimeout(then, ms);
    return () => {
      clearTimeout(timer);
    };
  },
});
