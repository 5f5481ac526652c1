import { onTestFinished, vi } from "vitest";

/** Timers that a test fires by hand. */
export interface HeldTimers {
  /** Fires those of the given length that were set so far. */
  readonly fire: () => void;
}

/**
 * Lets a test fire the timers of one length, and fires those of some other lengths at once; all others run as they do.
 *
 * @param heldMs - The length of the timers to fire by hand; they also fire when their time is over.
 * @param instantMs - The lengths that pass at once.
 */
export function holdTimers(heldMs: number, instantMs: readonly number[] = []): HeldTimers {
  const held: (() => void)[] = [];
  const { setTimeout: real } = globalThis;
  vi.stubGlobal("setTimeout", (then: () => void, ms?: number) => {
    if (ms === heldMs) held.push(then);
    return real(then, ms !== undefined && instantMs.includes(ms) ? 0 : ms);
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return {
    fire: () => {
      for (const then of held.splice(0)) then();
    },
  };
}
