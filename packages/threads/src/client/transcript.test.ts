import { expect, it } from "vitest";
import { message, result, say, threadRecord, use } from "../__fixtures__/thread-data.ts";
import { analysisScope, mergeAnalysisScopes } from "./analysis-scope.ts";
import { transcriptOf } from "./transcript.ts";

const error = { content_type: "error", error_message: "no" };

it.each([
  {
    number: 134,
    why: "texts",
    messages: [message("user", [say("hi")]), message("assistant", [say("hello")])],
    text: "=== ath_1 ===\n== USER ==\nhi\n== ASSISTANT ==\nhello",
  },
  { number: 134, why: "nothing", messages: [], text: "=== ath_1 ===\n" },
  {
    number: 134,
    why: "calls and answers on lines of their own",
    messages: [
      message("assistant", [
        say("a"),
        use("t", "1", { n: 9007199254740993n }),
        use("t", "2", null),
        say("b"),
        error,
      ]),
      message("roboto", [result("t", "1"), { ...error, error_code: "e" }, { content_type: "deleted" }]),
    ],
    text: [
      "=== ath_1 ===",
      "== ASSISTANT ==",
      "a",
      '[tool_use t 1] {"n":9007199254740993}',
      "[tool_use t 2] null",
      "b",
      "[error -] no",
      "== ROBOTO ==",
      '[tool_result t 1 success] {"ok":1}',
      "[error e] no",
      "[deleted]",
    ].join("\n"),
  },
])("threads $number: a transcript shows $why", ({ messages, text }) => {
  expect(transcriptOf(threadRecord({ messages }))).toBe(text);
});

it("threads 133: a scope that ends before it starts cannot be built, nor be merged to", () => {
  const refused: unknown = expect.objectContaining({ code: "threads/invalid-request", status: undefined });
  expect(() => analysisScope({ start_time: 2, end_time: 1 })).toThrow(refused);
  expect(analysisScope({ start_time: 2, end_time: "2" })).toEqual({ start_time: 2n, end_time: 2n });
  expect(mergeAnalysisScopes({ start_time: -1, end_time: 5 }, { end_time: 0 })).toEqual({
    start_time: -1n,
    end_time: 0n,
  });
  expect(() => mergeAnalysisScopes({ start_time: 3 }, { end_time: 2 })).toThrow(refused);
});
