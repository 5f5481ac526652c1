import {
  checkDependency,
  DependencyFailure,
  type CheckOptions,
  type Clock,
  type ExternalDependency,
} from "@roboz/core";

import type { Slots } from "./slots.ts";

/** What a check was found to be. */
export type Observed =
  | { readonly kind: "checked"; readonly failure: DependencyFailure | null; readonly latencyMs: number }
  /** All slots are taken by checks that do not end. */
  | { readonly kind: "no-slot" }
  /** Somebody ended the wait. */
  | { readonly kind: "stopped" };

/** What observing needs beside the dependency. */
export interface ObservationParts {
  readonly slots: Slots;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when the check itself has ended, which may be long after the wait for it. */
  readonly onEnd: () => void;
}

/**
 * Checks a dependency, and waits for it as long as it may take. A check that takes longer is told to end by its signal, and keeps its
 * slot until it has.
 */
export async function observe(dependency: ExternalDependency, parts: ObservationParts): Promise<Observed> {
  const { clock, timeoutMs, signal, onEnd } = parts;
  const release = await slotFor(parts);
  if (release === undefined) {
    onEnd();
    return { kind: signal.aborted ? "stopped" : "no-slot" };
  }
  const begun = clock.now();
  const found = await withinTime({ clock, signal, timeoutMs }, (over) =>
    checkDependency(toldToEndBy(dependency, over)).finally(() => {
      release();
      onEnd();
    }),
  );
  if (found.kind === "stopped") return { kind: "stopped" };
  const latencyMs = Math.round((clock.now() - begun) * 1000) / 1000;
  if (found.kind === "done") return { kind: "checked", failure: found.result, latencyMs };
  const message = `No answer within ${timeoutMs / 1000} s`;
  return { kind: "checked", failure: new DependencyFailure({ reasonCode: "timeout", message }), latencyMs };
}

/**
 * Waits for a slot; not any more when none was given back for twice the time that a check has, since those who have them then do not
 * end.
 */
async function slotFor({
  slots,
  clock,
  timeoutMs,
  signal,
}: ObservationParts): Promise<(() => void) | undefined> {
  for (;;) {
    const { returned } = slots;
    const place = await withinTime({ clock, signal, timeoutMs: 2 * timeoutMs }, (over) => slots.take(over));
    if (place.kind === "done") return place.result;
    if (place.kind === "stopped" || returned === slots.returned) return undefined;
  }
}

type Within<T> = { readonly kind: "done"; readonly result: T } | { readonly kind: "timeout" | "stopped" };

/** Waits for work, for as long as it may take; the work's own signal fires when the wait is over before it. */
async function withinTime<T>(
  { clock, timeoutMs, signal }: Pick<ObservationParts, "clock" | "timeoutMs" | "signal">,
  work: (over: AbortSignal) => Promise<T>,
): Promise<Within<T>> {
  const over = new AbortController();
  const undo: (() => void)[] = [];
  const limit = new Promise<Within<T>>((resolve) => {
    const stop = (): void => {
      resolve({ kind: "stopped" });
      over.abort(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    undo.push(
      clock.after(timeoutMs, () => {
        resolve({ kind: "timeout" });
        over.abort(new DOMException("The check took too long", "TimeoutError"));
      }),
      () => {
        signal.removeEventListener("abort", stop);
      },
    );
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([
      limit,
      work(over.signal).then((result) => ({ kind: "done", result }) as const),
    ]);
  } finally {
    for (const each of undo) each();
  }
}

/** The same dependency, whose check hears when to end, while whoever waits for it waits for its real end. */
function toldToEndBy(dependency: ExternalDependency, signal: AbortSignal): ExternalDependency {
  const options: CheckOptions = { signal };
  return {
    dependencyId: dependency.dependencyId,
    kind: dependency.kind,
    redactedMetadata: () => ({}),
    check: () => dependency.check(options),
  };
}
