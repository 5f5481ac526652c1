import { expect, it } from "vitest";

import { Tally } from "./tally.ts";

it("reports the time spent in each tool to the microsecond", () => {
  const tally = new Tally();
  tally.spend("ask_bob", 0.1);
  tally.spend("ask_bob", 0.2);
  tally.spend("notify", 12.3456789);
  expect(tally.report("1").toolMs).toEqual({ ask_bob: 0.3, notify: 12.346 });
});

it("goes on from stored counts", () => {
  const tally = new Tally();
  tally.spend("ask_bob", 1);
  tally.skip(20);
  const later = Tally.from(tally.counts());
  later.spend("ask_bob", 2);
  later.skip(5);
  expect(later.report("1")).toMatchObject({
    skippedCalls: 2,
    skippedPromptTokens: 25,
    toolMs: { ask_bob: 3 },
  });
});
