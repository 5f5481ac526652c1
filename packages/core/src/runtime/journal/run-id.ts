import { RunIdError } from "./errors.ts";

const safe = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Refuses a run id that is no safe path component. */
export function checkRunId(runId: string): string {
  if (typeof runId !== "string" || !safe.test(runId)) throw new RunIdError();
  return runId;
}
