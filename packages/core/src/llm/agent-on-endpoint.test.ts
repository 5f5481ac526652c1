import { describe, expect, it } from "vitest";

import { Agent } from "../agent/agent.ts";
import type { AgentMode } from "../agent/modes.ts";
import type { RunEvent } from "../runtime/events.ts";
import type { UserIo } from "../runtime/user-io.ts";
import { stop } from "../tools/builtin/stop.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Str } from "../values/builtin.ts";
import { failure, ScriptedClient, type Act } from "./__fixtures__/scripted-client.ts";
import { LLMEndpoint, LLMEndpointRoute, type LLMEndpointSettings } from "./endpoint.ts";
import { MockLLMEndpoint } from "./mock.ts";

const order: string[] = [];
const note = (name: string) => () => {
  order.push(name);
  return Str({ value: `${name} done` });
};
const look = tool({ name: "look", description: "Look.", input: Empty, output: Str, run: note("look") });
const find = tool({ name: "find", description: "Find.", input: Str, output: Str, run: note("find") });
const rank = tool({
  name: "rank",
  description: "Rank.",
  input: Str,
  output: Str,
  chainedTo: find,
  run: note("rank"),
});
const tools = [look, find, rank, stop];

function agentOn(endpoint: LLMEndpoint | MockLLMEndpoint | LLMEndpointRoute, mode: AgentMode = "autonomous") {
  order.length = 0;
  return new Agent({ name: "helper", mode, systemPrompt: "Help.", endpoint, tools });
}

function service(acts: readonly Act[], settings: Partial<LLMEndpointSettings> = {}) {
  const client = new ScriptedClient(acts);
  return {
    client,
    endpoint: new LLMEndpoint({ apiName: "s", modelName: "m", stream: false, ...settings, client }),
  };
}

/** A user who says the same to every question. */
function user(reply: string): UserIo & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    isLive: true,
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(Str({ value: reply }));
    },
    notify: () => undefined,
  };
}

const ended = { text: '{"action":"stop","rationale":"Done.","value":"bye"}' };
const call = (id: string, name: string, given: object = {}) => ({
  id,
  name,
  arguments: JSON.stringify({ rationale: "r", ...given }),
});

describe("an agent on native tool calls", () => {
  it("runs the calls of one reply in order, each with one result", async () => {
    const { client, endpoint } = service(
      [
        { toolCalls: [call("x", "find", { value: "q" }), call("y", "look")] },
        { toolCalls: [call("z", "stop", { value: "bye" })] },
      ],
      { protocol: "tools" },
    );
    const { output, report } = await agentOn(endpoint).complete();
    expect(output.value).toBe("bye");
    expect(order).toEqual(["find", "rank", "look"]);
    expect(report).toMatchObject({ llmCalls: 2, steps: 4, chainedSteps: 1 });
    const sent = client.seen[1]?.request.messages.slice(1) ?? [];
    expect(sent.map(({ role, content, toolCalls = [] }) => [role, toolCalls[0]?.name ?? content])).toEqual([
      ["assistant", "find"],
      ["tool", '{"caller":"find","value":"find done"}'],
      ["user", '{"caller":"rank","value":"rank done"}'],
      ["assistant", "look"],
      ["tool", '{"caller":"look","value":"look done"}'],
    ]);
  });

  it("ends at a Stop, whatever else the reply called", async () => {
    const endpoint = new MockLLMEndpoint(
      [
        [
          { action: "stop", rationale: "r", value: "now" },
          { action: "look", rationale: "r" },
        ],
      ],
      { protocol: "tools" },
    );
    const { output } = await agentOn(endpoint).complete();
    expect(output.value).toBe("now");
    expect(order).toEqual([]);
  });

  it("records the same conversation as on the JSON protocol", async () => {
    const script = [
      { action: "find", rationale: "r", value: "q" },
      { action: "stop", rationale: "r", value: "bye" },
    ];
    const [json, native] = await Promise.all(
      (["json", "tools"] as const).map(async (protocol) => {
        const { messages } = await agentOn(new MockLLMEndpoint(script, { protocol })).complete();
        return messages.filter(({ role }) => role !== "system");
      }),
    );
    expect(native).toEqual(json);
  });
});

