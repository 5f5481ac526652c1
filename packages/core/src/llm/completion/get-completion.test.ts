import * as z from "zod";
import { describe, expect, it } from "vitest";

import { tool } from "../../tools/tool.ts";
import { EventPipe } from "../../runtime/pipe.ts";
import type { RunEvent } from "../../runtime/events.ts";
import { NO_MESSAGE, type Truncation } from "../../truncation/policy.ts";
import { ScriptedClient } from "../__fixtures__/scripted-client.ts";
import { LLMEndpoint } from "../endpoint.ts";
import { Stop, Str } from "../../values/builtin.ts";
import { parseMessage, systemMessage, userMessage, type Message } from "../../values/message.ts";
import { metadataOf, value } from "../../values/value.ts";
import { MockLLMEndpoint, MockReply } from "../mock.ts";
import { getCompletion } from "./get-completion.ts";

const messages = [systemMessage("Is 4 acceptable? (y/n)")];
const Verdict = value("verdict", { fine: z.boolean() });
const echo = tool({ name: "echo", description: "Say it.", input: Str, output: Stop, run: () => Stop() });

describe("a completion without a schema", () => {
  it.each(['{"a":1}', "```json\n{}\n```", "  ", "", "<think>x</think>y"])(
    "core 79: returns %j exactly as it came",
    async (text) => {
      const endpoint = new MockLLMEndpoint([text]);
      expect(await getCompletion({ endpoint, messages })).toBe(text);
      expect(endpoint.requests[0]?.messages).toEqual(messages);
      expect(endpoint.requests[0]?.toolNames).toEqual([]);
    },
  );

  it("delivers its text in pieces to whoever wants them", async () => {
    const pieces: string[] = [];
    const endpoint = new MockLLMEndpoint(["x".repeat(30)]);
    await getCompletion({ endpoint, messages, onDelta: (text) => pieces.push(text) });
    expect(pieces.map(({ length }) => length)).toEqual([24, 6]);
  });

  it("asks a function instead of an endpoint", async () => {
    const callLlmApi = (given: readonly unknown[]): string => `${given.length} message`;
    expect(await getCompletion({ callLlmApi, messages })).toBe("1 message");
  });

  it("rejects with the signal's own reason", async () => {
    const signal = AbortSignal.abort("enough");
    const endpoint = new MockLLMEndpoint(["x"]);
    await expect(getCompletion({ endpoint, messages, signal })).rejects.toBe("enough");
    await expect(getCompletion({ callLlmApi: () => "x", messages, signal })).rejects.toBe("enough");
    expect(endpoint.requests).toHaveLength(0);
  });
});

describe("giving a completion up", () => {
  it("happens at once, also when a function is asked that does not heed the signal", async () => {
    const controller = new AbortController();
    const callLlmApi = (): Promise<string> => new Promise(() => undefined);
    const waiting = getCompletion({ callLlmApi, messages, signal: controller.signal });
    controller.abort("enough");
    await expect(waiting).rejects.toBe("enough");
  });

  it("leaves no stream open for the message that comes next", async () => {
    const events: RunEvent[] = [];
    const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
    await getCompletion({ endpoint: new MockLLMEndpoint(["text"]), messages, pipe });
    pipe.message(userMessage("next"));
    expect(events.filter(({ type }) => type === "message-delta")).toHaveLength(1);
    expect(events.at(-1)).not.toHaveProperty("messageId");
  });
});

describe("images in a completion", () => {
  const url = "https://example.org/a.png";
  const look = (truncation: Truncation): Message =>
    parseMessage({ role: "user", content: "look", images: [{ url }], truncation });
  it.each([
    {
      why: "core 10: stay behind with STUB",
      truncation: { threshold: 0, severity: "stub" as const },
      images: undefined,
    },
    {
      why: "core 10: go along with LIGHT",
      truncation: { threshold: 0, severity: "light" as const },
      images: [{ url }],
    },
  ])("$why", async ({ truncation, images }) => {
    const client = new ScriptedClient([{ text: "seen" }]);
    const endpoint = new LLMEndpoint({ client, apiName: "s", modelName: "m", acceptsImages: true });
    await getCompletion({ endpoint, messages: [look(truncation)] });
    expect(client.seen[0]?.request.messages[0]?.images).toEqual(images);
  });
});

