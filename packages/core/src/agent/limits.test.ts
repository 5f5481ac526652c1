import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import {
  Agent,
  AgentDefinitionError,
  Empty,
  failedRunOf,
  LimitReachedError,
  LLMEndpoint,
  MockLLMEndpoint,
  MockReply,
  stop,
  Str,
  Suspend,
  tool,
  type AgentSettings,
  type Limits,
  type MockEntry,
} from "../index.ts";
import { ScriptedClient } from "../llm/__fixtures__/scripted-client.ts";
import { call, failureOf, looseTool, never, said, throughJson } from "./__fixtures__/runs.ts";

/** A deterministic agent that never ends by itself. */
function endless(run: () => unknown = () => Str({ value: "" })): Agent {
  const again = looseTool({ name: "again", input: Empty, output: Str, run });
  return new Agent({ name: "endless", mode: "deterministic", defaultTools: [again] });
}

const note = tool({
  name: "note",
  description: "",
  input: Str,
  output: Str,
  run: (text) => text,
});

function modelDriven(script: readonly MockEntry[], settings: Partial<AgentSettings> = {}): Agent {
  return new Agent({
    name: "limited",
    mode: "autonomous",
    systemPrompt: "Go.",
    automaticToolPrompt: false,
    endpoint: new MockLLMEndpoint(script),
    tools: [note, stop],
    ...settings,
  });
}

const notes = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => call("note", { value: `${index}` }));
const stopped = call("stop", { value: "" });

async function reached(promise: Promise<unknown>): Promise<LimitReachedError> {
  const error = await failureOf(promise);
  if (!(error instanceof LimitReachedError)) throw new Error("no limit was reached", { cause: error });
  return error;
}

describe("the limit of steps", () => {
  it.each([
    { why: "given to the run", agent: endless(), limits: { steps: 3 }, allowed: 3 },
    { why: "10,000 by default", agent: endless(), limits: undefined, allowed: 10_000 },
  ])(
    "design row 4: ends the run before the tool that would pass it: $why",
    async ({ agent, limits, allowed }) => {
      const error = await reached(agent.invoke(undefined, { limits }));
      expect(error).toMatchObject({ limit: "steps", allowed });
      expect(failedRunOf(error)?.report.steps).toBe(allowed);
      expect(failedRunOf(error)?.messages).toHaveLength(allowed);
    },
  );

  it("is taken from the agent, and by the run's own where it has one", async () => {
    const agent = endless().copy({ limits: { steps: 5 } });
    expect(await reached(agent.invoke())).toMatchObject({ allowed: 5 });
    expect(await reached(agent.invoke(undefined, { limits: { llmCalls: 1 } }))).toMatchObject({ allowed: 5 });
    expect(await reached(agent.invoke(undefined, { limits: { steps: 2 } }))).toMatchObject({ allowed: 2 });
    expect(await reached(agent.invoke(undefined, { limits: { steps: undefined } }))).toMatchObject({
      allowed: 5,
    });
  });

  it("counts a tool that the model was told has failed", async () => {
    const fails = looseTool({
      name: "fails",
      input: Empty,
      output: Str,
      run: () => {
        throw new Error("no");
      },
    });
    const agent = modelDriven([call("fails"), call("fails")], { tools: [fails], limits: { steps: 1 } });
    const error = await reached(agent.invoke());
    expect(failedRunOf(error)?.report).toMatchObject({ steps: 1, llmCalls: 2 });
  });

  it("may be none", async () => {
    let left = 10_001;
    const agent = endless(() => {
      left -= 1;
      if (left === 0) throw new Error("enough");
      return Str({ value: "" });
    });
    await expect(agent.invoke(undefined, { limits: { steps: null } })).rejects.toThrow("enough");
  });
});

describe("the limit of model calls", () => {
  it("ends the run before the call that would pass it, and goes on from there with a higher one", async () => {
    const agent = modelDriven([...notes(2), stopped], { limits: { llmCalls: 2 } });
    const error = await reached(agent.invoke());
    expect(error).toMatchObject({ limit: "llmCalls", allowed: 2 });
    const run = failedRunOf(error);
    expect(run?.report).toMatchObject({ llmCalls: 2, steps: 2 });
    if (run === undefined) throw new Error("no run");
    const resumed = await agent.resume(throughJson(run.snapshot), undefined, { limits: { llmCalls: null } });
    expect(resumed).toMatchObject({ status: "completed", report: { llmCalls: 3 } });
  });

  it("counts repairs", async () => {
    const agent = modelDriven(["no JSON", "none again", stopped], { limits: { llmCalls: 2 } });
    expect(await reached(agent.invoke())).toMatchObject({ limit: "llmCalls" });
  });

  it("is 200 by default", async () => {
    const error = await reached(modelDriven(notes(201)).invoke());
    expect(error).toMatchObject({ limit: "llmCalls", allowed: 200 });
  });

  it("may be none", async () => {
    const agent = modelDriven([...notes(250), stopped], { limits: { llmCalls: null } });
    expect((await agent.complete()).report.llmCalls).toBe(251);
  });
});

