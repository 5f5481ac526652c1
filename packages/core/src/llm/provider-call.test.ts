import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunEvent } from "../runtime/events.ts";
import { EventPipe } from "../runtime/pipe.ts";
import {
  assistantMessage,
  errorMessage,
  parseMessage,
  systemMessage,
  userMessage,
} from "../values/message.ts";
import { failure, ScriptedClient, type Act } from "./__fixtures__/scripted-client.ts";
import { ManualClock, settled } from "./__fixtures__/manual-clock.ts";
import { callLlmApi, type LlmCall } from "./call.ts";
import { setExternalCallLimit } from "./call-slots.ts";
import { LLMEndpoint, type LLMEndpointSettings } from "./endpoint.ts";
import { LLMAuthError } from "./errors.ts";

const messages = [systemMessage("Be brief."), userMessage("Hello")];
const hanging = (): Promise<never> => new Promise(() => undefined);
const url = "https://example.org/a.png";
const picture = parseMessage({ role: "user", content: "Look", images: [{ url }] });

let clock = new ManualClock();
let events: RunEvent[] = [];
let pipe = new EventPipe({ runId: "r", agentName: "a" });

beforeEach(() => {
  clock = new ManualClock();
  events = [];
  pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
});
afterEach(() => {
  setExternalCallLimit(8);
});

function endpointOf(client: ScriptedClient, settings: Partial<LLMEndpointSettings> = {}): LLMEndpoint {
  return new LLMEndpoint({ apiName: "groq", modelName: "m", ...settings, client });
}

function call(
  acts: readonly Act[],
  options: Partial<LlmCall> & { readonly settings?: Partial<LLMEndpointSettings> } = {},
) {
  const client = new ScriptedClient(acts);
  const { settings, ...rest } = options;
  const reply = callLlmApi({ endpoint: endpointOf(client, settings), messages, clock, pipe, ...rest });
  // A failure is looked at after the clock has moved.
  reply.catch(() => undefined);
  return { client, reply };
}

const runtimeEvents = () => events.filter((event) => event.type === "runtime");

