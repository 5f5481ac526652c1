import * as z from "zod";
import { describe, expect, it } from "vitest";

import { EventPipe } from "../../runtime/pipe.ts";
import type { RunEvent } from "../../runtime/events.ts";
import { toolState, type ToolState } from "../../tools/state.ts";
import { tool, type AnyTool } from "../../tools/tool.ts";
import { ERROR_RETRY } from "../../truncation/policy.ts";
import { All, Empty, Int, Stop, Str, Invoke } from "../../values/builtin.ts";
import { errorMessage, type Message } from "../../values/message.ts";
import { metadataOf, value } from "../../values/value.ts";
import { MockLLMEndpoint, MockReply, type MockEntry } from "../mock.ts";
import { completeAction, type ActionCompletion } from "./complete-action.ts";
import { compileActions } from "./validate.ts";

const Order = value("order", { dish: z.string(), count: z.number().int().default(1) });
const run = (): Stop => Stop();
const throwing = z.string().refine(() => {
  throw new Error("a check with a bug");
});
const tools = [
  tool({ name: "echo", description: "Say it.", input: Str, output: Stop, run }),
  tool({ name: "count", description: "Count.", input: Int, output: Stop, run }),
  tool({ name: "rest", description: "Do nothing.", input: Empty, output: Stop, run }),
  tool({ name: "order", description: "Order.", input: Order, output: Stop, run }),
  tool({ name: "find", description: "Find.", input: z.object({ q: z.string() }), output: Stop, run }),
  tool({ name: "fussy", description: "Throws.", input: z.object({ q: throwing }), output: Stop, run }),
  tool({ name: "loose", description: "Take it.", input: z.looseObject({}), output: Stop, run }),
  tool({ name: "keep", description: "Keep all.", input: All, output: Stop, run }),
];
const actions = compileActions(tools.map(stateOf));

function stateOf(given: AnyTool): ToolState {
  const state = toolState(given);
  if (state === undefined) throw new TypeError("no tool");
  return state;
}

const none: readonly Message[] = [];
const request = (): { messages: readonly Message[]; recall: () => readonly Message[] } => ({
  messages: none,
  recall: () => none,
});

async function complete(script: readonly MockEntry[], options: Partial<ActionCompletion> = {}) {
  return await completeAction({ endpoint: new MockLLMEndpoint(script), request, actions, ...options });
}

/** The kinds of problem the model was told of before its last reply. */
async function repairsOf(
  script: readonly MockEntry[],
  options: Partial<ActionCompletion> = {},
): Promise<string[]> {
  let seen: readonly Message[] = [];
  await complete(script, {
    ...options,
    request: (repairs) => {
      seen = [...repairs];
      return request();
    },
  });
  return seen.map(({ content }) => content);
}

const good = { action: "echo", rationale: "Said.", value: "hello" };

describe("an action that the model chose", () => {
  it("is an Invoke as the model sent it, with the parsed input of its tool", async () => {
    const {
      actions: [action],
      invokes,
      calls,
    } = await complete([{ ...good, value: "héllo" }]);
    expect(invokes).toHaveLength(1);
    expect(Invoke.is(invokes[0])).toBe(true);
    expect(invokes[0]).toEqual({ ...good, value: "héllo" });
    expect(action?.tool.name).toBe("echo");
    expect(Str.is(action?.input)).toBe(true);
    expect(action?.input).toEqual({ value: "héllo" });
    expect(calls).toBe(1);
  });

  it("keeps what the model sent where the schema changes it", async () => {
    const [action] = (await complete([{ action: "order", rationale: "", dish: "soup" }])).actions;
    expect(action?.invoke).toEqual({ action: "order", rationale: "", dish: "soup" });
    expect(action?.input).toEqual({ dish: "soup", count: 1 });
  });

  it.each([
    {
      why: "core 22: an extra key for a type straight from Empty",
      reply: { action: "rest", extra: 1 },
      input: {},
    },
    {
      why: "an extra key for a declared type",
      reply: { action: "order", dish: "x", extra: 1 },
      input: { dish: "x", count: 1 },
    },
    { why: "any key for an open schema", reply: { action: "loose", extra: 1 }, input: { extra: 1 } },
    { why: "any key for `All`", reply: { action: "keep", extra: [1] }, input: { extra: [1] } },
    { why: "an integer spelled as text", reply: { action: "count", value: " 7 " }, input: { value: 7 } },
  ])("accepts $why", async ({ reply, input }) => {
    const {
      actions: [action],
      calls,
    } = await complete([{ ...reply, rationale: "r" }]);
    expect(calls).toBe(1);
    expect(action?.input).toEqual(input);
  });

  it("core 88: leaves out what the model sends under the names of the telemetry", async () => {
    const reply = {
      ...good,
      model: "mine",
      token_input: 1,
      tokenInput: 2,
      truncation: {},
      message_kind: "x",
    };
    const { invokes } = await complete([new MockReply(reply, { tokenInput: 9, tokenOutput: 4 })]);
    expect(invokes[0]).toEqual(good);
    expect(invokes.map(metadataOf)).toEqual([{ tokenInput: 9, tokenOutput: 4 }]);
  });

  it("cannot set a prototype", async () => {
    const {
      invokes,
      actions: [action],
    } = await complete(['{"action":"keep","rationale":"r","__proto__":{"a":1}}']);
    expect(Reflect.get(invokes[0] ?? {}, "a")).toBeUndefined();
    expect(Reflect.get(action?.input ?? {}, "a")).toBeUndefined();
  });
});

