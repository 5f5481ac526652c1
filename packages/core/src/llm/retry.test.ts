import { describe, expect, it } from "vitest";

import { CallStage } from "./__fixtures__/call-stage.ts";
import { settled } from "./__fixtures__/manual-clock.ts";
import { failure } from "./__fixtures__/scripted-client.ts";
import { callLlmApi } from "./call.ts";
import { LLMEndpoint } from "./endpoint.ts";
import { LLMAuthError } from "./errors.ts";

const stage = new CallStage();

describe("a call that fails", () => {
  it("core 55: is made three times in all, after 0.5 s and 1 s", async () => {
    const busy = failure("x", { status: 429 });
    const { client, reply } = stage.call([busy, busy, busy]);
    await settled();
    expect(stage.clock.pending).toEqual([500]);
    await stage.clock.advance(499);
    expect(client.seen).toHaveLength(1);
    await stage.clock.advance(1);
    expect(client.seen).toHaveLength(2);
    expect(stage.clock.pending).toEqual([1000]);
    await stage.clock.advance(1000);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-rate-limit", status: 429 });
    expect(client.seen).toHaveLength(3);
    expect(stage.clock.pending).toEqual([]);
    expect(stage.runtimeEvents.map(({ kind, level }) => `${kind} ${level}`)).toEqual([
      "started debug",
      "retrying warning",
      "retrying warning",
      "failed warning",
    ]);
    const ids = new Set(stage.runtimeEvents.map(({ data }) => data["call_id"]));
    expect(ids.size).toBe(1);
  });

  it("waits no longer than it may", async () => {
    const down = failure("x", { status: 500 });
    const { reply } = stage.call([down, down, down, down, down, { text: "up" }], { maxAttempts: 6 });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await settled();
      waits.push(...stage.clock.pending);
      await stage.clock.advance(4000);
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
    const { reply } = stage.call([busy, { text: "up" }]);
    await settled();
    expect(stage.clock.pending).toEqual([wait]);
    await stage.clock.advance(wait);
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
    const { client, reply } = stage.call([error]);
    await expect(reply).rejects.toMatchObject({ code });
    expect(client.seen).toHaveLength(1);
  });

  it("core 84: is made again after a broken pipe", async () => {
    const { reply } = stage.call([
      new Error("odd", { cause: failure("write", { code: "EPIPE" }) }),
      { text: "up" },
    ]);
    await settled();
    await stage.clock.advance(500);
    expect((await reply).text).toBe("up");
  });

  it("core 82: is made again for an error class that the endpoint declares", async () => {
    class Busy extends Error {}
    const { reply } = stage.call(
      [Object.assign(new Busy("insufficient quota"), { status: 429 }), { text: "up" }],
      {
        settings: { rateLimitError: Busy },
      },
    );
    await settled();
    await stage.clock.advance(500);
    expect((await reply).text).toBe("up");
  });

  it("tells its run a status and the request's identifier, no words", async () => {
    const error = failure("secret words", { status: 401, requestID: "req_9", headers: new Headers() });
    await expect(stage.call([error]).reply).rejects.toThrow();
    expect(stage.runtimeEvents.at(-1)).toMatchObject({
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
    expect(JSON.stringify(stage.events)).not.toContain("secret");
  });

  it("lets an error of the client's build through as it is, and does not build again", async () => {
    let builds = 0;
    const missing = new Error("GROQ_API_KEY is not set: api key");
    const client = (): never => {
      builds += 1;
      throw missing;
    };
    const endpoint = new LLMEndpoint({ apiName: "groq", modelName: "m", client });
    await expect(callLlmApi({ endpoint, messages: stage.messages, clock: stage.clock })).rejects.toBe(
      missing,
    );
    expect(builds).toBe(1);
  });
});
