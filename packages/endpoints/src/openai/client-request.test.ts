import type { ModelMessage } from "@roboz/core";
import { describe, expect, it, vi } from "vitest";

import { ask, askInPieces, chatRequest, clientOf, noSignal, testKey } from "./__fixtures__/asking.ts";

describe("a chat completion request", () => {
  it("AL-11: has model, messages, temperature and response format, and no other field", async () => {
    const { client, provider } = await clientOf(["Hi."]);

    await ask(client);

    expect(provider.requests).toMatchObject([{ method: "POST", path: "/chat/completions" }]);
    expect(provider.requests[0]?.body).toEqual({
      model: "scripted-model",
      messages: [{ role: "user", content: "Hello?" }],
      temperature: 0.7,
      response_format: { type: "text" },
    });
  });

  it("asks for a stream with usage when it is streamed", async () => {
    const { client, provider } = await clientOf(["Hi."]);

    await askInPieces(client);

    expect(provider.requests[0]?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("carries the key and the client's own headers, and none that describes the machine", async () => {
    const { client, provider } = await clientOf(["Hi."], {
      headers: { "HTTP-Referer": "https://app.example" },
    });

    await ask(client);

    const { headers = {} } = provider.requests[0] ?? {};
    expect(headers).toMatchObject({
      authorization: `Bearer ${testKey}`,
      "http-referer": "https://app.example",
      "content-type": "application/json",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("x-stainless"))).toEqual([]);
  });

  it("takes nothing from variables that are meant for OpenAI's own service", async () => {
    vi.stubEnv("OPENAI_ORG_ID", "org-other");
    vi.stubEnv("OPENAI_PROJECT_ID", "project-other");
    vi.stubEnv("OPENAI_ADMIN_KEY", "admin-other");
    vi.stubEnv("OPENAI_BASE_URL", "http://127.0.0.1:1/other");
    vi.stubEnv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer other\nX-Other: other");
    const { client, provider } = await clientOf(["Hi."]);

    await ask(client);
    vi.unstubAllEnvs();

    expect(provider.requests[0]?.headers["authorization"]).toBe(`Bearer ${testKey}`);
    expect(JSON.stringify(provider.requests[0]?.headers)).not.toContain("other");
  });

  it("has extra options at the top level, without replacing a field of its own", async () => {
    const { client, provider } = await clientOf(["Hi."]);

    await ask(
      client,
      chatRequest({ outputFormat: "json", extraBody: { provider: { sort: "throughput" }, model: "other" } }),
    );

    expect(provider.requests[0]?.body).toMatchObject({
      model: "scripted-model",
      provider: { sort: "throughput" },
      response_format: { type: "json_object" },
    });
  });

  it.each<{ why: string; message: ModelMessage; wire: unknown }>([
    {
      why: "endpoints 57: a plain text without images",
      message: { role: "user", content: "Look.", images: [] },
      wire: { role: "user", content: "Look." },
    },
    {
      why: "endpoints 56: one part per image, with a detail only when set",
      message: {
        role: "user",
        content: "Look.",
        images: [{ url: "https://example.com/a.png", detail: "high" }, { url: "data:image/png;base64,AAAA" }],
      },
      wire: {
        role: "user",
        content: [
          { type: "text", text: "Look." },
          { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "high" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
    },
    {
      why: "no text part beside an image when there is no text",
      message: { role: "user", content: "", images: [{ url: "https://example.com/a.png" }] },
      wire: {
        role: "user",
        content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }],
      },
    },
  ])("sends $why", async ({ message, wire }) => {
    const { client, provider } = await clientOf(["Seen."]);

    await ask(client, chatRequest({ messages: [message] }));

    expect(provider.requests[0]?.body["messages"]).toEqual([wire]);
  });

  it("offers native tools, asks for a call, and sends calls and their results back", async () => {
    const { client, provider } = await clientOf(["Done."]);
    const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

    await ask(
      client,
      chatRequest({
        messages: [
          { role: "user", content: "Weather?" },
          {
            role: "assistant",
            content: "",
            toolCalls: [
              { id: "a", name: "weather", arguments: '{"city":"Bonn"}' },
              { id: "b", name: "weather", arguments: '{"city":"Ulm"}' },
            ],
          },
          { role: "tool", content: "sunny", toolCallId: "a" },
          { role: "tool", content: "rainy", toolCallId: "b" },
        ],
        tools: [{ name: "weather", description: "Tells the weather.", parameters }],
      }),
    );

    expect(provider.requests[0]?.body).toMatchObject({
      tool_choice: "required",
      tools: [
        { type: "function", function: { name: "weather", description: "Tells the weather.", parameters } },
      ],
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Bonn"}' } },
            { id: "b", type: "function", function: { name: "weather", arguments: '{"city":"Ulm"}' } },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "sunny" },
        { role: "tool", tool_call_id: "b", content: "rainy" },
      ],
    });
  });

  it("lets extra options choose the tool choice, which some services do not know", async () => {
    const { client, provider } = await clientOf(["Done."]);
    const tools = [{ name: "weather", description: "Tells the weather.", parameters: { type: "object" } }];

    await ask(client, chatRequest({ tools, extraBody: { tool_choice: "auto" } }));

    expect(provider.requests[0]?.body["tool_choice"]).toBe("auto");
  });
});

describe("a request for usage in a stream", () => {
  it("is left out for a service that refuses it, from then on without asking", async () => {
    const { client, provider } = await clientOf(["One.", "Two."], {
      provider: { refuses: ["stream_options"] },
    });

    const first = await askInPieces(client);
    const second = await askInPieces(client);

    expect([first, second].map((chunks) => chunks.map(({ text }) => text ?? "").join(""))).toEqual([
      "One.",
      "Two.",
    ]);
    expect(provider.requests.map(({ body }) => "stream_options" in body)).toEqual([true, false, false]);
  });

  it("is not made when it is not wanted", async () => {
    const { client, provider } = await clientOf(["One."]);

    const stream = client.stream(chatRequest(), { signal: noSignal, includeUsage: false });
    for await (const { usage } of stream) expect(usage).toBeUndefined();

    expect(provider.requests[0]?.body).not.toHaveProperty("stream_options");
  });

  it("is not repeated when the service refuses something else", async () => {
    const { client, provider } = await clientOf([], { provider: { refuses: ["temperature"] } });

    await expect(askInPieces(client)).rejects.toMatchObject({ code: "endpoints/provider-call", status: 400 });

    expect(provider.requests).toHaveLength(1);
  });
});

describe("a transcription request", () => {
  it("endpoints 25: is multipart with exactly file, model, temperature, language and prompt", async () => {
    const { client, provider } = await clientOf([{ text: " Guten Tag. " }]);
    const audio = new Uint8Array([1, 2, 3, 250]);

    const { text, requestId } = await client.transcribe(
      {
        model: "ear",
        audio,
        filename: "greeting.ogg",
        contentType: "audio/ogg",
        temperature: 0,
        language: "de",
        prompt: "A greeting.",
      },
      { signal: noSignal },
    );

    expect(text.trim()).toBe("Guten Tag.");
    expect(requestId).toBe("req_1");
    expect(provider.requests).toMatchObject([{ method: "POST", path: "/audio/transcriptions" }]);
    expect(provider.requests[0]?.form).toEqual({
      fields: { model: "ear", temperature: "0", language: "de", prompt: "A greeting." },
      files: { file: { name: "greeting.ogg", type: "audio/ogg", bytes: audio } },
    });
  });

  it("leaves out a language and a prompt that are not set", async () => {
    const { client, provider } = await clientOf(["Hello."]);

    await client.transcribe(
      {
        model: "ear",
        audio: new Uint8Array([1]),
        filename: "a.wav",
        contentType: "audio/wav",
        temperature: 0.2,
      },
      { signal: noSignal },
    );

    expect(provider.requests[0]?.form?.fields).toEqual({ model: "ear", temperature: "0.2" });
  });
});

describe("the list of models", () => {
  it("gives the identifiers and takes no entry of a script", async () => {
    const { client, provider } = await clientOf([], { provider: { models: ["a", "b/c"] } });

    expect(await client.listModels({ signal: noSignal })).toEqual(["a", "b/c"]);

    expect(provider.requests).toMatchObject([{ method: "GET", path: "/models" }]);
    provider.assertUsedUp();
  });

  it.each([
    { why: "a list without an envelope", body: [{ id: "a" }], ids: ["a"] },
    { why: "an empty list", body: { data: [] }, ids: [] },
  ])("takes $why", async ({ body, ids }) => {
    const { client } = await clientOf([], { provider: { models: { body } } });

    expect(await client.listModels({ signal: noSignal })).toEqual(ids);
  });

  it.each([
    { why: "an object without a list", body: {} },
    { why: "models without an identifier", body: { data: [{ id: "a" }, {}] } },
    { why: "a web page", body: "<!doctype html><title>Welcome</title>" },
  ])("is refused when it is $why", async ({ body }) => {
    const { client } = await clientOf([], { provider: { models: { body } } });

    await expect(client.listModels({ signal: noSignal })).rejects.toMatchObject({
      code: "endpoints/provider-protocol",
    });
  });
});
