import * as z from "zod";
import { beforeEach, describe, expect, it } from "vitest";

import type { RunEvent } from "../../runtime/events.ts";
import { EventPipe } from "../../runtime/pipe.ts";
import { toolState } from "../../tools/state.ts";
import { tool } from "../../tools/tool.ts";
import { Empty, Stop, Str } from "../../values/builtin.ts";
import { assistantMessage, systemMessage, userMessage, type Message } from "../../values/message.ts";
import { metadataOf } from "../../values/value.ts";
import { ScriptedClient, type Act } from "../__fixtures__/scripted-client.ts";
import { LLMEndpoint } from "../endpoint.ts";
import { MockLLMEndpoint, MockReply, type MockEntry } from "../mock.ts";
import { completeAction, type ActionCompletion } from "./complete-action.ts";
import { getCompletion } from "./get-completion.ts";
import { compileActions } from "./validate.ts";

const run = (): Stop => Stop();
const tools = [
  tool({ name: "echo", description: "Say it.", input: Str, output: Stop, run }),
  tool({ name: "rest", description: "Do nothing.", input: Empty, output: Stop, run }),
  tool({ name: "find", description: "Find.", input: z.object({ q: z.string() }), output: Stop, run }),
];
const actions = compileActions(tools.flatMap((given) => toolState(given) ?? []));
const shown = [
  systemMessage("Be brief."),
  userMessage("Hello"),
  assistantMessage('{"action":"rest","rationale":"r"}'),
  userMessage('{"caller":"rest"}'),
];

let events: RunEvent[] = [];
let pipe = new EventPipe({ runId: "r", agentName: "a" });
beforeEach(() => {
  events = [];
  pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
});

async function complete(endpoint: ActionCompletion["endpoint"], seen: Message[] = []) {
  return await completeAction({
    endpoint,
    actions,
    pipe,
    request: (repairs) => {
      seen.splice(0, seen.length, ...repairs);
      return { messages: shown, recall: () => shown };
    },
  });
}

const scripted = (...script: readonly MockEntry[]) => new MockLLMEndpoint(script, { protocol: "tools" });
const service = (acts: readonly Act[], stream = false) => {
  const client = new ScriptedClient(acts);
  return {
    client,
    endpoint: new LLMEndpoint({ apiName: "s", modelName: "m", client, protocol: "tools", stream }),
  };
};
const nativeCall = (name: string, given: string, id = "x") => ({ id, name, arguments: given });
const echoed = { action: "echo", rationale: "r", value: "hi" };
const deltaText = () => events.map((event) => (event.type === "message-delta" ? event.delta : "")).join("");

describe("native calls in a reply", () => {
  it("are the same actions as in the JSON protocol", async () => {
    const {
      actions: [action],
      invokes,
    } = await complete(scripted(echoed));
    expect(invokes).toEqual([echoed]);
    expect(Str.is(action?.input)).toBe(true);
    expect(action?.input).toEqual({ value: "hi" });
  });

  it("come in the order of the reply, with its tokens counted once", async () => {
    const reply = new MockReply([echoed, { action: "rest", rationale: "r" }], {
      tokenInput: 5,
      tokenOutput: 6,
    });
    const { invokes, calls, telemetry } = await complete(scripted(reply));
    expect(invokes).toEqual([echoed, { action: "rest", rationale: "r" }]);
    expect(calls).toBe(1);
    expect(telemetry).toMatchObject({ tokenInput: 5, tokenOutput: 6 });
    expect(invokes.map(metadataOf)).toEqual([{ tokenInput: 5, tokenOutput: 6 }, {}]);
  });

  it("need a reason, also where the tool needs no arguments and the model sent none at all", async () => {
    const seen: Message[] = [];
    const reply = new MockReply("", { toolCalls: [nativeCall("rest", "")] });
    await complete(scripted(reply, { action: "rest", rationale: "r" }), seen);
    expect(seen.map(({ content }) => content).join("")).toContain("`rationale`");
  });

  it("are called by their name, whatever their arguments say", async () => {
    const given = '{"action":"find","rationale":"r","value":"hi"}';
    const { invokes } = await complete(
      scripted(new MockReply("", { toolCalls: [nativeCall("echo", given)] })),
    );
    expect(invokes).toEqual([echoed]);
  });

  it("may be written as text by a model that does not know better", async () => {
    const { invokes, calls } = await complete(scripted(JSON.stringify(echoed)));
    expect({ invokes, calls }).toEqual({ invokes: [echoed], calls: 1 });
  });

  it("are shown to the run as the text that the JSON protocol would have", async () => {
    await complete(scripted([echoed, { action: "rest", rationale: "r" }]));
    expect(deltaText()).toBe(`${JSON.stringify(echoed)}\n{"action":"rest","rationale":"r"}`);
  });
});

