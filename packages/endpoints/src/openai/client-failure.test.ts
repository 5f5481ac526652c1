import type { ChatReply } from "@roboz/core";
import { describe, expect, it } from "vitest";

import type { ScriptedAnswer, ScriptEntry } from "../testing/index.ts";
import { ask, askInPieces, chatRequest, clientOf, joined, noSignal, testKey } from "./__fixtures__/asking.ts";
import { holdTimers } from "./__fixtures__/timers.ts";
import { ProviderCallError } from "./provider-errors.ts";

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const bothWays = [
  { way: "whole", read: ask },
  {
    way: "streamed",
    read: async (...asked: Parameters<typeof askInPieces>): Promise<ChatReply> =>
      joined(await askInPieces(...asked)),
  },
];

describe.each(bothWays)("a $way request", ({ way, read }) => {
  it.each<{
    why: string;
    entry: ScriptedAnswer;
    failure: Readonly<Record<string, unknown>> & { says?: string };
  }>([
    {
      why: "429 with retry-after",
      entry: {
        status: 429,
        error: { message: "Slow down", code: "rate_limit_exceeded" },
        headers: { "retry-after": "2" },
      },
      failure: { status: 429, providerCode: "rate_limit_exceeded" },
    },
    { why: "429 without a body", entry: { status: 429, body: "" }, failure: { status: 429 } },
    {
      why: "500 with a web page",
      entry: { status: 500, body: "<h1>Author of this page: auth</h1>" },
      failure: { status: 500, message: "The service refused the request or failed at it (500)" },
    },
    {
      why: "401",
      entry: {
        status: 401,
        error: { message: "Incorrect key", code: "invalid_api_key", type: "auth_error" },
      },
      failure: { status: 401, providerCode: "invalid_api_key", providerType: "auth_error" },
    },
    {
      why: "402",
      entry: { status: 402, error: { message: "Insufficient credits", code: 402 } },
      failure: { status: 402 },
    },
    {
      why: "a context overflow",
      entry: {
        status: 400,
        error: { message: "Maximum context length exceeded", code: "context_length_exceeded" },
      },
      failure: { status: 400, says: "Maximum context length exceeded" },
    },
    {
      why: "words at the top of the body",
      entry: {
        status: 400,
        body: { object: "error", message: "Too long for the context", type: "BadRequestError", code: 400 },
      },
      failure: { says: "Too long for the context", providerType: "BadRequestError" },
    },
    {
      why: "words in a list",
      entry: {
        status: 400,
        body: [{ error: { code: 400, message: "No such model", status: "INVALID_ARGUMENT" } }],
      },
      failure: { says: "No such model", providerCode: "INVALID_ARGUMENT" },
    },
    {
      why: "words of a validator",
      entry: { status: 422, body: { detail: [{ loc: ["body", "temperature"], msg: "is too hot" }] } },
      failure: { status: 422, says: "body.temperature: is too hot" },
    },
    {
      why: "an error that is a text",
      entry: { status: 404, body: { error: "model 'x' not found" } },
      failure: { status: 404, says: "model 'x' not found" },
    },
    {
      why: "a router's words and those behind them",
      entry: {
        status: 400,
        body: {
          error: {
            message: "Provider returned error",
            code: 400,
            metadata: { raw: '{"error":{"message":"context too long"}}' },
          },
        },
      },
      failure: { says: "Provider returned error: context too long" },
    },
    {
      why: "an error inside a 200",
      entry: { error: { message: "Upstream is overloaded", code: 502 } },
      failure: { status: 502, says: "Upstream is overloaded" },
    },
    {
      why: "an error inside a 200 that is not streamed",
      entry: { body: { error: { message: "Too many requests", code: "429" } } },
      failure: { status: 429 },
    },
    {
      why: "an error in the choice",
      entry: {
        body: { choices: [{ message: { content: "" }, error: { message: "Upstream broke", code: 503 } }] },
      },
      failure: { status: 503 },
    },
    {
      why: "an error as the finish reason alone",
      entry: { text: "Hi", finishReason: "error" },
      failure: { status: undefined, says: "in place of the reply" },
    },
    {
      why: "a connection that is reset",
      entry: { breakOff: { how: "reset" } },
      failure: { status: undefined, message: "The connection to the service failed" },
    },
    {
      why: "a connection that is closed without an answer",
      entry: { breakOff: { how: "cut" } },
      failure: { status: undefined, message: "The connection to the service failed" },
    },
    {
      why: "a connection that is reset in the middle",
      entry: { pieces: ["One.", "Two."], breakOff: { how: "reset", afterPieces: 1 } },
      failure: { status: undefined, message: "The connection to the service failed" },
    },
    {
      why: "a connection that is cut in the middle",
      entry: { pieces: ["One.", "Two."], breakOff: { how: "cut", afterPieces: 1 } },
      failure: { status: undefined, message: "The connection to the service failed" },
    },
    {
      why: "a redirect",
      entry: { status: 307, headers: { location: "http://127.0.0.1:1/elsewhere" } },
      failure: { status: 307, says: "redirects" },
    },
  ])("fails with what the service said, for $why", async ({ entry, failure }) => {
    const { says = "", ...facts } = failure;
    const { client, provider } = await clientOf([entry]);

    const error = await failureOf(read(client));

    expect(error).toBeInstanceOf(ProviderCallError);
    expect(error).toMatchObject({ code: "endpoints/provider-call", ...facts });
    expect(String(error)).toContain(says);
    expect(provider.requests, "nothing is asked twice").toHaveLength(1);
  });

  it("keeps the headers of a refusal, for the time to wait and the request's name", async () => {
    const { client } = await clientOf([{ status: 429, headers: { "retry-after": "2" } }]);

    const error = await failureOf(read(client));

    const headers = error instanceof ProviderCallError ? error.headers : undefined;
    expect(headers?.get("retry-after")).toBe("2");
    expect(headers?.get("x-request-id")).toBe("req_1");
  });

  it.each<{ why: string; entry: ScriptEntry }>([
    { why: "a web page", entry: { body: "<!doctype html><title>Welcome</title>" } },
    { why: "an object of another kind", entry: { body: { hello: "world" } } },
    { why: "no choice", entry: { body: { choices: [] } } },
    {
      why: "broken JSON",
      entry: { body: 'data: {"secret reply', headers: { "content-type": "application/json" } },
    },
  ])("fails as no answer of the protocol, for $why", async ({ entry }) => {
    const { client } = await clientOf([entry]);

    const error = await failureOf(read(client));

    expect(error).toMatchObject({ code: "endpoints/provider-protocol" });
    expect(String(error)).not.toContain("secret reply");
  });

  it("fails when the service is silent for too long", async () => {
    const timers = holdTimers(61_000);
    const { client, provider } = await clientOf([{ delayMs: 30_000 }], { timeoutMs: 61_000 });

    const asked = failureOf(read(client));
    const request = await provider.received(1);
    timers.fire();

    expect(await asked).toMatchObject({
      code: "endpoints/provider-call",
      message: "The service sent nothing for 61000 ms",
      cause: { code: "ETIMEDOUT" },
    });
    expect(await request.ended).toBe("abandoned");
  });

  it("fails when the service is silent in the middle", async () => {
    const { client } = await clientOf(
      [{ pieces: ["One.", "Two."], breakOff: { how: "silence", afterPieces: 1 } }],
      { timeoutMs: 40 },
    );

    await expect(read(client)).rejects.toMatchObject({ message: "The service sent nothing for 40 ms" });
  });

  it("rejects with a signal's own reason and closes the connection when the signal fires", async () => {
    const { client, provider } = await clientOf([{ delayMs: 30_000 }]);
    const controller = new AbortController();
    const reason = new Error("nobody waits");

    const asked = failureOf(read(client, chatRequest(), controller.signal));
    const request = await provider.received(1);
    controller.abort(reason);

    expect(await asked).toBe(reason);
    expect(await request.ended).toBe("abandoned");
  });

  it("sends nothing when the signal has fired before", async () => {
    const { client, provider } = await clientOf([]);
    const reason = new Error("too late");

    expect(await failureOf(read(client, chatRequest(), AbortSignal.abort(reason)))).toBe(reason);
    expect(provider.requests).toEqual([]);
  });

  it("never shows the key, also when the service repeats it", async () => {
    const repeating = { message: `Bad key ${testKey} ${"x".repeat(2000)}`, code: testKey };
    const entry = { status: way === "whole" ? 401 : 200, error: repeating };
    const { client } = await clientOf([entry]);

    const error = await failureOf(read(client));

    expect(String(error)).toContain("Bad key [redacted]");
    expect(everythingOf(error)).not.toContain(testKey);
  });
});

