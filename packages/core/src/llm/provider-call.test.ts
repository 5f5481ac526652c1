import { describe, expect, it } from "vitest";

import { assistantMessage, errorMessage, parseMessage } from "../values/message.ts";
import { CallStage } from "./__fixtures__/call-stage.ts";
import { ScriptedClient } from "./__fixtures__/scripted-client.ts";
import { callLlmApi } from "./call.ts";
import { LLMEndpoint } from "./endpoint.ts";

const stage = new CallStage();
const url = "https://example.org/a.png";
const picture = parseMessage({ role: "user", content: "Look", images: [{ url }] });

describe("a call that is not streamed", () => {
  it("sends what the endpoint says, and gives text and tokens", async () => {
    const { client, reply } = stage.call(
      [{ text: "Hi", usage: { tokenInput: 9, tokenOutput: 2, tokenCached: 4 } }],
      {
        messages: [...stage.messages, assistantMessage("{}", { model: "x" }), errorMessage("no")],
        settings: { temperature: 0, extraBody: { top_k: 1 }, outputFormat: "json" },
      },
    );
    expect(await reply).toEqual({
      text: "Hi",
      telemetry: { endpoint: "groq", model: "m", tokenInput: 9, tokenOutput: 2, tokenCached: 4 },
    });
    expect(client.seen.map(({ request }) => request)).toEqual([
      {
        model: "m",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hello" },
          { role: "assistant", content: "{}" },
          { role: "user", content: "no" },
        ],
        temperature: 0,
        outputFormat: "json",
        extraBody: { top_k: 1 },
      },
    ]);
  });

  it.each([
    { why: "options", settings: {} },
    { why: "options that are empty", settings: { extraBody: {} } },
  ])("sends no $why", async ({ settings }) => {
    const { client, reply } = stage.call([{ text: "Hi" }], { settings });
    await reply;
    expect(client.seen[0]?.request).not.toHaveProperty("extraBody");
    expect(client.seen[0]?.request).not.toHaveProperty("tools");
  });

  it.each([null, undefined])("takes a content of %s as empty", async (text) => {
    expect((await stage.call([{ text }]).reply).text).toBe("");
  });

  it("leaves out of the telemetry what the provider does not say", async () => {
    expect(
      Object.entries((await stage.call([{ text: "x" }]).reply).telemetry).filter(
        ([, fact]) => fact !== undefined,
      ),
    ).toEqual([
      ["endpoint", "groq"],
      ["model", "m"],
    ]);
  });

  it("says what the call cost when the endpoint has prices", async () => {
    const usage = { tokenInput: 1_000_000, tokenOutput: 0 };
    const { reply } = stage.call([{ text: "x", usage }], { settings: { prices: { inputPerMillion: 3 } } });
    expect((await reply).telemetry.costUsd).toBe(3);
  });

  it("core 87: is what an endpoint without streaming makes of a call that wants pieces", async () => {
    const pieces: string[] = [];
    const { client, reply } = stage.call([{ text: "whole" }], {
      settings: { stream: false },
      onDelta: (piece) => pieces.push(piece),
    });
    expect((await reply).text).toBe("whole");
    expect(client.seen[0]?.includeUsage).toBeUndefined();
    expect(pieces).toEqual([]);
  });

  it("endpoints 23: is what a call makes that wants no pieces", async () => {
    const { client, reply } = stage.call([{ text: "whole" }]);
    await reply;
    expect(client.seen[0]?.includeUsage).toBeUndefined();
  });
});

describe("images", () => {
  it("go to a model that takes them", async () => {
    const { client, reply } = stage.call([{ text: "x" }], {
      messages: [picture],
      settings: { acceptsImages: true },
    });
    await reply;
    expect(client.seen[0]?.request.messages).toEqual([{ role: "user", content: "Look", images: [{ url }] }]);
  });

  it("are refused before anything is built for a model that does not, by its name", async () => {
    let builds = 0;
    const endpoint = new LLMEndpoint({
      apiName: "groq",
      modelName: "blind",
      client: () => ((builds += 1), new ScriptedClient([])),
    });
    const blind: unknown = expect.stringContaining("`blind`");
    await expect(callLlmApi({ endpoint, messages: [picture], pipe: stage.pipe })).rejects.toMatchObject({
      code: "core/llm-client",
      message: blind,
    });
    expect(builds).toBe(0);
  });

  it.each(["system", "assistant"])("core 11: are refused on a message of the role %s", async (role) => {
    const message = parseMessage({ role, content: "x", images: [{ url }] });
    const { client, reply } = stage.call([], { messages: [message], settings: { acceptsImages: true } });
    await expect(reply).rejects.toMatchObject({ code: "core/llm-client" });
    expect(client.seen).toHaveLength(0);
  });

  it("stay behind when a scrubber leaves them out", async () => {
    const { client, reply } = stage.call([{ text: "x" }], {
      messages: [picture],
      scrubber: (given) => given.map(({ role, content }) => ({ role, content: `${content}!`, other: 1 })),
    });
    await reply;
    expect(client.seen[0]?.request.messages).toEqual([{ role: "user", content: "Look!" }]);
  });

  it("come to a scrubber after the endpoint's mapper", async () => {
    const { client, reply } = stage.call([{ text: "x" }], {
      settings: { messageMapper: ({ content }) => ({ role: "assistant", content, images: [] }) },
      scrubber: (given) => given.slice(0, 1),
    });
    await reply;
    expect(client.seen[0]?.request.messages).toEqual([{ role: "assistant", content: "Be brief." }]);
  });
});

describe("a call that cannot be made", () => {
  it.each([
    { why: "no message", options: { messages: [] } },
    { why: "no attempt", options: { maxAttempts: 0 } },
    { why: "half an attempt", options: { maxAttempts: 1.5 } },
    { why: "a negative wait", options: { retryBaseDelayMs: -1 } },
    { why: "a wait that is no number", options: { retryMaxDelayMs: Number.NaN } },
    { why: "no time", options: { timeoutMs: 0 } },
  ])("is refused with $why", async ({ options }) => {
    const { client, reply } = stage.call([], options);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-client" });
    expect(client.seen).toHaveLength(0);
    expect(stage.events).toEqual([]);
  });
});