describe("a reply without a usable native call", () => {
  it.each([
    { why: "text", reply: "I would rather talk.", told: "calls no tool" },
    { why: "an unknown tool", reply: { action: "cook", rationale: "r" }, told: "`cook` is no action" },
    { why: "no reason", reply: { action: "echo", value: "x" }, told: "`rationale`" },
    { why: "an extra key", reply: { ...echoed, junk: 1 }, told: "junk" },
    {
      why: "arguments cut off",
      reply: new MockReply("", { toolCalls: [nativeCall("echo", '{"value":"')] }),
      told: "no JSON object",
    },
    {
      why: "AL-02: arguments that are encoded twice",
      reply: new MockReply("", { toolCalls: [nativeCall("echo", JSON.stringify(JSON.stringify(echoed)))] }),
      told: "no JSON object",
    },
    {
      why: "arguments that are a list",
      reply: new MockReply("", { toolCalls: [nativeCall("echo", "[]")] }),
      told: "no JSON object",
    },
    {
      why: "one bad call among good ones",
      reply: [echoed, { action: "find", rationale: "r" }, echoed],
      told: "`find`",
    },
  ])("is repaired as a whole: $why", async ({ reply, told }) => {
    const seen: Message[] = [];
    const { invokes, calls } = await complete(scripted(reply, echoed), seen);
    expect({ invokes, calls }).toEqual({ invokes: [echoed], calls: 2 });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.content).toContain(told);
    expect(seen[0]?.content).toContain("Call one of the tools you have");
    expect(seen[0]?.content).not.toContain("JSON object and nothing else");
  });

  it("is repeated to the model, calls too", async () => {
    const seen: Message[] = [];
    await complete(scripted({ action: "cook", rationale: "r" }, echoed), seen);
    expect(seen[0]?.content).toContain('{"action":"cook","rationale":"r"}');
  });

  it("fails after five tries", async () => {
    const endpoint = new MockLLMEndpoint(() => "no", { protocol: "tools" });
    await expect(complete(endpoint)).rejects.toMatchObject({ code: "core/llm-output-format", tries: 5 });
    expect(endpoint.requests).toHaveLength(5);
    expect(endpoint.requests[0]).toMatchObject({ protocol: "tools", toolNames: ["echo", "rest", "find"] });
  });
});

describe("native calls at a service", () => {
  it("are asked for with the tools and a conversation in their shape", async () => {
    const { client, endpoint } = service([
      { text: null, toolCalls: [nativeCall("echo", '{"rationale":"r","value":"hi"}')] },
    ]);
    const { invokes } = await complete(endpoint);
    expect(invokes).toEqual([echoed]);
    expect(invokes.map(metadataOf)).toEqual([{ endpoint: "s", model: "m" }]);
    expect(client.seen[0]?.request.tools).toEqual(actions.nativeTools);
    expect(client.seen[0]?.request.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "call00001", name: "rest", arguments: '{"rationale":"r"}' }],
      },
      { role: "tool", content: '{"caller":"rest"}', toolCallId: "call00001" },
    ]);
  });

  it("are put together from a stream, and shown as they grow", async () => {
    const { endpoint } = service(
      [
        [
          { toolCalls: [{ index: 0, id: "a", name: "echo", arguments: "" }] },
          { toolCalls: [{ index: 0, arguments: '{"rationale":"r",' }] },
          {
            toolCalls: [
              { index: 0, arguments: '"value":"hi"}' },
              { index: 1, id: "b", name: "rest" },
            ],
          },
          { toolCalls: [{ index: 1, arguments: '{"rationale":"r"}' }], finishReason: "tool_calls" },
          { usage: { tokenInput: 3, tokenOutput: 4 } },
        ],
      ],
      true,
    );
    const { invokes } = await complete(endpoint);
    expect(invokes).toEqual([echoed, { action: "rest", rationale: "r" }]);
    expect(deltaText()).toBe(`${JSON.stringify(echoed)}\n{"action":"rest","rationale":"r"}`);
    expect(events.at(-1)).toMatchObject({
      kind: "succeeded",
      data: { tool_calls: 2, finish_reason: "tool_calls", token_input: 3 },
    });
  });

  it("come in the order of their numbers, whichever a stream begins with", async () => {
    const { endpoint } = service(
      [
        [
          { toolCalls: [{ index: 1, id: "b", name: "rest", arguments: '{"rationale":"r"}' }] },
          { toolCalls: [{ index: 0, id: "a", name: "echo", arguments: '{"rationale":"r","value":"hi"}' }] },
        ],
      ],
      true,
    );
    expect((await complete(endpoint)).invokes.map(({ action }) => action)).toEqual(["echo", "rest"]);
  });

  it("are not offered in a completion without tools, nor is the conversation reshaped", async () => {
    const { client, endpoint } = service([{ text: "Hi" }]);
    expect(await getCompletion({ endpoint, messages: shown })).toBe("Hi");
    expect(client.seen[0]?.request.tools).toBeUndefined();
    expect(client.seen[0]?.request.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "user",
    ]);
  });

  it("are not offered by an endpoint of the JSON protocol", async () => {
    const { client, endpoint } = service([{ text: JSON.stringify(echoed) }]);
    await complete(endpoint.copy({ protocol: "json" }));
    expect(client.seen[0]?.request.tools).toBeUndefined();
  });

  it("give a completion with tools the first call", async () => {
    const endpoint = scripted([echoed, { action: "rest", rationale: "r" }]);
    expect(await getCompletion({ endpoint, messages: shown, tools })).toEqual(echoed);
  });
});