it("fails for a stream that ends early as if it were whole", async () => {
  const { client } = await clientOf([{ pieces: ["One.", "Two."], breakOff: { how: "end", afterPieces: 1 } }]);

  await expect(askInPieces(client)).rejects.toMatchObject({
    code: "endpoints/provider-call",
    cause: { code: "ERR_STREAM_PREMATURE_CLOSE" },
  });
});

it("fails for a service that nobody runs", async () => {
  const { client, provider } = await clientOf([]);
  await provider.close();

  await expect(ask(client)).rejects.toMatchObject({
    code: "endpoints/provider-call",
    cause: { cause: { code: "ECONNREFUSED" } },
  });
});

it("fails for a transcription without a text", async () => {
  const { client } = await clientOf([{ body: { task: "transcribe" } }]);
  const request = {
    model: "ear",
    audio: new Uint8Array([1]),
    filename: "a.wav",
    contentType: "audio/wav",
    temperature: 0,
  };

  await expect(client.transcribe(request, { signal: noSignal })).rejects.toMatchObject({
    code: "endpoints/provider-protocol",
  });
});

/** All texts of an error, its causes and its fields. */
function everythingOf(error: unknown, depth = 0): string {
  if (depth > 5 || typeof error !== "object" || error === null) return String(error);
  return Reflect.ownKeys(error)
    .map((name) => everythingOf(Reflect.get(error, name), depth + 1))
    .join("\n");
}
