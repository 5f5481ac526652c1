import { RunFailedError } from "../errors.ts";
import type { FailedRun } from "./outcome.ts";

/**
 * The error that a failed run rejects with: the cause itself, with the run's state on it. One that has a `run` already,
 * as an error that several runs share, stays as it is and becomes the `cause`.
 */
export function carrying(cause: unknown, run: FailedRun, agentName: string): Error {
  const canCarry = cause instanceof Error && Object.isExtensible(cause) && !("run" in cause);
  const error = canCarry ? cause : new RunFailedError({ agentName, cause });
  return Object.defineProperty(error, "run", { value: run, configurable: true });
}

/**
 * Where a run stood when an error ended it.
 *
 * @returns undefined for an error that ended no run.
 */
export function failedRunOf(error: unknown): FailedRun | undefined {
  if (!(error instanceof Error) || !("run" in error)) return undefined;
  const { run } = error;
  return isFailedRun(run) ? run : undefined;
}

/** Takes the state of its run off an error, which goes on to end the run that called that one. */
export function dropFailedRun(error: unknown): void {
  if (failedRunOf(error) !== undefined && error instanceof Error) Reflect.deleteProperty(error, "run");
}

function isFailedRun(candidate: unknown): candidate is FailedRun {
  return (
    typeof candidate === "object" &&
    candidate !== null &&
    "messages" in candidate &&
    "report" in candidate &&
    "snapshot" in candidate
  );
}
