import { describe, expect, it } from "vitest";

import {
  Agent,
  AgentDefinitionError,
  Empty,
  factory,
  Int,
  MockLLMEndpoint,
  stop,
  Str,
  tool,
} from "../index.ts";
import { failureOf, looseTool } from "./__fixtures__/runs.ts";

const endpoint = new MockLLMEndpoint([]);
const noted = looseTool({ name: "noted", input: Empty, output: Empty, run: () => Empty() });
const counted = looseTool({ name: "counted", input: Int, output: Empty, run: () => Empty() });
const bind = factory<string>()({
  name: "bind",
  description: "",
  input: Empty,
  output: Empty,
  run: () => Empty(),
});

/** The mistakes that are found in settings as untyped code may give them. */
function mistakes(settings: object): readonly string[] {
  const given = { name: "a", mode: "deterministic", defaultTools: [noted], ...settings };
  try {
    Reflect.construct(Agent, [given]);
  } catch (error) {
    if (error instanceof AgentDefinitionError) return error.problems.map(({ message }) => message);
    throw error;
  }
  return [];
}

const modelDriven = { mode: "autonomous", systemPrompt: "Go.", endpoint, defaultTools: [] };

describe("an agent's settings", () => {
  it.each([
    {
      why: "a mode that there is not",
      settings: { ...modelDriven, mode: "wizard" },
      says: "`mode` is none of",
    },
    {
      why: "no model for an agent that needs one",
      settings: { ...modelDriven, endpoint: undefined },
      says: "an autonomous agent needs an `endpoint`",
    },
    {
      why: "core 52: a blank prompt of a steerable agent",
      settings: { ...modelDriven, mode: "steerable", systemPrompt: "  \n" },
      says: "a steerable agent needs a `systemPrompt` that is not blank",
    },
    {
      why: "a prompt that is no text",
      settings: { ...modelDriven, systemPrompt: 5 },
      says: "an autonomous agent needs a `systemPrompt`",
    },
    {
      why: "nothing that starts a deterministic agent",
      settings: { defaultTools: [] },
      says: "a deterministic agent needs at least one tool in `defaultTools`",
    },
    { why: "a model that is none", settings: { endpoint: {} }, says: "`endpoint` is no endpoint" },
    {
      why: "a tool for the user of an agent that has none",
      settings: { ...modelDriven, promptUserTool: stop },
      says: "an autonomous agent asks no user",
    },
    {
      why: "a result that is no Stop",
      settings: { output: Str },
      says: "`output` is no type of Stop",
    },
    { why: "a result that is no type", settings: { output: "stop" }, says: "`output` is no type of Stop" },
    {
      why: "sinks that are no list",
      settings: { sinks: () => undefined },
      says: "`sinks` is no list of functions",
    },
    { why: "a sink that is no function", settings: { sinks: [{}] }, says: "`sinks` is no list of functions" },
    {
      why: "opening messages that are no list",
      settings: { initialMessages: "hello" },
      says: "`initialMessages` is no list",
    },
    { why: "tools that are no list", settings: { tools: noted }, says: "`tools` is no list of tools" },
    { why: "null for tools", settings: { defaultTools: null }, says: "`defaultTools` is no list of tools" },
    {
      why: "a factory that was not bound",
      settings: { tools: [bind] },
      says: "`tools` holds the factory `bind` itself; call it with its context",
    },
    {
      why: "a function that is no tool",
      settings: { tools: [() => 1] },
      says: "`tools` holds something that is no tool",
    },
    { why: "null for a tool", settings: { tools: [null] }, says: "`tools` holds something that is no tool" },
    {
      why: "a user's tool that is no tool",
      settings: { promptUserTool: {} },
      says: "`promptUserTool` is no tool",
    },
    {
      why: "a user's tool that cannot take a question",
      settings: { promptUserTool: counted },
      says: "`counted` asks the user, so it must accept an input of just `value`",
    },
    { why: "limits that are no object", settings: { limits: 5 }, says: "`limits` is no object" },
    {
      why: "a way to treat errors that there is not",
      settings: { toolErrors: "hide" },
      says: "`toolErrors`",
    },
    { why: "a description that is no text", settings: { description: 5 }, says: "`description` is no text" },
    { why: "null for limits", settings: { limits: null }, says: "`limits` is no object" },
  ])("are refused with a sentence: $why", ({ settings, says }) => {
    expect(mistakes(settings)).toContainEqual(expect.stringContaining(says));
  });

  it.each([null, undefined, "agent", 5])("are refused when they are %s", (settings) => {
    expect(() => {
      Reflect.construct(Agent, [settings]);
    }).toThrow(expect.objectContaining({ code: "core/name" }));
  });

  it("are refused with every mistake at once, and the agent's name", () => {
    const error = mistakes({ sinks: [5], output: Str, tools: [5], limits: { steps: 0 } });
    expect(error).toHaveLength(4);
    expect(() => new Agent({ name: "lunch", mode: "deterministic" })).toThrow("`lunch`");
  });

  it("core 52: need no prompt for a deterministic agent", () => {
    expect(mistakes({ systemPrompt: "  " })).toEqual([]);
  });

  it('instead of core 63: have no pipe, and an empty list of sinks is none ("agent.invoke(input?, { signal, sinks, … })", issue 2)', async () => {
    const done = looseTool({ name: "done", input: Empty, output: Str, run: () => Str({ value: "" }) });
    const agent = new Agent({
      name: "a",
      mode: "deterministic",
      defaultTools: [done],
      tools: [stop.copy().chain(done)],
      sinks: [],
    });
    expect((await agent.complete(undefined, { sinks: [] })).output.value).toBe("");
  });
});

