import { systemClock } from "./clock.ts";
import type { AskOptions } from "./user-io.ts";

/**
 * Asks, and waits no longer than the options say.
 *
 * @param ask - Gets a signal that fires when nobody waits any more.
 * @returns Null when the time was over first.
 * @throws The reason of `options.signal`, as soon as it fires.
 */
export async function waitForAnswer<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  { signal, timeoutMs }: AskOptions,
): Promise<T | null> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let giveUp: () => void = () => undefined;
  const givenUp = new Promise<null>((resolve) => {
    giveUp = () => {
      resolve(null);
      controller.abort(signal?.reason);
    };
  });
  signal?.addEventListener("abort", giveUp, { once: true });
  const stopClock = timeoutMs === undefined ? undefined : systemClock.after(timeoutMs, giveUp);
  try {
    const answer = await Promise.race([givenUp, ask(controller.signal)]);
    signal?.throwIfAborted();
    return answer;
  } finally {
    stopClock?.();
    signal?.removeEventListener("abort", giveUp);
  }
}
