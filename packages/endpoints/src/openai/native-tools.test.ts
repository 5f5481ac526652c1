import { Agent, Int, LLMEndpoint, Stop, Str, tool, type CompletedRun } from "@roboz/core";
import { describe, expect, it } from "vitest";

import type { ScriptedAnswer, ScriptEntry } from "../testing/index.ts";
import { clientOf } from "./__fixtures__/asking.ts";
import { holdTimers } from "./__fixtures__/timers.ts";
import type { OpenAIClient } from "./client.ts";

const double = tool({
  name: "double",
  description: "Doubles a number.",
  input: Int,
  output: Int,
  run: ({ value }) => Int({ value: value * 2 }),
});
const answer = tool({
  name: "answer",
  description: "Gives the answer.",
  input: Str,
  output: Stop,
  run: ({ value }) => Stop({ value }),
});

async function run(client: OpenAIClient, isHeard: boolean): Promise<CompletedRun<Stop>> {
  const endpoint = new LLMEndpoint({
    client,
    apiName: "scripted",
    modelName: "scripted-model",
    protocol: "tools",
  });
  const agent = new Agent({
    name: "tester",
    mode: "autonomous",
    systemPrompt: "You double numbers.",
    endpoint,
    tools: [double, answer],
  });
  return agent.complete("Double 21.", isHeard ? { sinks: [() => undefined] } : {});
}

const doubled: ScriptedAnswer = {
  toolCalls: [{ name: "double", arguments: '{"rationale":"It is wanted.","value":21}' }],
};
const answered: ScriptedAnswer = {
  toolCalls: [{ name: "answer", arguments: '{"rationale":"Done.","value":"42"}' }],
};

describe.each([
  { title: "a run", isHeard: false },
  { title: "a run that is listened to", isHeard: true },
])("$title with native tools", ({ isHeard }) => {
  it("offers its tools, and sends each call back with its result", async () => {
    const { client, provider } = await clientOf([doubled, answered]);

    const { output } = await run(client, isHeard);

    expect(output.value).toBe("42");
    expect(provider.requests[0]?.body).toMatchObject({
      tool_choice: "required",
      tools: [
        { type: "function", function: { name: "double", parameters: { type: "object" } } },
        { type: "function", function: { name: "answer" } },
      ],
    });
    const [call, result] = lastMessages(provider.requests[1]?.body, 2);
    expect(call).toMatchObject({
      role: "assistant",
      content: null,
      tool_calls: [{ type: "function", function: { name: "double" } }],
    });
    expect(result).toMatchObject({ role: "tool" });
    expect(JSON.stringify(result)).toContain("42");
    provider.assertUsedUp();
  });

  it.each<{ why: string; script: readonly ScriptEntry[] }>([
    {
      why: "arguments as an object",
      script: [{ toolCalls: [{ name: "double", arguments: { rationale: "Wanted.", value: 21 } }] }, answered],
    },
    {
      why: "calls without an id",
      script: [
        { toolCalls: [{ name: "double", arguments: '{"rationale":"","value":21}', id: null }] },
        answered,
      ],
    },
    {
      why: "several calls in one reply",
      script: [{ toolCalls: [...(doubled.toolCalls ?? []), ...(answered.toolCalls ?? [])] }],
    },
    { why: "a text beside a call", script: [{ ...doubled, text: "I shall double it." }, answered] },
    { why: "bytes one by one", script: [{ ...doubled, bytesPerWrite: 1, keepAlive: true }, answered] },
    { why: "missing usage", script: [{ ...doubled, usage: null }, answered] },
    {
      why: "AL-04: arguments cut by length",
      script: [
        { toolCalls: [{ name: "double", arguments: '{"rationale":"It' }], finishReason: "length" },
        doubled,
        answered,
      ],
    },
    { why: "a text and no call", script: ["42, of course.", answered] },
    { why: "null content and no call", script: [{ text: null }, answered] },
    {
      why: "a tool that is not there",
      script: [{ toolCalls: [{ name: "triple", arguments: "{}" }] }, answered],
    },
    {
      why: "a failure that passes",
      script: [{ status: 503, headers: { "retry-after": "0" } }, doubled, answered],
    },
    {
      why: "a stream that breaks off in the arguments",
      script: [{ ...doubled, breakOff: { how: "cut", afterPieces: 1 } }, answered],
    },
  ])("comes to its end with $why", async ({ script }) => {
    // The wait before another attempt is core's own.
    holdTimers(61_000, [500]);
    const { client, provider } = await clientOf(script);

    const { output } = await run(client, isHeard);

    expect(output.value).toBe("42");
    // The provider refuses a conversation in which a call has no result, so none was sent.
    provider.assertUsedUp();
    expect(provider.requests).toHaveLength(script.length);
  });
});

function lastMessages(
  body: Readonly<Record<string, unknown>> | undefined,
  count: number,
): readonly unknown[] {
  const messages = body?.["messages"];
  return Array.isArray(messages) ? messages.slice(-count) : [];
}