describe("a reply that is not accepted (AL-01)", () => {
  it.each([
    { why: "core 74: an array", reply: [good], told: "array" },
    { why: "text", reply: "I would rather not.", told: "no complete JSON object" },
    { why: "core 76: no rationale", reply: { action: "echo", value: "x" }, told: "`rationale`" },
    { why: "no action", reply: { rationale: "r" }, told: "`action`" },
    {
      why: "an action that is no text",
      reply: { action: 1, rationale: 2 },
      told: "`action` and `rationale`",
    },
    {
      why: "core 76, AL-09: an unknown action",
      reply: { action: "cook", rationale: "r" },
      told: "`cook` is no action",
    },
    { why: "core 21: an extra key for a strict input", reply: { ...good, junk: 1 }, told: "junk" },
    {
      why: "an extra key for a plain schema",
      reply: { action: "find", rationale: "r", q: "x", p: 1 },
      told: "p",
    },
    { why: "an argument of the wrong type", reply: { action: "find", rationale: "r", q: 1 }, told: "q: " },
    {
      why: "an argument on which the schema's own check throws",
      reply: { action: "fussy", rationale: "r", q: "x" },
      told: "a check of the schema failed",
    },
    { why: "an argument that is missing", reply: { action: "order", rationale: "r" }, told: "dish: " },
  ])("is repaired: $why", async ({ reply, told }) => {
    const [only, ...others] = await repairsOf([reply, good]);
    expect(others).toEqual([]);
    expect(only).toContain(told);
  });

  it("core 72: two objects in a row are one action and a warning, no repair", async () => {
    const events: RunEvent[] = [];
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
    const { calls, invokes } = await complete([JSON.stringify(good) + JSON.stringify(good)], { pipe });
    expect({ calls, invokes }).toEqual({ calls: 1, invokes: [good] });
    expect(events.filter((event) => event.type === "runtime" && event.level === "warning")).toHaveLength(1);
  });

  it("core 73: text before the object is left out, and reported without its words", async () => {
    const events: RunEvent[] = [];
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
    const { invokes } = await complete([`My secret: ${JSON.stringify(good)}`], { pipe });
    expect(invokes).toEqual([good]);
    const told = events.filter((event) => event.type === "runtime");
    expect(told).toContainEqual(expect.objectContaining({ data: { dropped_chars: 11 } }));
    expect(JSON.stringify(told)).not.toContain("secret");
  });

  it("core 76: counts every kind of problem towards the same five tries", async () => {
    const bad = ["no", { action: "echo" }, { action: "cook", rationale: "r" }, ["no"]];
    expect((await complete([...bad, good])).calls).toBe(5);
    await expect(complete([...bad, "no", good])).rejects.toMatchObject({
      code: "core/llm-output-format",
      tries: 5,
      problem: "json",
    });
  });

  it("core 77: gives the run five repair messages, and an error that names the last problem", async () => {
    const events: RunEvent[] = [];
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
    const endpoint = new MockLLMEndpoint(() => ({ action: "cook", rationale: "r" }));
    await expect(complete([], { endpoint, pipe })).rejects.toMatchObject({ tries: 5, problem: "action" });
    const told = events.filter((event) => event.type === "message");
    expect(told).toHaveLength(5);
    for (const { message, messageId } of told) {
      expect(message).toMatchObject({ role: "error", truncation: ERROR_RETRY, images: [] });
      expect(messageId).toBeUndefined();
    }
    expect(endpoint.requests).toHaveLength(5);
  });

  it("streams each try under a name of its own", async () => {
    const events: RunEvent[] = [];
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
    await complete(["no", good], { pipe });
    const deltas = events.filter((event) => event.type === "message-delta");
    expect(new Set(deltas.map(({ messageId }) => messageId)).size).toBe(2);
    expect(deltas.map(({ delta }) => delta).join("")).toBe(`no${JSON.stringify(good)}`);
  });

  it("leaves no stream open when the call is given up, and no message that was not streamed has a stream's name", async () => {
    const events: RunEvent[] = [];
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
    const endpoint = new MockLLMEndpoint(() => {
      pipe.delta("{");
      pipe.interrupt();
      return good;
    });
    await expect(complete([], { endpoint, pipe })).rejects.toMatchObject({
      code: "core/llm-call-interrupted",
    });
    pipe.message(errorMessage("interrupted"));
    expect(events.at(-1)).not.toHaveProperty("messageId");
  });

  it("core 78: is not repeated to the model when that is switched off", async () => {
    const bad = "X".repeat(1000);
    expect((await repairsOf([bad, good])).join("")).toContain(bad);
    const quiet = await repairsOf([bad, good], { includeRawResponseInReprompt: false });
    expect(quiet).toHaveLength(1);
    expect(quiet.join("")).not.toContain("XXX");
  });

  it("core 80: with no try there is no call", async () => {
    const endpoint = new MockLLMEndpoint([good]);
    await expect(complete([], { endpoint, tries: 0 })).rejects.toMatchObject({
      code: "core/llm-output-format",
      problem: null,
    });
    expect(endpoint.requests).toHaveLength(0);
  });

  it.each([-1, 1.5, Number.NaN])("refuses %s tries", async (tries) => {
    await expect(complete([good], { tries })).rejects.toMatchObject({ code: "core/llm-client" });
  });

  it("sums the tokens of all its replies, and tells of each", async () => {
    const told: unknown[] = [];
    const { telemetry, invokes } = await complete(
      [
        new MockReply("no", { tokenInput: 10, tokenOutput: 1 }),
        "no usage",
        new MockReply(good, { tokenInput: 20, tokenOutput: 2 }),
      ],
      { onReply: ({ tokenInput }) => told.push(tokenInput) },
    );
    expect(telemetry).toMatchObject({ tokenInput: 30, tokenOutput: 3 });
    expect(invokes.map(metadataOf)).toEqual([{ tokenInput: 20, tokenOutput: 2 }]);
    expect(told).toEqual([10, undefined, 20]);
  });

  it("stops at once when the request cannot be made", async () => {
    const limit = new Error("a limit of the run");
    let asked = 0;
    const failing = (): never => {
      asked += 1;
      throw limit;
    };
    await expect(complete([good], { request: failing })).rejects.toBe(limit);
    expect(asked).toBe(1);
  });
});

