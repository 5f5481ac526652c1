import {
  Agent,
  callLlmApi,
  callTranscriptionApi,
  Empty,
  EventPipe,
  getCompletion,
  LLMEndpoint,
  Stop,
  tool,
  TranscriptionEndpoint,
  userMessage,
  type Clock,
  type EventSink,
  type LlmCall,
} from "@roboz/core";
import { beforeEach, describe, expect, it } from "vitest";

import type { ScriptedAnswer, ScriptEntry } from "../testing/index.ts";
import { clientOf, testKey } from "./__fixtures__/asking.ts";
import { holdTimers, type HeldTimers } from "./__fixtures__/timers.ts";
import type { OpenAIClient } from "./client.ts";

/** A reply that is an action of the agent below, and takes several bytes for some of its characters. */
const good = '{"action":"finish","rationale":"Grüße aus 北京 🥟"}';
const messages = [userMessage("Hello?")];

const finish = tool({
  name: "finish",
  description: "Ends the run.",
  input: Empty,
  output: Stop,
  run: () => Stop({ value: good }),
});

function endpointOf(client: OpenAIClient): LLMEndpoint {
  return new LLMEndpoint({ client, apiName: "scripted", modelName: "scripted-model" });
}

function agentOf(endpoint: LLMEndpoint): Agent {
  return new Agent({
    name: "tester",
    mode: "autonomous",
    systemPrompt: "You finish.",
    endpoint,
    tools: [finish],
  });
}

async function textOf(call: Promise<{ readonly text: string }>): Promise<string> {
  return (await call).text;
}

/** How a reply is asked for; the text that comes, or of a run what it ends with. */
const ways = {
  call: (endpoint: LLMEndpoint) => textOf(callLlmApi({ endpoint, messages })),
  deltas: async (endpoint: LLMEndpoint) => {
    const deltas: string[] = [];
    const text = await textOf(callLlmApi({ endpoint, messages, onDelta: (delta) => deltas.push(delta) }));
    expect(deltas.join("")).toBe(text);
    return text;
  },
  completion: (endpoint: LLMEndpoint) => getCompletion({ endpoint, messages }),
  run: async (endpoint: LLMEndpoint) => (await agentOf(endpoint).complete()).output.value,
  heardRun: async (endpoint: LLMEndpoint) =>
    (await agentOf(endpoint).complete(undefined, { sinks: [() => undefined] })).output.value,
};

/** What comes of an answer that is followed by good ones. */
type Ending =
  | { readonly text: string; readonly requests: number }
  | { readonly code: string; readonly requests: number; readonly status?: number };

interface Quirk {
  readonly why: string;
  readonly answer: ScriptedAnswer;
  /** Of all ways that have no ending of their own. */
  readonly ends: Ending;
  readonly deltas?: Ending;
  /** Of a run, listened to or not. */
  readonly run?: Ending;
  readonly heardRun?: Ending;
}

const atOnce: Ending = { text: good, requests: 1 };
const atSecondTry: Ending = { text: good, requests: 2 };
const [start, rest] = [good.slice(0, 10), good.slice(10)];

const quirks: readonly Quirk[] = [
  { why: "null content", answer: { text: null }, ends: { text: "", requests: 1 }, run: atSecondTry },
  { why: "missing usage", answer: { text: good, usage: null }, ends: atOnce },
  {
    why: "AL-04: a reply cut by length",
    answer: { text: start, finishReason: "length" },
    ends: { text: start, requests: 1 },
    run: atSecondTry,
  },
  { why: "keep-alive comments", answer: { text: good, keepAlive: true }, ends: atOnce },
  { why: "chunks split inside a character", answer: { text: good, bytesPerWrite: 1 }, ends: atOnce },
  {
    why: "AL-06: an error inside a 200",
    answer: { error: { message: "Upstream is busy", code: 502 } },
    ends: atSecondTry,
  },
  {
    why: "AL-06: an error inside a 200 after text",
    answer: { text: start, error: { message: "Upstream is busy", code: 502 } },
    ends: atSecondTry,
    deltas: { code: "core/llm-provider-unavailable", status: 502, requests: 1 },
  },
  {
    why: "a stream cut in the middle",
    answer: { pieces: [start, rest], breakOff: { how: "cut", afterPieces: 1 } },
    ends: atSecondTry,
    deltas: { code: "core/llm-provider-unavailable", requests: 1 },
  },
  {
    why: "a reply that ends in the middle as if it were whole",
    answer: { pieces: [start, rest], breakOff: { how: "end", afterPieces: 1 } },
    ends: { code: "core/llm-unknown-provider", requests: 1 },
    deltas: { code: "core/llm-provider-unavailable", requests: 1 },
    heardRun: atSecondTry,
  },
  {
    why: "429 with retry-after",
    answer: { status: 429, error: { message: "Slow down" }, headers: { "retry-after": "0" } },
    ends: atSecondTry,
  },
  {
    why: "429 without retry-after",
    answer: { status: 429, error: { message: "Slow down" } },
    ends: atSecondTry,
  },
  { why: "500", answer: { status: 500, body: "<h1>Internal error</h1>" }, ends: atSecondTry },
  {
    why: "401",
    answer: { status: 401, error: { message: "Incorrect key" } },
    ends: { code: "core/llm-auth", status: 401, requests: 1 },
  },
  {
    why: "402",
    answer: { status: 402, error: { message: "Payment required" } },
    ends: { code: "core/llm-insufficient-funds", status: 402, requests: 1 },
  },
  {
    why: "429 for an account without quota",
    answer: { status: 429, error: { message: "You exceeded your quota", code: "insufficient_quota" } },
    ends: { code: "core/llm-insufficient-funds", status: 429, requests: 1 },
  },
  {
    why: "a context overflow",
    answer: { status: 400, error: { message: "Maximum context length exceeded" } },
    ends: { code: "core/llm-context-limit", status: 400, requests: 1 },
  },
  {
    why: "another refusal",
    answer: { status: 400, error: { message: "Unsupported response format" } },
    ends: { code: "core/llm-provider-request", status: 400, requests: 1 },
  },
  { why: "a connection reset", answer: { breakOff: { how: "reset" } }, ends: atSecondTry },
  {
    why: "a connection reset in the middle",
    answer: { pieces: [start, rest], breakOff: { how: "reset", afterPieces: 1 } },
    ends: atSecondTry,
    deltas: { code: "core/llm-provider-unavailable", requests: 1 },
  },
  { why: "a long silence", answer: { text: good, delayMs: 30_000 }, ends: atSecondTry },
  {
    why: "a web page",
    answer: { body: "<!doctype html><title>Welcome</title>" },
    ends: { code: "core/llm-unknown-provider", requests: 1 },
  },
];

