import { ScriptSettingsError } from "./errors.ts";

/** What a script may take, and which of the host's variables it sees. */
export interface ScriptLimits {
  /** Milliseconds that one script may run; 300 000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Raw bytes that one script may write, both streams together; 65 536 by default. */
  readonly maxOutputBytes?: number | undefined;
  /** Names of variables that scripts see when the host has them; none by default. */
  readonly allowEnv?: readonly string[] | undefined;
}

/** Limits that were checked. */
export interface CheckedLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly allowEnv: readonly string[];
}

/** Variables that decide what a script runs, or what runs before it. */
const forbiddenNames: ReadonlySet<string> = new Set([
  "PATH",
  "BASH_ENV",
  "ENV",
  "SHELLOPTS",
  "BASHOPTS",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "PYTHONPATH",
]);

/** @throws {@link ScriptSettingsError} (`shed/script-settings`) */
export function checkLimits(given: ScriptLimits): CheckedLimits {
  const { timeoutMs = 300_000, maxOutputBytes = 65_536, allowEnv = [] } = given;
  if (typeof timeoutMs !== "number" || !Number.isFinite(timeoutMs) || timeoutMs <= 0)
    throw new ScriptSettingsError({ setting: "timeoutMs", problem: "is not a finite number above 0" });
  if (!Number.isSafeInteger(maxOutputBytes) || maxOutputBytes <= 0)
    throw new ScriptSettingsError({ setting: "maxOutputBytes", problem: "is not a whole number above 0" });
  const names: unknown = allowEnv;
  if (!Array.isArray(names))
    throw new ScriptSettingsError({ setting: "allowEnv", problem: "is not a list of names" });
  return { timeoutMs, maxOutputBytes, allowEnv: Object.freeze(names.map(checkName)) };
}

function checkName(name: unknown): string {
  const problem = nameProblem(name);
  if (typeof name === "string" && problem === undefined) return name;
  throw new ScriptSettingsError({ setting: "allowEnv", problem: problem ?? "has a name that is no text" });
}

/** What is wrong with a name; it is shown only when it is plainly one, since a value may have been given in its place. */
function nameProblem(name: unknown): string | undefined {
  if (typeof name !== "string") return "has a name that is no text";
  if (name === "") return "has an empty name";
  if (/[=\0]/.test(name)) return "has a name with `=` or NUL in it; give the name alone";
  return forbiddenNames.has(name) ? `may not have \`${name}\`: it decides what scripts run` : undefined;
}