describe("what the model is told of a tool", () => {
  it("is a schema closed to other keys, with the action fixed and a rationale required", () => {
    expect(actions.calls.find(({ name }) => name === "order")).toEqual({
      name: "order",
      description: "Order.",
      callSchema: {
        type: "object",
        properties: {
          action: { const: "order" },
          rationale: { type: "string" },
          dish: { type: "string" },
          count: { type: "integer", default: 1 },
        },
        required: ["action", "rationale", "dish"],
        additionalProperties: false,
      },
    });
  });

  it("is open only for a type that keeps whatever it is given", () => {
    const open = actions.calls.filter(({ callSchema }) => callSchema["additionalProperties"] !== false);
    expect(open.map(({ name }) => name)).toEqual(["loose", "keep"]);
  });

  it("is without the action in a native tool", () => {
    expect(actions.nativeTools.find(({ name }) => name === "echo")).toEqual({
      name: "echo",
      description: "Say it.",
      parameters: {
        type: "object",
        properties: { rationale: { type: "string" }, value: { type: "string" } },
        required: ["rationale", "value"],
        additionalProperties: false,
      },
    });
  });

  it("names every tool in the order given, to the endpoint too", async () => {
    const endpoint = new MockLLMEndpoint([good]);
    await complete([], { endpoint });
    expect(endpoint.requests[0]?.toolNames).toEqual(tools.map(({ name }) => name));
  });
});
