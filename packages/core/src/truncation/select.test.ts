import { describe, expect, it } from "vitest";

import { userMessage } from "../values/message.ts";
import {
  DEFAULT,
  ERROR_RETRY,
  GRADED,
  NO_MESSAGE,
  NO_TRUNCATION,
  showOnce,
  type Severity,
  type Truncation,
} from "./policy.ts";
import { selectTruncation } from "./select.ts";

interface Row {
  readonly why: string;
  readonly truncation: Truncation | undefined;
  readonly distance: number;
  readonly showings?: number;
  readonly expected: Severity | undefined;
}

describe("selectTruncation", () => {
  it.each<Row>([
    { why: "no policy is the default one", truncation: undefined, distance: 0, expected: "light" },
    { why: "DEFAULT never gets more severe", truncation: DEFAULT, distance: 9_999, expected: "light" },
    {
      why: "a negative threshold never applies",
      truncation: NO_TRUNCATION,
      distance: 9_999,
      expected: undefined,
    },
    { why: "NO_MESSAGE removes the freshest", truncation: NO_MESSAGE, distance: 0, expected: "remove" },
    { why: "ERROR_RETRY before its distance", truncation: ERROR_RETRY, distance: 4, expected: "light" },
    { why: "ERROR_RETRY at its distance", truncation: ERROR_RETRY, distance: 5, expected: "remove" },
    { why: "GRADED fresh", truncation: GRADED, distance: 49, expected: "light" },
    { why: "GRADED after 50", truncation: GRADED, distance: 50, expected: "stub" },
    { why: "GRADED after 200", truncation: GRADED, distance: 200, expected: "remove" },
    {
      why: "the greatest threshold wins, whatever the order and severity",
      truncation: [
        { threshold: 3, severity: "light" },
        { threshold: 1, severity: "remove" },
      ],
      distance: 3,
      expected: "light",
    },
    {
      why: "at equal thresholds the more severe wins",
      truncation: [
        { threshold: 1, severity: "stub" },
        { threshold: 1, severity: "remove" },
        { threshold: 1, severity: "light" },
      ],
      distance: 1,
      expected: "remove",
    },
    {
      why: "no rule applies yet",
      truncation: { threshold: 1, severity: "stub" },
      distance: 0,
      expected: undefined,
    },
    { why: "an empty list", truncation: [], distance: 3, expected: undefined },
    {
      why: "showOnce ignores newer messages",
      truncation: showOnce(),
      distance: 50,
      showings: 0,
      expected: undefined,
    },
    {
      why: "showOnce after one showing",
      truncation: showOnce(),
      distance: 0,
      showings: 1,
      expected: "remove",
    },
    {
      why: "showOnce(2) after one showing",
      truncation: showOnce(2),
      distance: 9,
      showings: 1,
      expected: undefined,
    },
  ])("$why", ({ truncation, distance, showings = 0, expected }) => {
    const message = userMessage("a", { truncation });
    expect(selectTruncation({ message, distance, showings })).toBe(expected);
  });
});
