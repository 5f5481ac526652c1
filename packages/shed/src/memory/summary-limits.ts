import type { SettingChecks } from "./setting-checks.ts";
import type { SummarySettings } from "./summary-call.ts";

/** How long what a model writes for others to remember may be, and may take. */
export interface SummaryLimits {
  /** The longest text, in characters: 8 000 for a snapshot and 12 000 for a memory, by default. */
  readonly maxChars?: number | undefined;
  /** By how much a text may be longer, in percent; 15 by default. */
  readonly tolerancePercent?: number | undefined;
  /** For each call of the model, in milliseconds; 300 000 by default. */
  readonly timeoutMs?: number | undefined;
}

/** The limits given, checked, with the usual ones for what is left out. */
export function checkSummaryLimits(
  { positive, notNegative }: SettingChecks,
  { maxChars, tolerancePercent = 15, timeoutMs = 300_000 }: SummaryLimits,
  usualChars: number,
): Omit<SummarySettings, "endpoint"> {
  const limits = { maxChars: maxChars ?? usualChars, tolerancePercent, timeoutMs };
  positive("maxChars", limits.maxChars);
  notNegative("tolerancePercent", tolerancePercent);
  positive("timeoutMs", timeoutMs);
  return limits;
}