describe("an agent on a model's endpoint", () => {
  it("reports what the run cost, and null without prices", async () => {
    const reply = { ...ended, usage: { tokenInput: 1_000_000, tokenOutput: 500_000 } };
    const priced = service([reply], { prices: { inputPerMillion: 1, outputPerMillion: 2 } });
    const { report } = await agentOn(priced.endpoint).complete();
    expect(report).toMatchObject({ tokensIn: 1_000_000, tokensOut: 500_000, costUsd: 2 });
    expect((await agentOn(service([reply]).endpoint).complete()).report.costUsd).toBeNull();
  });

  it("streams the reply under one name, and gives the message that name", async () => {
    const events: RunEvent[] = [];
    const pieces = ['{"action":"stop",', '"rationale":"r","value":"bye"}'].map((text) => ({ text }));
    const { endpoint } = service([pieces], { stream: true });
    const { output } = await agentOn(endpoint).complete(undefined, {
      sinks: [(event) => events.push(event)],
    });
    expect(output.value).toBe("bye");
    const deltas = events.filter((event) => event.type === "message-delta");
    expect(deltas.map(({ delta, chunkIndex }) => `${chunkIndex} ${delta}`)).toEqual([
      '1 {"action":"stop",',
      '2 "rationale":"r","value":"bye"}',
    ]);
    const spoken = events.find((event) => event.type === "message" && event.message.role === "assistant");
    expect(spoken).toMatchObject({ messageId: deltas[0]?.messageId, message: { endpoint: "s", model: "m" } });
  });

  it("core 53: asks a steerable agent's user when the credential is refused, and goes on", async () => {
    const { endpoint } = service([failure("x", { status: 401 }), ended]);
    const io = user("try again");
    const { output } = await agentOn(endpoint, "steerable").complete(undefined, { io });
    expect(output.value).toBe("bye");
    expect(io.asked).toHaveLength(1);
  });

  it("core 53: fails an autonomous agent when the credential is refused", async () => {
    const { endpoint } = service([failure("x", { status: 401 })]);
    await expect(agentOn(endpoint).complete()).rejects.toMatchObject({
      code: "core/llm-auth",
      run: { report: { llmCalls: 0 } },
    });
  });

  it("core 54: fails a steerable agent without asking when the provider is down", async () => {
    const down = failure("x", { status: 500, headers: { "retry-after": "0" } });
    const { client, endpoint } = service([down, down, down]);
    const io = user("again");
    await expect(agentOn(endpoint, "steerable").complete(undefined, { io })).rejects.toMatchObject({
      code: "core/llm-provider-unavailable",
    });
    expect(io.asked).toEqual([]);
    expect(client.seen).toHaveLength(3);
  });

  it("core 55: asks a steerable agent's user after three attempts at a busy provider", async () => {
    const busy = failure("x", { status: 429, headers: { "retry-after": "0" } });
    const { client, endpoint } = service([busy, busy, busy, ended]);
    const io = user("again");
    const { output } = await agentOn(endpoint, "steerable").complete(undefined, { io });
    expect(output.value).toBe("bye");
    expect(io.asked).toHaveLength(1);
    expect(client.seen).toHaveLength(4);
  });

  it("ends as cancelled when it is cancelled during a call", async () => {
    const controller = new AbortController();
    const { client, endpoint } = service([
      () => {
        controller.abort("enough");
        return new Promise(() => undefined);
      },
    ]);
    const result = await agentOn(endpoint).invoke(undefined, { signal: controller.signal });
    expect(result).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(client.seen[0]?.signal.aborted).toBe(true);
  });

  it("leaves the JSON protocol out of its prompt when its route is for `tools`", async () => {
    const native = new MockLLMEndpoint([{ action: "stop", rationale: "r", value: "bye" }], {
      protocol: "tools",
    });
    const agent = agentOn(new LLMEndpointRoute(() => native, { protocol: "tools" }));
    expect(agent.systemPrompt).toBe(agentOn(native).systemPrompt);
    expect(agentOn(new LLMEndpointRoute(() => native)).systemPrompt).not.toBe(agent.systemPrompt);
    expect((await agent.complete()).output.value).toBe("bye");
    expect(native.requests[0]?.toolNames).toContain("look");
  });

  it("takes the model that its route chooses at each call", async () => {
    const first = new MockLLMEndpoint([{ action: "look", rationale: "r" }]);
    const second = new MockLLMEndpoint([{ action: "stop", rationale: "r", value: "bye" }]);
    const models = [first, second];
    const route = new LLMEndpointRoute(() => (order.length === 0 ? first : second));
    expect((await agentOn(route).complete()).output.value).toBe("bye");
    for (const model of models) model.assertUsedUp();
  });
});