describe("a call that is not streamed", () => {
  it("sends what the endpoint says, and gives text and tokens", async () => {
    const { client, reply } = call(
      [{ text: "Hi", usage: { tokenInput: 9, tokenOutput: 2, tokenCached: 4 } }],
      {
        messages: [...messages, assistantMessage("{}", { model: "x" }), errorMessage("no")],
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
    const { client, reply } = call([{ text: "Hi" }], { settings });
    await reply;
    expect(client.seen[0]?.request).not.toHaveProperty("extraBody");
    expect(client.seen[0]?.request).not.toHaveProperty("tools");
  });

  it.each([null, undefined])("takes a content of %s as empty", async (text) => {
    expect((await call([{ text }]).reply).text).toBe("");
  });

  it("leaves out of the telemetry what the provider does not say", async () => {
    expect(
      Object.entries((await call([{ text: "x" }]).reply).telemetry).filter(([, fact]) => fact !== undefined),
    ).toEqual([
      ["endpoint", "groq"],
      ["model", "m"],
    ]);
  });

  it("says what the call cost when the endpoint has prices", async () => {
    const usage = { tokenInput: 1_000_000, tokenOutput: 0 };
    const { reply } = call([{ text: "x", usage }], { settings: { prices: { inputPerMillion: 3 } } });
    expect((await reply).telemetry.costUsd).toBe(3);
  });

  it("core 87: is what an endpoint without streaming makes of a call that wants pieces", async () => {
    const pieces: string[] = [];
    const { client, reply } = call([{ text: "whole" }], {
      settings: { stream: false },
      onDelta: (piece) => pieces.push(piece),
    });
    expect((await reply).text).toBe("whole");
    expect(client.seen[0]?.includeUsage).toBeUndefined();
    expect(pieces).toEqual([]);
  });

  it("is what a call makes that wants no pieces", async () => {
    const { client, reply } = call([{ text: "whole" }]);
    await reply;
    expect(client.seen[0]?.includeUsage).toBeUndefined();
  });
});

describe("a call that is streamed", () => {
  const streamed = (acts: readonly Act[], options: Parameters<typeof call>[1] = {}) => {
    const pieces: string[] = [];
    return { pieces, ...call(acts, { onDelta: (piece) => pieces.push(piece), ...options }) };
  };

  it("delivers pieces that are not empty, and joins them", async () => {
    const { pieces, client, reply } = streamed([
      [
        { text: "Hel" },
        { text: "" },
        { text: null },
        {},
        { text: "lo" },
        { usage: { tokenInput: 1, tokenOutput: 2 } },
      ],
    ]);
    expect(await reply).toMatchObject({ text: "Hello", telemetry: { tokenInput: 1, tokenOutput: 2 } });
    expect(pieces).toEqual(["Hel", "lo"]);
    expect(client.seen[0]?.includeUsage).toBe(true);
    expect(client.streamsClosed).toBe(1);
  });

  it("counts the last usage that came", async () => {
    const { reply } = streamed([
      [
        { text: "a", usage: { tokenInput: 1 } },
        { usage: { tokenInput: 5, tokenOutput: 6 } },
        { finishReason: "stop" },
      ],
    ]);
    expect((await reply).telemetry).toMatchObject({ tokenInput: 5, tokenOutput: 6 });
  });

  it("is asked for again without usage when a provider refuses to be asked for it", async () => {
    const refusal = failure("Unknown field: stream_options", { status: 400 });
    const { client, reply } = streamed([refusal, [{ text: "a" }]]);
    expect((await reply).text).toBe("a");
    expect(client.seen.map(({ includeUsage }) => includeUsage)).toEqual([true, false]);
    expect(runtimeEvents().map(({ kind }) => kind)).toEqual(["started", "succeeded"]);
  });

  it("core 86: is tried again when it fails before a piece was delivered", async () => {
    const { pieces, client, reply } = streamed([[failure("x", { status: 503 })], [{ text: "a" }]]);
    await settled();
    await clock.advance(500);
    expect((await reply).text).toBe("a");
    expect(pieces).toEqual(["a"]);
    expect(client.streamsClosed).toBe(2);
  });

  it("core 86: is not tried again once a piece was delivered", async () => {
    const { client, reply } = streamed([[{ text: "a" }, failure("x", { status: 503 })]]);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-provider-unavailable" });
    expect(client.seen).toHaveLength(1);
    expect(client.streamsClosed).toBe(1);
  });

  it("is replaced after a piece was delivered when somebody can begin anew", async () => {
    const order: string[] = [];
    const { reply } = streamed([[{ text: "a" }, failure("x", { status: 503 })], [{ text: "b" }]], {
      onDelta: (piece) => order.push(piece),
      startReplacementStream: () => {
        order.push("anew");
      },
    });
    await settled();
    await clock.advance(500);
    expect((await reply).text).toBe("b");
    expect(order).toEqual(["a", "anew", "b"]);
    expect(runtimeEvents().find(({ kind }) => kind === "retrying")?.data).toMatchObject({
      partial_output_abandoned: true,
      attempt: 2,
      max_attempts: 3,
      delay_ms: 500,
      error_kind: "provider_unavailable",
    });
  });

  it("counts reasoning without keeping it", async () => {
    const { reply } = streamed([
      [
        { reasoning: "hidden thought", generationId: "gen-1" },
        { reasoning: "more", text: "a", finishReason: "stop", requestId: "req-1" },
        { usage: { tokenOutput: 3, tokenReasoning: 2 } },
      ],
    ]);
    await reply;
    expect(runtimeEvents().at(-1)).toMatchObject({
      kind: "succeeded",
      data: {
        response_chars: 1,
        reasoning_chars: 18,
        reasoning_chunks: 2,
        token_reasoning: 2,
        stream_chunks: 3,
        finish_reason: "stop",
        provider_generation_id: "gen-1",
        request_id: "req-1",
      },
    });
    expect(JSON.stringify(events)).not.toMatch(/thought|more/);
  });

  it("counts the reasoning of the attempt that succeeded only", async () => {
    const { reply } = streamed([
      [{ reasoning: "12345" }, failure("x", { status: 500 })],
      [{ reasoning: "67" }, { text: "a" }],
    ]);
    await settled();
    await clock.advance(500);
    await reply;
    expect(runtimeEvents().at(-1)?.data).toMatchObject({ reasoning_chars: 2, reasoning_chunks: 1 });
  });

  it("is not affected by a stream that cannot be closed", async () => {
    const client = new ScriptedClient([[{ text: "a" }, { text: "b" }]]);
    client.closeFailure = new Error("cannot close");
    const controller = new AbortController();
    const pieces: string[] = [];
    const reply = callLlmApi({
      endpoint: endpointOf(client),
      messages,
      pipe,
      clock,
      signal: controller.signal,
      onDelta: (piece) => {
        pieces.push(piece);
        controller.abort("enough");
      },
    });
    await expect(reply).rejects.toBe("enough");
    await settled();
    expect(client.streamsClosed).toBe(1);
    expect(runtimeEvents().filter(({ kind }) => kind === "failed")).toMatchObject([
      { message: "A stream could not be closed", data: { error_type: "Error" } },
    ]);
  });

  it("lets an error of whoever takes the pieces through, and does not call again", async () => {
    const mine = new Error("the sink is full: rate limit");
    const { client, reply } = streamed([[{ text: "a" }, { text: "b" }]], {
      onDelta: () => {
        throw mine;
      },
      startReplacementStream: () => undefined,
    });
    await expect(reply).rejects.toBe(mine);
    expect(client.seen).toHaveLength(1);
    expect(client.streamsClosed).toBe(1);
  });
});

describe("a call that fails", () => {
  it("core 55: is made three times in all, after 0.5 s and 1 s", async () => {
    const busy = failure("x", { status: 429 });
    const { client, reply } = call([busy, busy, busy]);
    await settled();
    expect(clock.pending).toEqual([500]);
    await clock.advance(499);
    expect(client.seen).toHaveLength(1);
    await clock.advance(1);
    expect(client.seen).toHaveLength(2);
    expect(clock.pending).toEqual([1000]);
    await clock.advance(1000);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-rate-limit", status: 429 });
    expect(client.seen).toHaveLength(3);
    expect(clock.pending).toEqual([]);
    expect(runtimeEvents().map(({ kind, level }) => `${kind} ${level}`)).toEqual([
      "started debug",
      "retrying warning",
      "retrying warning",
      "failed warning",
    ]);
    const ids = new Set(runtimeEvents().map(({ data }) => data["call_id"]));
    expect(ids.size).toBe(1);
  });

  it("waits no longer than it may", async () => {
    const down = failure("x", { status: 500 });
    const { reply } = call([down, down, down, down, down, { text: "up" }], { maxAttempts: 6 });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await settled();
      waits.push(...clock.pending);
      await clock.advance(4000);
    }
    expect((await reply).text).toBe("up");
    expect(waits).toEqual([500, 1000, 2000, 4000, 4000]);
  });

  it.each([
    { after: "2", wait: 2000 },
    { after: "0", wait: 0 },
    { after: "60", wait: 4000 },
    { after: "later", wait: 500 },
  ])("waits $wait ms when the provider asks for $after s", async ({ after, wait }) => {
    const busy = failure("x", { status: 429, headers: new Headers({ "retry-after": after }) });
    const { reply } = call([busy, { text: "up" }]);
    await settled();
    expect(clock.pending).toEqual([wait]);
    await clock.advance(wait);
    expect((await reply).text).toBe("up");
  });

  it.each([
    {
      why: "core 82: an empty account",
      error: failure("insufficient quota", { status: 429 }),
      code: "core/llm-insufficient-funds",
    },
    { why: "a bad key", error: failure("x", { status: 401 }), code: "core/llm-auth" },
    { why: "core 83: a refusal", error: failure("x", { status: 418 }), code: "core/llm-provider-request" },
    {
      why: "too long a conversation",
      error: failure("context", { status: 400 }),
      code: "core/llm-context-limit",
    },
    { why: "something unknown", error: failure("x"), code: "core/llm-unknown-provider" },
    { why: "an error of ours", error: new LLMAuthError({ message: "no" }), code: "core/llm-auth" },
  ])("is not made again for $why", async ({ error, code }) => {
    const { client, reply } = call([error]);
    await expect(reply).rejects.toMatchObject({ code });
    expect(client.seen).toHaveLength(1);
  });

  it("core 84: is made again after a broken pipe", async () => {
    const { reply } = call([
      new Error("odd", { cause: failure("write", { code: "EPIPE" }) }),
      { text: "up" },
    ]);
    await settled();
    await clock.advance(500);
    expect((await reply).text).toBe("up");
  });

  it("core 82: is made again for an error class that the endpoint declares", async () => {
    class Busy extends Error {}
    const { reply } = call([Object.assign(new Busy("insufficient quota"), { status: 429 }), { text: "up" }], {
      settings: { rateLimitError: Busy },
    });
    await settled();
    await clock.advance(500);
    expect((await reply).text).toBe("up");
  });

  it("tells its run a status and the request's identifier, no words", async () => {
    const error = failure("secret words", { status: 401, requestID: "req_9", headers: new Headers() });
    await expect(call([error]).reply).rejects.toThrow();
    expect(runtimeEvents().at(-1)).toMatchObject({
      kind: "failed",
      level: "warning",
      data: {
        error_kind: "auth",
        error_type: "LLMAuthError",
        status: 401,
        request_id: "req_9",
        duration_ms: 0,
      },
    });
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  it("lets an error of the client's build through as it is, and does not build again", async () => {
    let builds = 0;
    const missing = new Error("GROQ_API_KEY is not set: api key");
    const client = (): never => {
      builds += 1;
      throw missing;
    };
    const endpoint = new LLMEndpoint({ apiName: "groq", modelName: "m", client });
    await expect(callLlmApi({ endpoint, messages, clock })).rejects.toBe(missing);
    expect(builds).toBe(1);
  });
});

describe("giving a call up", () => {
  it("core 85: happens at its deadline, after one attempt, and closes the connection", async () => {
    const { client, reply } = call([hanging], { timeoutMs: 1000, maxAttempts: 3 });
    await settled();
    await clock.advance(1000);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-timeout", timeoutMs: 1000 });
    expect(client.seen).toHaveLength(1);
    expect(client.seen[0]?.signal.aborted).toBe(true);
    expect(runtimeEvents().map(({ kind }) => kind)).toEqual(["started", "timed_out"]);
  });

  it("measures the deadline anew for each attempt", async () => {
    const { reply } = call([failure("x", { status: 500 }), hanging], { timeoutMs: 600 });
    await settled();
    await clock.advance(500);
    expect(clock.pending).toEqual([600]);
    await clock.advance(600);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-timeout" });
  });

  it.each([
    {
      why: "a cancel",
      fire: () => {
        pipe.cancel();
      },
      code: "core/llm-call-cancelled",
      kind: "cancelled",
    },
    {
      why: "an interrupt",
      fire: () => {
        pipe.interrupt();
        pipe.clearInterrupt();
      },
      code: "core/llm-call-interrupted",
      kind: "interrupted",
    },
  ])("happens at once for $why", async ({ fire, code, kind }) => {
    const { client, reply } = call([hanging]);
    await settled();
    fire();
    await expect(reply).rejects.toMatchObject({ code });
    expect(client.seen[0]?.signal.aborted).toBe(true);
    expect(runtimeEvents().at(-1)).toMatchObject({ kind, level: "error" });
  });

  it("core 90: happens at once during a pause", async () => {
    const { client, reply } = call([failure("x", { status: 500 })]);
    await settled();
    pipe.cancel();
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-cancelled" });
    expect(clock.pending).toEqual([]);
    expect(client.seen).toHaveLength(1);
  });

  it("rejects with the signal's own reason, before, during and between attempts", async () => {
    const reason = new Error("gone");
    const early = call([], { signal: AbortSignal.abort(reason) });
    await expect(early.reply).rejects.toBe(reason);
    expect(early.client.seen).toHaveLength(0);

    for (const acts of [[hanging], [failure("x", { status: 500 })]]) {
      const controller = new AbortController();
      const { reply } = call(acts, { signal: controller.signal });
      await settled();
      controller.abort(reason);
      await expect(reply).rejects.toBe(reason);
    }
    expect(runtimeEvents().at(-1)).toMatchObject({ kind: "cancelled", data: { error_kind: "cancelled" } });
  });

  it("ignores what comes later, also when it is no success", async () => {
    let finish: (text: string) => void = () => undefined;
    let fail: (error: Error) => void = () => undefined;
    const late = new Promise<{ text: string }>((resolve, reject) => {
      finish = (text) => {
        resolve({ text });
      };
      fail = reject;
    });
    const { reply } = call([() => late]);
    await settled();
    pipe.interrupt();
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-interrupted" });
    const told = events.length;
    pipe.clearInterrupt();
    finish("late");
    fail(new Error("late"));
    await settled();
    expect(events).toHaveLength(told);
  });

  it("delivers no piece that comes later", async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const client = new ScriptedClient([]);
    async function* pieces() {
      yield { text: "a" };
      await gate;
      yield { text: "b" };
    }
    const taken: string[] = [];
    const reply = callLlmApi({
      endpoint: endpointOf(Object.assign(client, { stream: pieces })),
      messages,
      clock,
      pipe,
      onDelta: (piece) => taken.push(piece),
    });
    await settled();
    pipe.cancel();
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-cancelled" });
    go();
    await settled();
    expect(taken).toEqual(["a"]);
  });
});

describe("the number of calls at once", () => {
  it("is 8; a ninth waits for its turn, and its time runs", async () => {
    let finish: (reply: { text: string }) => void = () => undefined;
    const first = new Promise<{ text: string }>((resolve) => {
      finish = resolve;
    });
    const busy = [call([() => first]), ...Array.from({ length: 7 }, () => call([hanging]))];
    const ninth = call([{ text: "nine" }]);
    const tenth = call([{ text: "ten" }], { timeoutMs: 100 });
    await settled();
    expect(busy.map(({ client }) => client.seen.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(ninth.client.seen).toHaveLength(0);
    await clock.advance(100);
    await expect(tenth.reply).rejects.toMatchObject({ code: "core/llm-call-timeout" });
    finish({ text: "one" });
    expect((await ninth.reply).text).toBe("nine");
    expect(tenth.client.seen).toHaveLength(0);
    pipe.cancel();
    await Promise.allSettled(busy.map(({ reply }) => reply));
    const after = call([{ text: "free again" }], { pipe: undefined });
    expect((await after.reply).text).toBe("free again");
  });

  it("can be set", async () => {
    setExternalCallLimit(1);
    const first = call([hanging]);
    const second = call([{ text: "two" }]);
    await settled();
    expect(second.client.seen).toHaveLength(0);
    setExternalCallLimit(2);
    expect((await second.reply).text).toBe("two");
    pipe.cancel();
    await expect(first.reply).rejects.toMatchObject({ code: "core/llm-call-cancelled" });
    expect(() => {
      setExternalCallLimit(0);
    }).toThrow(expect.objectContaining({ code: "core/llm-client" }));
  });
});

describe("images", () => {
  it("go to a model that takes them", async () => {
    const { client, reply } = call([{ text: "x" }], {
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
    await expect(callLlmApi({ endpoint, messages: [picture], pipe })).rejects.toMatchObject({
      code: "core/llm-client",
      message: blind,
    });
    expect(builds).toBe(0);
  });

  it.each(["system", "assistant"])("core 11: are refused on a message of the role %s", async (role) => {
    const message = parseMessage({ role, content: "x", images: [{ url }] });
    const { client, reply } = call([], { messages: [message], settings: { acceptsImages: true } });
    await expect(reply).rejects.toMatchObject({ code: "core/llm-client" });
    expect(client.seen).toHaveLength(0);
  });

  it("stay behind when a scrubber leaves them out", async () => {
    const { client, reply } = call([{ text: "x" }], {
      messages: [picture],
      scrubber: (given) => given.map(({ role, content }) => ({ role, content: `${content}!`, other: 1 })),
    });
    await reply;
    expect(client.seen[0]?.request.messages).toEqual([{ role: "user", content: "Look!" }]);
  });

  it("come to a scrubber after the endpoint's mapper", async () => {
    const { client, reply } = call([{ text: "x" }], {
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
    const { client, reply } = call([], options);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-client" });
    expect(client.seen).toHaveLength(0);
    expect(events).toEqual([]);
  });
});
