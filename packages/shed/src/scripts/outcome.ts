import type { ScriptEntry } from "./entrypoints.ts";

/** How a call ended. */
export const scriptStatuses = Object.freeze([
  "listed",
  "success",
  "refused",
  "busy",
  "failed",
  "timeout",
  "output_limit",
] as const);
export type ScriptStatus = (typeof scriptStatuses)[number];

/** What became of a call. */
export interface ScriptOutcome {
  readonly status: ScriptStatus;
  readonly scripts: readonly ScriptEntry[];
  /** Null when the script did not end by itself, or did not start. */
  readonly exitCode: number | null;
  readonly output: string;
  /** What is to be said beside the output; empty for nothing. */
  readonly diagnostic: string;
}

/** A call's course: when it is given up, and who hears the script's output as it comes. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** The script waits while a promise that this gives is pending. What it throws ends the script, and is thrown on. */
  readonly onOutput: (text: string) => void | Promise<void>;
}

/** Where scripts are listed and run. */
export interface ScriptHost {
  /**
   * Runs a script, or lists all of them for null. Every ending comes after the script's processes were ended.
   *
   * @throws The signal's reason when it fires; what `onOutput` throws.
   */
  readonly call: (script: string | null, options: CallOptions) => Promise<ScriptOutcome>;
}

export function outcome(
  status: ScriptStatus,
  facts: Partial<Omit<ScriptOutcome, "status">> = {},
): ScriptOutcome {
  return { status, scripts: [], exitCode: null, output: "", diagnostic: "", ...facts };
}