describe("the limit of tokens", () => {
  const script = [
    new MockReply(call("note", { value: "a" }), { tokenInput: 60, tokenOutput: 30 }),
    new MockReply(call("note", { value: "b" }), { tokenInput: 10, tokenOutput: 1 }),
    stopped,
  ];

  it("ends the run with the reply that passes it", async () => {
    const error = await reached(modelDriven(script, { limits: { tokens: 100 } }).invoke());
    expect(error).toMatchObject({ limit: "tokens", allowed: 100 });
    expect(failedRunOf(error)).toMatchObject({ report: { tokensIn: 70, tokensOut: 31, steps: 1 } });
    expect(said(failedRunOf(error)?.messages ?? []).at(-1)).toBe('user: {"caller":"note","value":"a"}');
  });

  it("lets a run end that reaches it and no more", async () => {
    const agent = modelDriven(
      [script[0] ?? stopped, new MockReply(stopped, { tokenInput: 10, tokenOutput: 0 })],
      {
        limits: { tokens: 100 },
      },
    );
    expect((await agent.complete()).report).toMatchObject({ tokensIn: 70, tokensOut: 30 });
  });

  it("is none by default", async () => {
    const agent = modelDriven([new MockReply(stopped, { tokenInput: 1e9, tokenOutput: 1e9 })]);
    expect((await agent.complete()).report.tokensIn).toBe(1e9);
  });
});

describe("the limit of cost", () => {
  /** An endpoint at a service that asks 1 dollar for a million tokens, and bills a million for each call. */
  function priced(): LLMEndpoint {
    return new LLMEndpoint({
      apiName: "service",
      modelName: "model",
      stream: false,
      prices: { inputPerMillion: 1, outputPerMillion: 1 },
      client: new ScriptedClient(
        notes(8).map((reply) => ({
          text: JSON.stringify(reply),
          usage: { tokenInput: 1_000_000, tokenOutput: 0 },
        })),
      ),
    });
  }

  it("ends the run with the reply that passes it", async () => {
    const error = await reached(modelDriven([], { endpoint: priced(), limits: { costUsd: 2.5 } }).invoke());
    expect(error).toMatchObject({ limit: "costUsd", allowed: 2.5 });
    expect(failedRunOf(error)?.report).toMatchObject({ costUsd: 3, llmCalls: 3 });
  });

  it("is none by default", async () => {
    const error = await reached(modelDriven([], { endpoint: priced(), limits: { llmCalls: 7 } }).invoke());
    expect(failedRunOf(error)?.report).toMatchObject({ costUsd: 7 });
  });
});

describe("the limit of time", () => {
  it("ends a run that waits", async () => {
    const error = await reached(endless(() => never()).invoke(undefined, { limits: { wallMs: 1 } }));
    expect(error).toMatchObject({ limit: "wallMs", allowed: 1 });
    expect(failedRunOf(error)?.snapshot.counts.steps).toBe(0);
  });

  it("ends a run of tools that never wait", async () => {
    const error = await reached(endless().invoke(undefined, { limits: { wallMs: 1, steps: null } }));
    expect(error).toMatchObject({ limit: "wallMs" });
  });

  it("ends a model call", async () => {
    const agent = modelDriven([() => never()], { limits: { wallMs: 1 } });
    expect(await reached(agent.invoke())).toMatchObject({ limit: "wallMs" });
  });

  it("counts the stretches before a run was resumed, and not the time in which it waited", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const ask = tool({
        name: "ask",
        description: "",
        input: Empty,
        output: [Str, Suspend],
        suspends: { request: z.string(), reply: Str },
        run: () => {
          vi.advanceTimersByTime(300);
          return Suspend({ request: "?" });
        },
      });
      const agent = new Agent({ name: "slow", mode: "deterministic", defaultTools: [ask] });
      const limits = { wallMs: 500 };
      const run = agent.start(undefined, { limits });
      const first = await run.step();
      if (first?.status !== "suspended") throw new Error("the run did not wait");
      expect(first.snapshot.counts.wallMs).toBe(300);
      vi.advanceTimersByTime(1000);
      expect(run.snapshot().counts.wallMs).toBe(300);
      const second = await agent.resume(throughJson(first.snapshot), "a", { limits });
      if (second.status !== "suspended") throw new Error("the run did not wait");
      expect(second.snapshot.counts.wallMs).toBe(600);
      const resumed = agent.restore(second.snapshot, "b", { limits });
      expect(await reached(resumed.finish())).toMatchObject({ limit: "wallMs", allowed: 500 });
      expect(said(resumed.messages)).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is over when the run is, and leaves no timer behind", async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    await modelDriven([stopped], { limits: { wallMs: 1e6 } }).complete();
    expect(timers()).toBe(before);
  });

  it("is not mistaken for the limit of a run that cancelled this one", async () => {
    const controller = new AbortController();
    const reason = new LimitReachedError({ limit: "wallMs", allowed: 1 });
    controller.abort(reason);
    const result = await endless().invoke(undefined, { signal: controller.signal });
    expect(result).toMatchObject({ status: "cancelled", reason });
  });
});

describe("limits that are none", () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ["llmCalls", 0],
    ["steps", -1],
    ["toolFailures", Number.NaN],
    ["repeats", "3"],
    ["tokens", {}],
    ["minutes", 5],
  ];

  it.each(wrong)("are refused when the agent is constructed: %s of %s", (name, limit) => {
    const limits: Limits = Object.fromEntries([[name, limit]]);
    expect(() => endless().copy({ limits })).toThrow(AgentDefinitionError);
    expect(() => endless().copy({ limits })).toThrow(`limits.${name}`);
  });

  it.each(wrong)("are refused when a run is started: %s of %s", async (name, limit) => {
    const limits: Limits = Object.fromEntries([[name, limit]]);
    expect(() => endless().start(undefined, { limits })).toThrow(`limits.${name}`);
    await expect(endless().invoke(undefined, { limits })).rejects.toMatchObject({
      code: "core/agent-definition",
      problems: [{ code: "settings" }],
    });
  });
});
