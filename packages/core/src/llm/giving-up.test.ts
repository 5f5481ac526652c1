import { describe, expect, it } from "vitest";

import { CallStage, endpointOf, hanging } from "./__fixtures__/call-stage.ts";
import { settled } from "./__fixtures__/manual-clock.ts";
import { failure, ScriptedClient } from "./__fixtures__/scripted-client.ts";
import { callLlmApi } from "./call.ts";
import { LLMEndpoint } from "./endpoint.ts";

const stage = new CallStage();

describe("giving a call up", () => {
  it("core 85: happens at its deadline, after one attempt, and closes the connection", async () => {
    const { client, reply } = stage.call([hanging], { timeoutMs: 1000, maxAttempts: 3 });
    await settled();
    await stage.clock.advance(1000);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-timeout", timeoutMs: 1000 });
    expect(client.seen).toHaveLength(1);
    expect(client.seen[0]?.signal.aborted).toBe(true);
    expect(stage.runtimeEvents.map(({ kind }) => kind)).toEqual(["started", "timed_out"]);
  });

  it("measures the deadline anew for each attempt", async () => {
    const { reply } = stage.call([failure("x", { status: 500 }), hanging], { timeoutMs: 600 });
    await settled();
    await stage.clock.advance(500);
    expect(stage.clock.pending).toEqual([600]);
    await stage.clock.advance(600);
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-timeout" });
  });

  it.each([
    {
      why: "a cancel",
      fire: () => {
        stage.pipe.cancel();
      },
      code: "core/llm-call-cancelled",
      kind: "cancelled",
    },
    {
      why: "an interrupt",
      fire: () => {
        stage.pipe.interrupt();
        stage.pipe.clearInterrupt();
      },
      code: "core/llm-call-interrupted",
      kind: "interrupted",
    },
  ])("happens at once for $why", async ({ fire, code, kind }) => {
    const { client, reply } = stage.call([hanging]);
    await settled();
    fire();
    await expect(reply).rejects.toMatchObject({ code });
    expect(client.seen[0]?.signal.aborted).toBe(true);
    expect(stage.runtimeEvents.at(-1)).toMatchObject({ kind, level: "error" });
  });

  it("sends nothing when the client was still being made", async () => {
    const client = new ScriptedClient([]);
    let finish: (made: ScriptedClient) => void = () => undefined;
    const building = new Promise<ScriptedClient>((resolve) => {
      finish = resolve;
    });
    const endpoint = new LLMEndpoint({ apiName: "s", modelName: "m", client: () => building });
    const reply = callLlmApi({ endpoint, messages: stage.messages, pipe: stage.pipe });
    await settled();
    stage.pipe.cancel();
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-cancelled" });
    finish(client);
    await settled();
    expect(client.seen).toEqual([]);
  });

  it("core 90: happens at once during a pause", async () => {
    const { client, reply } = stage.call([failure("x", { status: 500 })]);
    await settled();
    stage.pipe.cancel();
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-cancelled" });
    expect(stage.clock.pending).toEqual([]);
    expect(client.seen).toHaveLength(1);
  });

  it("rejects with the signal's own reason, before, during and between attempts", async () => {
    const reason = new Error("gone");
    const early = stage.call([], { signal: AbortSignal.abort(reason) });
    await expect(early.reply).rejects.toBe(reason);
    expect(early.client.seen).toHaveLength(0);

    for (const acts of [[hanging], [failure("x", { status: 500 })]]) {
      const controller = new AbortController();
      const { reply } = stage.call(acts, { signal: controller.signal });
      await settled();
      controller.abort(reason);
      await expect(reply).rejects.toBe(reason);
    }
    expect(stage.runtimeEvents.at(-1)).toMatchObject({
      kind: "cancelled",
      data: { error_kind: "cancelled" },
    });
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
    const { reply } = stage.call([() => late]);
    await settled();
    stage.pipe.interrupt();
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-interrupted" });
    const told = stage.events.length;
    stage.pipe.clearInterrupt();
    finish("late");
    fail(new Error("late"));
    await settled();
    expect(stage.events).toHaveLength(told);
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
      messages: stage.messages,
      clock: stage.clock,
      pipe: stage.pipe,
      onDelta: (piece) => taken.push(piece),
    });
    await settled();
    stage.pipe.cancel();
    await expect(reply).rejects.toMatchObject({ code: "core/llm-call-cancelled" });
    go();
    await settled();
    expect(taken).toEqual(["a"]);
  });
});