/** The longest silence that the clients here put up with. */
const silenceMs = 61_000;
let timers: HeldTimers;

beforeEach(() => {
  // The waits before another attempt are core's own and tested there.
  timers = holdTimers(silenceMs, [500, 1000]);
});

describe.each([
  { title: "a call", way: "call" as const },
  { title: "a call with deltas", way: "deltas" as const },
  { title: "a raw completion", way: "completion" as const },
  { title: "a run", way: "run" as const },
  { title: "a run that is listened to", way: "heardRun" as const },
])("$title over a service", ({ way }) => {
  it.each(quirks)("comes to its end after $why", async (quirk) => {
    const isRun = way === "run" || way === "heardRun";
    const ending =
      (isRun && way === "heardRun" ? quirk.heardRun : undefined) ??
      (isRun ? quirk.run : undefined) ??
      (way === "deltas" ? quirk.deltas : undefined) ??
      quirk.ends;
    const { requests, ...end } = ending;
    const { client, provider } = await clientOf([quirk.answer, ...Array<ScriptEntry>(4).fill(good)], {
      timeoutMs: silenceMs,
    });

    const outcome = ways[way](endpointOf(client));
    if (quirk.answer.delayMs !== undefined) void provider.received(1).then(timers.fire);

    if ("text" in end) expect(await outcome).toBe(end.text);
    else await expect(outcome).rejects.toMatchObject(end);
    expect(provider.requests).toHaveLength(requests);
    expect(provider.requests.map(({ body }) => body["stream"] === true)).toEqual(
      Array(requests).fill(way === "deltas" || way === "heardRun"),
    );
  });

  it("gives up after three attempts at a service that stays away", async () => {
    const { client, provider } = await clientOf(Array<ScriptEntry>(3).fill({ status: 503 }));

    await expect(ways[way](endpointOf(client))).rejects.toMatchObject({
      code: "core/llm-provider-unavailable",
      status: 503,
      requestId: "req_3",
    });
    provider.assertUsedUp();
  });

  it("never shows the key, nor the service's words in the error's own message", async () => {
    const { client } = await clientOf([{ status: 401, error: { message: `Bad key ${testKey}` } }]);

    const error = await ways[way](endpointOf(client)).catch((thrown: unknown) => thrown);

    expect(String(error)).not.toContain("Bad key");
    expect(error).toMatchObject({ code: "core/llm-auth", cause: { code: "endpoints/provider-call" } });
    expect(String(error instanceof Error ? error.cause : error)).not.toContain(testKey);
  });
});

it("AL-12: nothing that was said, and nothing of the request, is in the runtime events of a run", async () => {
  const { client, provider } = await clientOf(
    [
      { status: 503, error: { message: "hidden words of the service" } },
      "A hidden reply that is no action.",
      { text: good, reasoning: "a hidden thought" },
    ],
    { headers: { "x-hidden": "hidden-header" } },
  );
  const agent = new Agent({
    name: "tester",
    mode: "autonomous",
    systemPrompt: "The hidden prompt.",
    endpoint: endpointOf(client),
    tools: [finish],
  });
  const facts: string[] = [];
  const sink: EventSink = (event) => {
    if (event.type === "runtime" || event.type === "run-lifecycle") facts.push(JSON.stringify(event));
  };

  await agent.complete("A hidden question.", { sinks: [sink] });

  expect(facts.join()).toMatch(/"retrying"/);
  expect(facts.length).toBeGreaterThan(5);
  expect(
    facts.filter((fact) => /hidden|Grüße/.test(fact) || fact.includes(new URL(provider.baseUrl).port)),
  ).toEqual([]);
  expect(facts.filter((fact) => fact.includes(testKey))).toEqual([]);
  provider.assertUsedUp();
});

