import { describe, expect, it } from "vitest";

import { agent, quotesAgent, scriptedModel } from "./quotes-agent.ts";
import { sayings } from "./sayings.ts";

describe("quotesAgent", () => {
  it("says what is picked, after one model call", async () => {
    const endpoint = scriptedModel();
    const { output, report } = await quotesAgent(endpoint, (texts) => texts[2] ?? "").complete();
    expect(output.value).toBe(sayings[2]);
    expect(report).toMatchObject({ llmCalls: 1, steps: 1, skippedCalls: 0 });
    expect(endpoint.requests.map(({ toolNames }) => toolNames)).toEqual([["get_quote"]]);
  });

  it("says one of its sayings in each of many runs at once", async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => agent.complete()));
    for (const { output } of runs) expect(sayings).toContain(output.value);
  });
});
