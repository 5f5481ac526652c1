import { RunIdError } from "./errors.ts";

const safe = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Whether a run may be called so: one safe path component. */
export function isRunId(candidate: unknown): candidate is string {
  return typeof candidate === "string" && safe.test(candidate);
}

/**
 * Refuses a run id that is no safe path component; for a journal store of your own.
 *
 * @throws {@link RunIdError} (`core/run-id`).
 */
export function checkRunId(runId: string): string {
  if (!isRunId(runId)) throw new RunIdError();
  return runId;
}