describe("a call over a service", () => {
  it("ends after its own time, without another attempt, and closes the connection", async () => {
    const { client, provider } = await clientOf([{ delayMs: 30_000 }]);
    const clock = manualClock();

    const asked = expect(
      callLlmApi({ endpoint: endpointOf(client), messages, timeoutMs: 1000, clock }),
    ).rejects.toMatchObject({ code: "core/llm-call-timeout", timeoutMs: 1000 });
    const request = await provider.received(1);
    clock.fire(1000);

    await asked;
    expect(await request.ended).toBe("abandoned");
    expect(provider.requests).toHaveLength(1);
  });

  it("waits as long as the service asks before it tries again", async () => {
    const { client } = await clientOf([{ status: 429, headers: { "retry-after": "2" } }, good]);
    const clock = manualClock();
    const { text } = await callLlmApi({
      endpoint: endpointOf(client),
      messages,
      clock: { ...clock, after: (ms, then) => (clock.waits.push(ms), then(), () => undefined) },
    });

    expect(text).toBe(good);
    expect(clock.waits).toEqual([2000]);
  });

  it.each([
    { why: "cancelled" as const, code: "core/llm-call-cancelled" },
    { why: "interrupted" as const, code: "core/llm-call-interrupted" },
  ])("returns at once when its run is $why, in the middle of a stream", async ({ why, code }) => {
    const { client, provider } = await clientOf([
      { pieces: [start, rest], breakOff: { how: "silence", afterPieces: 1 } },
    ]);
    const pipe = new EventPipe({ runId: "run", agentName: "tester" });
    const call: LlmCall = {
      endpoint: endpointOf(client),
      messages,
      pipe,
      onDelta: () => {
        if (why === "cancelled") pipe.cancel();
        else pipe.interrupt();
      },
    };

    await expect(callLlmApi(call)).rejects.toMatchObject({ code });

    const request = await provider.received(1);
    expect(await request.ended).toBe("abandoned");
  });

  it("reports what it used", async () => {
    const usage = { prompt: 1000, completion: 500, cached: 400 };
    const { client } = await clientOf([{ text: good, usage }]);
    const endpoint = endpointOf(client).copy({ prices: { inputPerMillion: 1, outputPerMillion: 2 } });

    const { telemetry } = await callLlmApi({ endpoint, messages });

    expect(telemetry).toMatchObject({
      endpoint: "scripted",
      model: "scripted-model",
      tokenInput: 1000,
      tokenOutput: 500,
      tokenCached: 400,
      costUsd: 0.002,
    });
  });
});

describe("a transcription over a service", () => {
  const audio = new Uint8Array([1, 2, 3]);

  it.each<{ why: string; answer: ScriptedAnswer; ends: Ending }>([
    { why: "a text", answer: { text: " Hello. " }, ends: { text: "Hello.", requests: 1 } },
    { why: "503", answer: { status: 503 }, ends: { text: "Hello.", requests: 2 } },
    { why: "a reset", answer: { breakOff: { how: "reset" } }, ends: { text: "Hello.", requests: 2 } },
    {
      why: "a refusal",
      answer: { status: 400, error: { message: "No such language" } },
      ends: { code: "core/llm-provider-request", status: 400, requests: 1 },
    },
    {
      why: "an error inside a 200",
      answer: { error: { message: "Broken", code: 500 } },
      ends: { text: "Hello.", requests: 2 },
    },
    {
      why: "no text",
      answer: { body: { task: "transcribe" } },
      ends: { code: "core/llm-unknown-provider", requests: 1 },
    },
  ])("comes to its end after $why", async ({ answer, ends: { requests, ...end } }) => {
    const { client, provider } = await clientOf([answer, { text: "Hello." }]);
    const endpoint = new TranscriptionEndpoint({ client, apiName: "scripted", modelName: "ear" });

    const outcome = callTranscriptionApi({ endpoint, audio, filename: "a.wav", contentType: "audio/wav" });

    if ("text" in end) expect(await outcome).toBe(end.text);
    else await expect(outcome).rejects.toMatchObject(end);
    expect(provider.requests).toHaveLength(requests);
  });
});

/** A clock that fires when it is told to. */
function manualClock(): Clock & { readonly waits: number[]; readonly fire: (ms: number) => void } {
  const waits: number[] = [];
  const timers = new Map<() => void, number>();
  return {
    waits,
    now: () => 0,
    after: (ms, then) => {
      timers.set(then, ms);
      return () => timers.delete(then);
    },
    fire: (ms) => {
      for (const [then, at] of timers) if (at <= ms) then();
    },
  };
}