describe("what a run is given", () => {
  const agent = new Agent({ name: "a", mode: "deterministic", defaultTools: [noted] });

  it.each([
    { why: "null", options: null, says: "no object" },
    { why: "a number", options: 5, says: "no object" },
    { why: "an empty name", options: { runId: "" }, says: "`runId`" },
    { why: "a number for a name", options: { runId: 5 }, says: "`runId`" },
    { why: "a signal that is none", options: { signal: {} }, says: "`signal`" },
    { why: "sinks that are no list", options: { sinks: 5 }, says: "`sinks`" },
    { why: "a sink that is no function", options: { sinks: [5] }, says: "`sinks`" },
    { why: "a channel that is none", options: { io: { ask: 1 } }, says: "`io`" },
    { why: "a journal that is none", options: { journal: "folder" }, says: "`journal`" },
  ])("is refused before anything runs: $why", async ({ options, says }) => {
    const given = ["x", options];
    const started = (): unknown => Reflect.apply(agent.start.bind(agent), undefined, given);
    expect(started).toThrow(AgentDefinitionError);
    expect(started).toThrow(says);
    const invoked: unknown = Reflect.apply(agent.invoke.bind(agent), undefined, given);
    expect(await failureOf(Promise.resolve(invoked))).toMatchObject({ code: "core/agent-definition" });
    const snapshot = agent.start().snapshot();
    expect(() => {
      Reflect.apply(agent.restore.bind(agent), undefined, [snapshot, undefined, options]);
    }).toThrow(says);
  });
});

describe("defaults", () => {
  it("core 49: run in their order, again and again, the first not twice at the start of a cycle", async () => {
    const order: string[] = [];
    const named = (name: string) =>
      looseTool({
        name,
        input: Empty,
        output: Empty,
        run: () => {
          order.push(name);
          return Empty();
        },
      });
    const agent = new Agent({
      name: "turns",
      mode: "deterministic",
      defaultTools: [named("first"), named("second")],
      limits: { steps: 5 },
    });
    await expect(agent.invoke()).rejects.toMatchObject({ code: "core/limit-reached" });
    expect(order).toEqual(["first", "second", "first", "second", "first"]);
  });

  it("core 51: end the run when what the one before returned does not fit", async () => {
    const takes = tool({ name: "takes", description: "", input: Str, output: Str, run: (text) => text });
    const agent = new Agent({ name: "a", mode: "deterministic", defaultTools: [noted, takes] });
    const error = await failureOf(agent.invoke());
    expect(error).toMatchObject({ code: "core/tool-input", toolName: "takes" });
  });
});

it("instead of core 64: a run's messages stay its own (\"none sees another's messages\", design.md section 3)", async () => {
  const agent = new Agent({
    name: "a",
    mode: "autonomous",
    systemPrompt: "Go.",
    endpoint: new MockLLMEndpoint((request) => ({
      action: "stop",
      rationale: "",
      value: String(request.messages.length),
    })),
    tools: [stop],
  });
  const first = await agent.complete("one");
  const kept = [...first.messages];
  const [second, third] = await Promise.all([agent.complete("two"), agent.complete("three")]);
  expect(first.messages).toEqual(kept);
  expect([first, second, third].map(({ messages }) => messages[1]?.content)).toEqual(["one", "two", "three"]);
  expect([first, second, third].map(({ output }) => output.value)).toEqual(["2", "2", "2"]);
});
