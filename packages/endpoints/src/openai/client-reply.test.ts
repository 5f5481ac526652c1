import type { ChatReply } from "@roboz/core";
import { describe, expect, it } from "vitest";

import type { ScriptEntry } from "../testing/index.ts";
import { ask, askInPieces, clientOf, joined } from "./__fixtures__/asking.ts";

const bothWays = [
  { way: "whole", read: ask },
  {
    way: "streamed",
    read: async (...asked: Parameters<typeof askInPieces>): Promise<ChatReply> =>
      joined(await askInPieces(...asked)),
  },
];

describe.each(bothWays)("a $way reply", ({ way, read }) => {
  it("has text, usage, finish reason and identifiers", async () => {
    const { client } = await clientOf([
      {
        text: "Good morning to you.",
        usage: { prompt: 20, completion: 5, cached: 16, reasoning: 2 },
        id: "gen-1",
      },
    ]);

    expect(await read(client)).toMatchObject({
      text: "Good morning to you.",
      usage: { tokenInput: 20, tokenOutput: 5, tokenCached: 16, tokenReasoning: 2 },
      finishReason: "stop",
      generationId: "gen-1",
      requestId: "req_1",
    });
  });

  it.each<{ why: string; entry: ScriptEntry; reply: object }>([
    { why: "AL-03: null content", entry: { text: null }, reply: { finishReason: "stop" } },
    ...[
      { why: "missing content", content: undefined, reply: {} },
      { why: "an empty list as content", content: [], reply: {} },
      {
        why: "a list of parts as content",
        content: [{ type: "thinking" }, { type: "text", text: "Hi" }, { type: "text", text: "." }, null],
        reply: { text: "Hi." },
      },
    ].map(({ why, content, reply }) => ({
      why: `AL-03: ${why}`,
      entry: { body: { choices: [{ message: { content }, finish_reason: "stop" }] } },
      reply: { ...reply, finishReason: "stop" },
    })),
    {
      why: "AL-07: missing usage",
      entry: { text: "Hi.", usage: null },
      reply: { text: "Hi.", usage: undefined },
    },
    {
      why: "a cut by length",
      entry: { text: "Hi", finishReason: "length" },
      reply: { finishReason: "length" },
    },
    {
      why: "AL-05: keep-alive comments and bytes that come one by one",
      entry: { text: "Grüße aus 北京 🥟", keepAlive: true, bytesPerWrite: 1 },
      reply: { text: "Grüße aus 北京 🥟" },
    },
    {
      why: "tool arguments as text",
      entry: { toolCalls: [{ name: "add", arguments: '{"a":1}', id: "x" }] },
      reply: { toolCalls: [{ id: "x", name: "add", arguments: '{"a":1}' }], finishReason: "tool_calls" },
    },
    {
      why: "AL-02: tool arguments as an object",
      entry: { toolCalls: [{ name: "add", arguments: { a: 1 }, id: "x" }] },
      reply: { toolCalls: [{ id: "x", name: "add", arguments: '{"a":1}' }] },
    },
    {
      why: "several tool calls beside a text",
      entry: {
        text: "Both.",
        toolCalls: [
          { name: "add", arguments: '{"a":1}' },
          { name: "sub", arguments: '{"b":2}' },
        ],
      },
      reply: {
        text: "Both.",
        toolCalls: [
          { id: "call_1_1", name: "add", arguments: '{"a":1}' },
          { id: "call_1_2", name: "sub", arguments: '{"b":2}' },
        ],
      },
    },
    {
      why: "reasoning in `reasoning`",
      entry: { text: "4", reasoning: "2 and 2 is 4, I think" },
      reply: { text: "4", reasoning: "2 and 2 is 4, I think" },
    },
    {
      why: "reasoning in `reasoning_content`",
      entry: { text: "4", reasoning: "2 and 2 is 4, I think", reasoningField: "reasoning_content" },
      reply: { reasoning: "2 and 2 is 4, I think" },
    },
    {
      why: "reasoning in `reasoning_details`",
      entry: { text: "4", reasoning: "2 and 2 is 4, I think", reasoningField: "reasoning_details" },
      reply: { reasoning: "2 and 2 is 4, I think" },
    },
  ])("is read with $why", async ({ entry, reply }) => {
    const { client } = await clientOf([entry]);

    const given = await read(client);

    expect(given).toMatchObject(reply);
    expect(given.text ?? "").not.toMatch(/\uFFFD|null/);
  });

  it("counts one of several representations of the same reasoning", async () => {
    const message = {
      content: "4",
      reasoning: "think",
      reasoning_content: "think",
      reasoning_details: [{ type: "reasoning.text", text: "think" }],
    };
    const choice = way === "whole" ? { message } : { delta: message };
    const body = { choices: [{ ...choice, finish_reason: "stop" }] };
    const { client } = await clientOf([way === "whole" ? { body } : sse([body, "[DONE]"])]);

    expect(await read(client)).toMatchObject({ text: "4", reasoning: "think" });
  });

  it("AL-07: is read with counts that are no counts left out", async () => {
    const usage = { prompt_tokens: "12", completion_tokens: -1 };
    const choice = { message: { content: "Hi." }, delta: { content: "Hi." }, finish_reason: "stop" };
    const body = { choices: [choice], usage };
    const { client } = await clientOf([way === "whole" ? { body } : sse([body, "[DONE]"])]);

    expect(await read(client)).toMatchObject({
      text: "Hi.",
      usage: { tokenInput: undefined, tokenOutput: undefined },
    });
  });

  it("gives tool calls without an id one of their own", async () => {
    const calls = [
      { name: "add", arguments: "{}", id: null },
      { name: "add", arguments: "{}", id: null },
    ];
    const { client } = await clientOf([{ toolCalls: calls }]);

    const { toolCalls = [] } = await read(client);

    expect(toolCalls).toMatchObject([{ arguments: "{}" }, { arguments: "{}" }]);
    expect(toolCalls[0]?.id).toMatch(/^call_\w/);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
  });
});

