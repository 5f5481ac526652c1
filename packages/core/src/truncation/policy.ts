import * as z from "zod";

import { makeOnce } from "../make-once.ts";

/** What truncation does to a message: shorten its long strings, keep a stub, or leave it out. Rising order. */
export type Severity = "light" | "stub" | "remove";

/** One rule: from `threshold` on, apply `severity`. */
export interface TruncationRule {
  /** The distance from which the rule applies; a negative one never applies. */
  readonly threshold: number;
  readonly severity: Severity;
  /**
   * What distance means. `"messages"` (the default): how many messages stand after this one in what is sent.
   * `"showings"`: how often the model has been shown this message.
   */
  readonly countBy?: "messages" | "showings" | undefined;
}

/** How the model sees a message as the conversation goes on: one rule, or a list of them. */
export type Truncation = TruncationRule | readonly TruncationRule[];

/** The schema of {@link Truncation}, as it stands in snapshots and documents. */
export const truncationSchema = makeOnce((): z.ZodType<Truncation> => {
  const rule = z.strictObject({
    threshold: z.number().int(),
    severity: z.enum(["light", "stub", "remove"]),
    countBy: z.enum(["messages", "showings"]).optional(),
  });
  return z.union([rule, z.array(rule)]);
});

/** What a message without a policy of its own gets: very long strings are cut. */
export const DEFAULT: Truncation = Object.freeze({ threshold: 0, severity: "light" });
/** Sent whole, however long. */
export const NO_TRUNCATION: Truncation = Object.freeze({ threshold: -1, severity: "light" });
/** Recorded and shown to people, never to the model. */
export const NO_MESSAGE: Truncation = Object.freeze({ threshold: 0, severity: "remove" });
/** For failures that the model should see and then forget. */
export const ERROR_RETRY: Truncation = Object.freeze([
  Object.freeze({ threshold: 0, severity: "light" }),
  Object.freeze({ threshold: 5, severity: "remove" }),
]);
/** Whole at first, a stub after 50 messages, gone after 200. */
export const GRADED: Truncation = Object.freeze([
  Object.freeze({ threshold: 0, severity: "light" }),
  Object.freeze({ threshold: 50, severity: "stub" }),
  Object.freeze({ threshold: 200, severity: "remove" }),
]);

/**
 * Shows a message to the model a number of times, then leaves it out of what is sent.
 *
 * @param times - How many model calls see the message; 1 or more.
 */
export function showOnce(times = 1): Truncation {
  return Object.freeze({ threshold: times, severity: "remove", countBy: "showings" });
}
