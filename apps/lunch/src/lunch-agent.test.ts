import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { agent, lunchAgent, task } from "./lunch-agent.ts";
import { scriptedModel } from "./scripted-model.ts";
import type { Day } from "./tools.ts";
import { unchainedAgent } from "./unchained-agent.ts";

interface Row {
  readonly why: string;
  readonly day: Day;
  readonly outcome: string;
  readonly llmCalls: number;
  readonly skippedCalls: number;
}

const days: readonly Row[] = [
  {
    why: "all goes well",
    day: {},
    outcome: "Lunch is at 12:30, at The Copper Pot.",
    llmCalls: 1,
    skippedCalls: 5,
  },
  {
    why: "Bob declines",
    day: { bob: "no" },
    outcome: "No lunch today. Bob says: I am on a train until the evening.",
    llmCalls: 2,
    skippedCalls: 0,
  },
  {
    why: "no table is free at first",
    day: { hasTable: false },
    outcome: "Lunch is at 13:15, at The Copper Pot.",
    llmCalls: 2,
    skippedCalls: 7,
  },
];

describe("lunchAgent", () => {
  it.each(days)(
    "asks the model $llmCalls times and skips $skippedCalls calls when $why",
    async ({ day, ...row }) => {
      const endpoint = scriptedModel();
      const { output, report } = await lunchAgent(endpoint, day).complete(task);
      expect({ outcome: output.value, ...report }).toMatchObject({
        outcome: row.outcome,
        llmCalls: row.llmCalls,
        skippedCalls: row.skippedCalls,
      });
      expect(endpoint.requests).toHaveLength(row.llmCalls);
    },
  );

  it("offers the model only what starts and ends a lunch", async () => {
    const endpoint = scriptedModel();
    await lunchAgent(endpoint).complete(task);
    expect(endpoint.requests[0]?.toolNames).toEqual(["ask_bob", "stop"]);
  });

  it.each(["json", "tools"] as const)(
    "needs at most 400 prompt tokens for a whole lunch with the protocol %s",
    async (protocol) => {
      const { report } = await lunchAgent(scriptedModel(protocol)).complete(task);
      expect(report).toMatchObject({ llmCalls: 1, skippedCalls: 5 });
      expect(report.tokensIn).toBeGreaterThan(100);
      expect(report.tokensIn).toBeLessThanOrEqual(400);
    },
  );

  it("is exported ready to run", async () => {
    expect((await agent.complete()).output.value).toBe("Lunch is at 12:30, at The Copper Pot.");
  });
});

it("needs the prompt tokens that the README says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8").replaceAll(/ +/g, " ");
  const tokens = async (make: typeof lunchAgent, day: Day): Promise<string> => {
    const runs = (["json", "tools"] as const).map((protocol) =>
      make(scriptedModel(protocol), day).complete(task),
    );
    const reports = (await Promise.all(runs)).map(({ report }) => report);
    return reports.map(({ tokensIn }) => tokensIn.toLocaleString("en-US")).join(" | ");
  };
  expect(readme).toContain(`with chains, one call | ${await tokens(lunchAgent, {})} |`);
  expect(readme).toContain(`without chains, six calls | ${await tokens(unchainedAgent, {})} |`);
  expect(readme).toContain(`\`--no-table\`, two calls | ${await tokens(lunchAgent, { hasTable: false })} |`);
  expect(readme).toContain(
    `without chains, nine calls | ${await tokens(unchainedAgent, { hasTable: false })} |`,
  );
});

describe("unchainedAgent", () => {
  it.each(days)("does the same work with every call made when $why", async ({ day, ...row }) => {
    const { output, report } = await unchainedAgent(scriptedModel(), day).complete(task);
    expect({ outcome: output.value, ...report }).toMatchObject({
      outcome: row.outcome,
      llmCalls: row.llmCalls + row.skippedCalls,
      skippedCalls: 0,
      chainedSteps: 0,
    });
  });

  it("pays for more tokens than the chained agent thinks it saves", async () => {
    const chained = await lunchAgent(scriptedModel()).complete(task);
    const unchained = await unchainedAgent(scriptedModel()).complete(task);
    const { tokensIn, skippedPromptTokens } = chained.report;
    expect(unchained.report.tokensIn).toBeGreaterThan(tokensIn + skippedPromptTokens);
  });
});
