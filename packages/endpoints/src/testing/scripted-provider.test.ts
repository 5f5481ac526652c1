import { describe, expect, it, onTestFinished } from "vitest";

import { scriptedProvider, type ScriptEntry, type ScriptedProviderOptions } from "./index.ts";

const hello = { model: "m", messages: [{ role: "user", content: "Hello?" }] };

async function start(script: readonly ScriptEntry[], options: ScriptedProviderOptions = {}) {
  const provider = await scriptedProvider(script, options);
  onTestFinished(() => provider.close());
  const post = (body: object, path = "/chat/completions", headers: Record<string, string> = {}) =>
    fetch(provider.baseUrl + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return { provider, post };
}

describe("a scripted provider", () => {
  it("answers entries in order: a text, an answer, a function of the request", async () => {
    const { provider, post } = await start([
      "One.",
      { text: "Two.", finishReason: "length" },
      ({ body }) => `Three, ${String(body["model"])}.`,
    ]);

    const replies = [];
    for (let count = 0; count < 3; count += 1) replies.push(await (await post(hello)).json());

    expect(replies).toMatchObject([
      { choices: [{ message: { role: "assistant", content: "One." }, finish_reason: "stop" }] },
      { choices: [{ message: { content: "Two." }, finish_reason: "length" }] },
      { choices: [{ message: { content: "Three, m." } }] },
    ]);
    expect(() => {
      provider.assertUsedUp();
    }).not.toThrow();
  });

  it("streams pieces, the finish reason, usage if asked for, and the end mark", async () => {
    const { post } = await start([{ pieces: ["Gr", "üße"], usage: { prompt: 3, completion: 2 } }]);

    const response = await post({ ...hello, stream: true, stream_options: { include_usage: true } });

    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const events = (await response.text()).trim().split("\n\n");
    expect(events.pop()).toBe("data: [DONE]");
    expect(events.map((event): unknown => JSON.parse(event.replace("data: ", "")))).toMatchObject([
      { choices: [{ delta: { role: "assistant", content: "Gr" }, finish_reason: null }] },
      { choices: [{ delta: { content: "üße" } }] },
      { choices: [{ delta: {}, finish_reason: "stop" }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
    ]);
  });

  it("records requests and tells when one has arrived and how it ended", async () => {
    const { provider, post } = await start(["One."]);
    const arrival = provider.received(2);

    await (await post(hello)).text();
    await (await post(hello, "/unknown", { "X-Mine": "yes" })).text();

    expect(await arrival).toBe(provider.requests[1]);
    expect(provider.requests).toMatchObject([
      { method: "POST", path: "/chat/completions", body: hello },
      { path: "/unknown", headers: { "x-mine": "yes" } },
    ]);
    expect(await provider.requests[0]?.ended).toBe("answered");
  });

  it.each<{ why: string; body: object }>([
    { why: "without a model", body: { messages: hello.messages } },
    { why: "without messages", body: { model: "m", messages: [] } },
    { why: "that is too hot", body: { ...hello, temperature: 3 } },
    {
      why: "for usage in a stream, without a stream",
      body: { ...hello, stream_options: { include_usage: true } },
    },
    {
      why: "with a tool without parameters",
      body: { ...hello, tools: [{ type: "function", function: { name: "a" } }] },
    },
    { why: "of an unknown role", body: { model: "m", messages: [{ role: "error", content: "!" }] } },
    {
      why: "with an image from the system",
      body: {
        model: "m",
        messages: [{ role: "system", content: [{ type: "image_url", image_url: { url: "https://a.b" } }] }],
      },
    },
    {
      why: "with an empty assistant message",
      body: { model: "m", messages: [{ role: "assistant", content: null }] },
    },
    { why: "with a call that is not answered", body: { model: "m", messages: [calling("a")] } },
    {
      why: "with a message between a call and its result",
      body: { model: "m", messages: [calling("a"), ...hello.messages, result("a")] },
    },
    { why: "with a result of no call", body: { model: "m", messages: [result("a")] } },
    {
      why: "with two results of one call",
      body: { model: "m", messages: [calling("a"), result("a"), result("a")] },
    },
    {
      why: "with arguments that are no text",
      body: { model: "m", messages: [calling("a", { b: 1 }), result("a")] },
    },
  ])("refuses a request $why, and keeps its entry", async ({ body }) => {
    const { provider, post } = await start(["One."]);

    const response = await post(body);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
    expect((await post(hello)).status).toBe(200);
    provider.assertUsedUp();
  });

  it("takes a conversation in which each call has its result", async () => {
    const { post } = await start(["Done."]);
    const messages = [
      ...hello.messages,
      calling("a"),
      result("a"),
      calling("b"),
      result("b"),
      ...hello.messages,
    ];

    expect((await post({ model: "m", messages })).status).toBe(200);
  });

  it("lets in the key it was given, and no other", async () => {
    const { post } = await start(["One."], { apiKey: "right" });

    const wrong = await post(hello, undefined, { authorization: "Bearer wrong" });
    const right = await post(hello, undefined, { authorization: "Bearer right" });

    expect([wrong.status, right.status]).toEqual([401, 200]);
  });

  it.each<{ why: string; script: readonly ScriptEntry[]; asked: number; message: RegExp }>([
    { why: "an entry is left", script: ["One.", "Two."], asked: 1, message: /2 entries, and 1/ },
    { why: "it was asked for more", script: ["One."], asked: 2, message: /1 entries, and 2/ },
    {
      why: "an entry threw",
      script: [
        () => {
          throw new Error("no");
        },
      ],
      asked: 1,
      message: /failed/,
    },
  ])("says that a script was not used up when $why", async ({ script, asked, message }) => {
    const { provider, post } = await start(script);

    const statuses = [];
    for (let count = 0; count < asked; count += 1) statuses.push((await post(hello)).status);

    expect(() => {
      provider.assertUsedUp();
    }).toThrow(message);
    expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([]);
  });
});

describe("a provider that is closed", () => {
  it("ends answers that are under way, and may be closed again", async () => {
    const { provider, post } = await start([
      { delayMs: 30_000 },
      { text: "Hi.", breakOff: { how: "silence", afterPieces: 1 } },
    ]);
    const late = post(hello).catch((error: unknown) => error);
    await provider.received(1);
    const silent = await post({ ...hello, stream: true });

    await provider.close();
    await provider.close();

    expect(await late).toBeInstanceOf(Error);
    await expect(silent.text()).rejects.toThrow();
    expect(await provider.requests[0]?.ended).toBe("abandoned");
    await expect(fetch(provider.baseUrl)).rejects.toThrow();
  });

  it("tells those who wait for a request", async () => {
    const { provider } = await start([]);
    const arrival = provider.received(1);

    await provider.close();

    await expect(arrival).rejects.toThrow(/closed before request 1/);
  });

  it("is closed at the end of an `await using` block", async () => {
    const provider = await scriptedProvider(["One."]);
    await provider[Symbol.asyncDispose]();

    await expect(fetch(provider.baseUrl)).rejects.toThrow();
  });
});

function calling(id: string, given: unknown = "{}") {
  const call = { id, type: "function", function: { name: "a", arguments: given } };
  return { role: "assistant", content: null, tool_calls: [call] };
}

function result(id: string) {
  return { role: "tool", tool_call_id: id, content: "done" };
}
