import { describe, expect, it } from "vitest";

import { Agent, MockLLMEndpoint, stop, Str, tool, type AgentSettings, type MockEntry } from "../index.ts";
import { call, failureOf, looseTool } from "./__fixtures__/runs.ts";

const look = tool({ name: "look", description: "", input: Str, output: Str, run: (text) => text });

/** A model that does what the script says, the last of it for ever. */
function looping(script: readonly object[], settings: Partial<AgentSettings> = {}) {
  const endpoint = new MockLLMEndpoint(({ messages }): MockEntry => {
    const turn = messages.filter(({ role }) => role === "assistant").length;
    return { ...(script[turn] ?? script.at(-1)) };
  });
  const agent = new Agent({
    name: "a",
    mode: "autonomous",
    systemPrompt: "Go.",
    endpoint,
    tools: [look, stop],
    ...settings,
  });
  return { agent, endpoint };
}

const again = call("look", { value: "x" });
const told = "You made the same call with the same outcome 3 times running";

describe("a model that goes in circles (design row 5, AL-08)", () => {
  it("is told once, and the run ends when it goes on", async () => {
    const { agent, endpoint } = looping([again, { ...again, rationale: "Other words." }]);
    expect(await failureOf(agent.invoke())).toMatchObject({
      code: "core/limit-reached",
      limit: "repeats",
      allowed: 3,
    });
    expect(endpoint.requests).toHaveLength(4);
    const last = endpoint.requests[3]?.messages.at(-1);
    expect(last?.role).toBe("error");
    expect(last?.content).toContain(told);
  });

  it("may do something else after it was told", async () => {
    const { agent } = looping([again, again, again, call("stop", { value: "done" })]);
    const { output, messages } = await agent.complete();
    expect(output.value).toBe("done");
    expect(messages.filter(({ role }) => role === "error")).toHaveLength(1);
  });

  it.each([
    { why: "its arguments differ", script: [again, again, call("look", { value: "y" }), again, again] },
    { why: "another call comes between", script: [again, again, call("note", { value: "" }), again, again] },
  ])("is not told when $why", async ({ script }) => {
    const note = looseTool({ name: "note", input: Str, output: Str, run: () => Str({ value: "" }) });
    const { agent } = looping([...script, call("stop", { value: "done" })], { tools: [look, note, stop] });
    expect((await agent.complete()).messages.some(({ content }) => content.includes(told))).toBe(false);
  });

  it("is not told when the outcome differs", async () => {
    let count = 0;
    const counter = looseTool({
      name: "look",
      input: Str,
      output: Str,
      run: () => Str({ value: String((count += 1)) }),
    });
    const { agent } = looping([again, again, again, again, call("stop", { value: "done" })], {
      tools: [counter, stop],
    });
    expect((await agent.complete()).report.llmCalls).toBe(5);
  });

  it("may ask a tool that polls again and again", async () => {
    const poll = looseTool({
      name: "look",
      input: Str,
      output: Str,
      polls: true,
      run: () => Str({ value: "" }),
    });
    const script = [...Array.from({ length: 7 }, () => again), call("stop", { value: "done" })];
    expect((await looping(script, { tools: [poll, stop] }).agent.complete()).report.llmCalls).toBe(8);
  });
});