describe("a stream", () => {
  it("endpoints 24, AL-07: takes usage from a last piece without choices", async () => {
    const { client } = await clientOf([{ text: "Hi.", usage: { prompt: 7, completion: 2 } }]);

    const chunks = await askInPieces(client);

    expect(chunks.at(-1)).toMatchObject({
      text: undefined,
      usage: { tokenInput: 7, tokenOutput: 2, tokenCached: undefined },
    });
  });

  it.each([
    { why: "one index for different calls", indexes: [0, 0], ids: ["a", "b"] },
    { why: "no index", indexes: [undefined, undefined], ids: ["a", "b"] },
    { why: "no index and no id", indexes: [undefined, undefined], ids: [undefined, undefined] },
  ])("keeps tool calls apart that have $why", async ({ indexes, ids }) => {
    const events = indexes.map((index, at) => ({
      choices: [
        {
          delta: { tool_calls: [{ index, id: ids[at], function: { name: `tool_${at}`, arguments: "{}" } }] },
        },
      ],
    }));
    const { client } = await clientOf([sse([...events, "[DONE]"])]);

    const { toolCalls } = joined(await askInPieces(client));

    expect(toolCalls).toMatchObject([
      { name: "tool_0", arguments: "{}" },
      { name: "tool_1", arguments: "{}" },
    ]);
  });

  it("is complete with an end mark and no finish reason", async () => {
    const { client } = await clientOf([{ text: "Hi.", finishReason: null }]);

    expect(joined(await askInPieces(client))).toMatchObject({ text: "Hi.", finishReason: undefined });
  });

  it("is complete with a finish reason and no end mark", async () => {
    // The pieces are the text, the finish reason, the usage and the end mark.
    const { client } = await clientOf([{ text: "Hi.", breakOff: { how: "end", afterPieces: 2 } }]);

    expect(joined(await askInPieces(client))).toMatchObject({ text: "Hi.", finishReason: "stop" });
  });

  it("is complete after its end mark even if the connection stays open", async () => {
    const { client } = await clientOf([{ text: "Hi.", breakOff: { how: "silence", afterPieces: 4 } }]);

    expect(joined(await askInPieces(client))).toMatchObject({ text: "Hi." });
  });

  it("is read from a whole reply, for a service that does not stream", async () => {
    const message = {
      content: "Hi.",
      tool_calls: [{ id: "a", function: { name: "add", arguments: { b: 1 } } }],
    };
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    const { client } = await clientOf([
      { body: { id: "gen-2", choices: [{ message, finish_reason: "tool_calls" }], usage } },
    ]);

    expect(joined(await askInPieces(client))).toMatchObject({
      text: "Hi.",
      toolCalls: [{ id: "a", name: "add", arguments: '{"b":1}' }],
      usage: { tokenInput: 3, tokenOutput: 1 },
      generationId: "gen-2",
    });
  });

  it("ends the request when its reader stops early", async () => {
    const { client, provider } = await clientOf([
      { pieces: ["One.", "Two."], breakOff: { how: "silence", afterPieces: 2 } },
    ]);

    const stream = client.stream(
      { model: "m", messages: [{ role: "user", content: "?" }], temperature: 0, outputFormat: "text" },
      { signal: new AbortController().signal, includeUsage: false },
    );
    for await (const { text } of stream) {
      expect(text).toBe("One.");
      break;
    }

    const request = await provider.received(1);
    expect(await request.ended).toBe("abandoned");
  });
});

/** A stream of the given events as they stand. */
function sse(events: readonly (object | string)[]): ScriptEntry {
  const lines = events.map(
    (event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`,
  );
  return { body: lines.join(""), headers: { "content-type": "text/event-stream" } };
}
