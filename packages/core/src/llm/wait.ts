import type { Clock } from "../runtime/clock.ts";
import { systemClock } from "../runtime/clock.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import {
  ExternalCallCancelledError,
  ExternalCallInterruptedError,
  ExternalCallTimeoutError,
  LLMCallCancelledError,
  LLMCallInterruptedError,
  LLMCallTimeoutError,
} from "./errors.ts";

/** What may end a wait before the work is done. */
export interface WaitLimits {
  /** Its cancel signal ends the wait as cancelled, its interrupt signal as interrupted. */
  readonly pipe?: EventPipe | undefined;
  /** Ends the wait with its own reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Names the work in errors; none stands for a model call, which has errors of its own. */
  readonly operation?: string | undefined;
}

type GivenUp = "cancelled" | "interrupted" | "signal" | "timeout";

/** Throws when a wait that is about to begin, or has ended, is not wanted any more. Cancel counts before interrupt. */
export function throwIfGivenUp(limits: WaitLimits): void {
  limits.signal?.throwIfAborted();
  if (limits.pipe === undefined) return;
  if (limits.pipe.isCancelled) throwGivenUp("cancelled", limits);
  if (limits.pipe.isInterrupted) throwGivenUp("interrupted", limits);
}

/**
 * Waits for work, and stops waiting the moment the limits say so. The work may then go on, but what becomes of it is
 * ignored, also when a flag is cleared meanwhile.
 *
 * @param limits.onGiveUp - Called when the wait ends early, before anything is thrown.
 */
export async function waitFor<T>(
  work: Promise<T>,
  limits: WaitLimits & { readonly onGiveUp?: (() => void) | undefined },
): Promise<T> {
  const { pipe, signal, timeoutMs, clock = systemClock } = limits;
  const ends: (() => void)[] = [];
  const given = new Promise<GivenUp>((resolve) => {
    const listen = (source: AbortSignal, why: GivenUp): void => {
      const fired = (): void => {
        resolve(why);
      };
      if (source.aborted) fired();
      source.addEventListener("abort", fired, { once: true });
      ends.push(() => {
        source.removeEventListener("abort", fired);
      });
    };
    if (signal !== undefined) listen(signal, "signal");
    if (pipe !== undefined) {
      listen(pipe.cancelSignal, "cancelled");
      listen(pipe.interruptSignal, "interrupted");
    }
    if (timeoutMs !== undefined) {
      ends.push(
        clock.after(timeoutMs, () => {
          resolve("timeout");
        }),
      );
    }
  });
  try {
    const outcome = await Promise.race([given, work.then((value) => ({ value }))]);
    if (typeof outcome === "object") return outcome.value;
    limits.onGiveUp?.();
    return throwGivenUp(outcome, limits);
  } finally {
    for (const end of ends) end();
  }
}

function throwGivenUp(why: GivenUp, { pipe, signal, timeoutMs = 0, operation }: WaitLimits): never {
  signal?.throwIfAborted();
  switch (why) {
    case "cancelled": {
      const cause = pipe?.cancelReason;
      throw operation === undefined
        ? new LLMCallCancelledError({ cause })
        : new ExternalCallCancelledError({ operation, cause });
    }
    case "interrupted":
    case "signal":
      throw operation === undefined
        ? new LLMCallInterruptedError()
        : new ExternalCallInterruptedError({ operation });
    case "timeout":
      throw operation === undefined
        ? new LLMCallTimeoutError({ timeoutMs })
        : new ExternalCallTimeoutError({ operation, timeoutMs });
  }
}
