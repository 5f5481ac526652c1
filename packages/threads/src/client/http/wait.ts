import type { Clock } from "@roboz/core/portable";

/** Waits for a time; rejects with the signal's reason the moment it is aborted. */
export function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(reasonOf(signal));
      return;
    }
    const giveUp = (): void => {
      callOff();
      if (signal !== undefined) reject(reasonOf(signal));
    };
    const callOff = clock.after(ms, () => {
      signal?.removeEventListener("abort", giveUp);
      resolve();
    });
    signal?.addEventListener("abort", giveUp, { once: true });
  });
}

/** Settles as the promise does, or rejects with the signal's reason if that comes first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(reasonOf(signal));
    };
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", giveUp);
    });
  });
}

/** What an aborted signal says, as something to reject with. */
export function reasonOf(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new DOMException(String(reason), "AbortError");
}