describe("a completion with a schema", () => {
  it("gives a value of a type, with the model's tokens beside it", async () => {
    const endpoint = new MockLLMEndpoint([new MockReply({ fine: true }, { tokenInput: 3 })]);
    const verdict = await getCompletion({ endpoint, messages, output: Verdict });
    expect(Verdict.is(verdict)).toBe(true);
    expect(verdict).toEqual({ fine: true });
    expect(metadataOf(verdict)).toEqual({ tokenInput: 3 });
  });

  it("gives the object of a plain schema", async () => {
    const output = z.object({ count: z.number().default(2) });
    const endpoint = new MockLLMEndpoint(["```json\n{}\n```"]);
    expect(await getCompletion({ endpoint, messages, output })).toEqual({ count: 2 });
  });

  it("repairs a reply that does not fit, without touching the messages given", async () => {
    const endpoint = new MockLLMEndpoint([{ fine: "yes" }, { fine: true }]);
    expect(await getCompletion({ endpoint, messages, output: Verdict })).toEqual({ fine: true });
    expect(messages).toHaveLength(1);
    expect(endpoint.requests[1]?.messages.map(({ role }) => role)).toEqual(["system", "error"]);
  });

  it("fails at once when it is the type that is wrong, not the reply", async () => {
    const Slow = value("slow", { a: z.string().refine(() => Promise.resolve(true)) });
    const endpoint = new MockLLMEndpoint(() => ({ a: "x" }));
    await expect(getCompletion({ endpoint, messages, output: Slow })).rejects.toMatchObject({
      code: "core/value-type",
    });
    expect(endpoint.requests).toHaveLength(1);
  });

  it("repairs the reply of a function as well", async () => {
    const lengths: number[] = [];
    const verdict = await getCompletion({
      callLlmApi: (given) => {
        lengths.push(given.length);
        return Promise.resolve({ text: lengths.length === 1 ? "no" : '{"fine":false}' });
      },
      messages,
      output: Verdict,
    });
    expect(verdict.fine).toBe(false);
    expect(lengths).toEqual([1, 2]);
  });
});

describe("a completion with tools", () => {
  it("gives the call of one of them", async () => {
    const endpoint = new MockLLMEndpoint([{ action: "echo", rationale: "r", value: "x" }]);
    const invoke = await getCompletion({ endpoint, messages, tools: [echo] });
    expect(invoke).toEqual({ action: "echo", rationale: "r", value: "x" });
  });

  it("accepts nothing when the list of tools is empty", async () => {
    const endpoint = new MockLLMEndpoint([{ action: "echo", rationale: "r" }]);
    await expect(getCompletion({ endpoint, messages, tools: [], tries: 1 })).rejects.toMatchObject({
      code: "core/llm-output-format",
      problem: "action",
    });
  });

  it("shows the model what the messages' own truncation leaves", async () => {
    const endpoint = new MockLLMEndpoint(["fine"]);
    const hidden = userMessage("for people only", { truncation: NO_MESSAGE });
    await getCompletion({ endpoint, messages: [...messages, hidden] });
    expect(endpoint.requests[0]?.messages).toEqual(messages);
  });

  it("shows the model what a truncation leaves, at every try", async () => {
    const lengths: number[] = [];
    const endpoint = new MockLLMEndpoint(["no", { action: "echo", rationale: "r", value: "x" }]);
    await getCompletion({
      endpoint,
      messages: [...messages, userMessage("old")],
      tools: [echo],
      truncate: (given) => (lengths.push(given.length), given.slice(-1)),
    });
    expect(lengths).toEqual([2, 3]);
    expect(endpoint.requests.map((request) => request.messages.length)).toEqual([1, 1]);
  });
});

describe("a completion that cannot be asked for", () => {
  const endpoint = new MockLLMEndpoint([]);
  const callLlmApi = (): string => "x";
  it.each([
    { why: "core 81: no one to ask", options: { messages } },
    { why: "core 81: two to ask", options: { messages, endpoint, callLlmApi } },
    { why: "no messages", options: { messages: [], endpoint } },
    { why: "messages that are no list", options: { messages: "hello", endpoint } },
    { why: "both tools and an output", options: { messages, endpoint, tools: [echo], output: Verdict } },
    { why: "an output that is no type", options: { messages, endpoint, output: { fine: "boolean" } } },
    { why: "a tool that is none", options: { messages, endpoint, tools: [{ name: "echo" }] } },
    { why: "an endpoint that is none", options: { messages, endpoint: "openai" } },
    { why: "an endpoint that is an object of another kind", options: { messages, endpoint: {} } },
  ])("is refused before anything runs: $why", async ({ options }) => {
    // Untyped callers may give anything.
    const asked: unknown = Reflect.apply(getCompletion, undefined, [options]);
    await expect(asked).rejects.toMatchObject({ code: "core/llm-client" });
    expect(endpoint.requests).toHaveLength(0);
  });

  it("core 80: has no reply when there is no try", async () => {
    await expect(getCompletion({ endpoint, messages, output: Verdict, tries: 0 })).rejects.toMatchObject({
      code: "core/llm-output-format",
      tries: 0,
    });
    expect(endpoint.requests).toHaveLength(0);
  });
});
