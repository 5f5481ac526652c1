import { describe, expect, it } from "vitest";

import { CallStage, endpointOf } from "./__fixtures__/call-stage.ts";
import { settled } from "./__fixtures__/manual-clock.ts";
import { failure, ScriptedClient, type Act } from "./__fixtures__/scripted-client.ts";
import { callLlmApi } from "./call.ts";

const stage = new CallStage();

describe("a call that is streamed", () => {
  const streamed = (acts: readonly Act[], options: Parameters<CallStage["call"]>[1] = {}) => {
    const pieces: string[] = [];
    return { pieces, ...stage.call(acts, { onDelta: (piece) => pieces.push(piece), ...options }) };
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
    expect(stage.runtimeEvents.map(({ kind }) => kind)).toEqual(["started", "succeeded"]);
  });

  it("is not asked for again when it breaks for that reason after it began", async () => {
    const { client, reply } = streamed([[{ text: "a" }, failure("stream_options: odd", { status: 400 })]]);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-provider-request" });
    expect(client.seen).toHaveLength(1);
  });

  it("core 86: is tried again when it fails before a piece was delivered", async () => {
    const { pieces, client, reply } = streamed([[failure("x", { status: 503 })], [{ text: "a" }]]);
    await settled();
    await stage.clock.advance(500);
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
    await stage.clock.advance(500);
    expect((await reply).text).toBe("b");
    expect(order).toEqual(["a", "anew", "b"]);
    expect(stage.runtimeEvents.find(({ kind }) => kind === "retrying")?.data).toMatchObject({
      partial_output_abandoned: true,
      attempt: 2,
      max_attempts: 3,
      delay_ms: 500,
      error_kind: "provider_unavailable",
    });
  });

  it("is replaced only where something was delivered", async () => {
    let anew = 0;
    const down = failure("x", { status: 503 });
    const { reply } = streamed([[{ text: "a" }, down], [down], [{ text: "b" }]], {
      startReplacementStream: () => {
        anew += 1;
      },
    });
    await settled();
    await stage.clock.advance(500);
    await stage.clock.advance(1000);
    expect((await reply).text).toBe("b");
    expect(anew).toBe(1);
    const retries = stage.runtimeEvents.filter(({ kind }) => kind === "retrying");
    expect(retries.map(({ data }) => data["partial_output_abandoned"])).toEqual([true, false]);
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
    expect(stage.runtimeEvents.at(-1)).toMatchObject({
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
    expect(JSON.stringify(stage.events)).not.toMatch(/thought|more/);
  });

  it("counts the reasoning of the attempt that succeeded only", async () => {
    const { reply } = streamed([
      [{ reasoning: "12345" }, failure("x", { status: 500 })],
      [{ reasoning: "67" }, { text: "a" }],
    ]);
    await settled();
    await stage.clock.advance(500);
    await reply;
    expect(stage.runtimeEvents.at(-1)?.data).toMatchObject({ reasoning_chars: 2, reasoning_chunks: 1 });
  });

  it("is not affected by a stream that cannot be closed", async () => {
    const client = new ScriptedClient([[{ text: "a" }, { text: "b" }]]);
    client.closeFailure = new Error("cannot close");
    const controller = new AbortController();
    const pieces: string[] = [];
    const reply = callLlmApi({
      endpoint: endpointOf(client),
      messages: stage.messages,
      pipe: stage.pipe,
      clock: stage.clock,
      signal: controller.signal,
      onDelta: (piece) => {
        pieces.push(piece);
        controller.abort("enough");
      },
    });
    await expect(reply).rejects.toBe("enough");
    await settled();
    expect(client.streamsClosed).toBe(1);
    expect(stage.runtimeEvents.filter(({ kind }) => kind === "failed")).toMatchObject([
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
