import { tool, Agent, MockLLMEndpoint, MockProviderError, stop, Empty } from "@roboz/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { lunchAgent, task } from "./lunch-agent.ts";
import { scriptedModel } from "./scripted-model.ts";
import { stepLog } from "./step-log.ts";
import type { Day } from "./tools.ts";
import { unchainedAgent } from "./unchained-agent.ts";

class Recorder {
  text = "";
  readonly isTTY: boolean;

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  readonly write = (text: string): void => {
    this.text += text;
  };
}

async function logged(agent: Agent, screen = new Recorder()): Promise<string> {
  await agent.complete(task, { sinks: [stepLog(screen)] });
  return `\n${screen.text}`;
}

const chained = (day: Day = {}): Agent => lunchAgent(scriptedModel(), day);

beforeEach(() => {
  vi.stubEnv("NO_COLOR", "");
  vi.stubEnv("TERM", "xterm");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("stepLog", () => {
  it("tells of each step, with an arrow before those that a step led to", async () => {
    expect(await logged(chained())).toBe(`
  ○ you              Lunch today, please.
  ● model            ask_bob: Lunch starts with Bob.
    ask_bob          Bob is in: dumplings at 12:30.
  → find_restaurant  The Copper Pot, 4 Basil Lane.
  → book_table       A table for two at The Copper Pot, 12:30.
  → add_to_calendar  Noted: Lunch with Bob, 12:30, The Copper Pot.
  → notify           Lunch is at 12:30, at The Copper Pot.
`);
  });

  it("shows where a chain breaks", async () => {
    expect(await logged(chained({ bob: "no" }))).toContain(`
    ask_bob          Bob declines: I am on a train until the evening.
  ● model            stop: Bob cannot come.
`);
    expect(await logged(chained({ hasTable: false }))).toContain(`
  → book_table       The Copper Pot has no table at 12:30.
  ● model            ask_bob: No table is free, so later.
`);
  });

  it("has no arrows where the model calls every tool", async () => {
    const text = await logged(unchainedAgent(scriptedModel()));
    expect(text).not.toContain("→");
    expect(text.match(/● model/g)).toHaveLength(6);
  });

  it("tells of a tool that fails, and of results that are no part of a lunch", async () => {
    const askBob = tool({
      name: "ask_bob",
      description: "",
      input: Empty,
      output: Empty,
      run: () => {
        throw new Error("He does not answer");
      },
    });
    const wait = tool({ name: "wait", description: "", input: Empty, output: Empty, run: () => Empty() });
    const endpoint = new MockLLMEndpoint([
      { action: "ask_bob", rationale: "a" },
      { action: "wait", rationale: "b" },
      { action: "stop", rationale: "c", value: "d" },
    ]);
    const agent = new Agent({
      name: "lunch",
      mode: "autonomous",
      systemPrompt: "Try.",
      endpoint,
      tools: [askBob, wait, stop],
    });
    const text = await logged(agent);
    expect(text).toContain("\n  ! ask_bob          Error: He does not answer\n");
    expect(text).toContain("\n    wait             {}\n");
  });

  it("tells of a model call that failed", async () => {
    const screen = new Recorder();
    const endpoint = new MockLLMEndpoint([new MockProviderError("No", { statusCode: 401 })]);
    const run = lunchAgent(endpoint).complete(task, { sinks: [stepLog(screen)] });
    await expect(run).rejects.toMatchObject({ code: "core/llm-auth" });
    expect(screen.text).toMatch(/\n {2}! model {12}[^\n]*auth[^\n]*\n$/);
  });

  it.each([
    { why: "a terminal", isTTY: true, env: {}, isColorful: true },
    { why: "no terminal", isTTY: false, env: {}, isColorful: false },
    { why: "a terminal, with NO_COLOR", isTTY: true, env: { NO_COLOR: "1" }, isColorful: false },
    { why: "a terminal that knows no colours", isTTY: true, env: { TERM: "dumb" }, isColorful: false },
  ])("goes by the screen for colours: $why", async ({ isTTY, env, isColorful }) => {
    for (const [name, setting] of Object.entries(env)) vi.stubEnv(name, setting);
    const text = await logged(chained(), new Recorder(isTTY));
    expect(text.includes("\u001b[")).toBe(isColorful);
  });
});
