import type { Message } from "../values/message.ts";
import { DEFAULT, type Severity, type Truncation, type TruncationRule } from "./policy.ts";

/** What a selection goes by. */
export interface TruncationFacts {
  /** Never of the system role: those are always sent whole. */
  readonly message: Message;
  /** How many messages stand after this one, hidden and repair messages included; the freshest has 0. */
  readonly distance: number;
  /** How many model calls have seen this message. */
  readonly showings: number;
}

/** Decides what happens to a message; undefined leaves it unchanged. Must be pure: it is asked again at any time. */
export type SelectTruncation = (facts: TruncationFacts) => Severity | undefined;

/**
 * The selection function: of the rules that apply to a message, the one with the greatest threshold, and among equals
 * the most severe. A rule applies when its threshold is 0 or more and the distance it counts by has reached it.
 */
export const selectTruncation: SelectTruncation = ({ message, distance, showings }) =>
  severityOf(rulesOf(message), distance, showings);

/** The selection by the numbers alone. */
export function severityOf(
  rules: readonly TruncationRule[],
  distance: number,
  showings: number,
): Severity | undefined {
  let chosen: TruncationRule | undefined;
  for (const rule of rules) {
    const { threshold, severity, countBy } = rule;
    if (threshold < 0 || (countBy === "showings" ? showings : distance) < threshold) continue;
    const wins =
      chosen === undefined ||
      threshold > chosen.threshold ||
      (threshold === chosen.threshold && ranks[severity] > ranks[chosen.severity]);
    if (wins) chosen = rule;
  }
  return chosen?.severity;
}

const ranks: Readonly<Record<Severity, number>> = { light: 1, stub: 2, remove: 3 };
const defaultRules: readonly TruncationRule[] = [DEFAULT].flat();
const lists = new WeakMap<Truncation, readonly TruncationRule[]>();

/** The rules of a message's policy; the default policy's when it has none. */
export function rulesOf(message: Message): readonly TruncationRule[] {
  const { truncation: policy } = message;
  if (policy === undefined) return defaultRules;
  if (!("severity" in policy)) return policy;
  let list = lists.get(policy);
  if (list === undefined) lists.set(policy, (list = [policy]));
  return list;
}
