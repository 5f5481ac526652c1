import { LLMEndpoint, type ChatChunk } from "@roboz/core";
import { afterEach, describe, expect, it } from "vitest";

import { threadDeltaSchema, type AgentThreadDelta } from "../wire/thread.ts";
import { parseJson } from "../wire/json.ts";
import { lines, message, say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";

let stage: ServerStage;
afterEach(() => stage.close());

/** A model whose reply comes in pieces, each when it is let through. */
function gated(
  reply: string,
  pieces: number,
): { readonly endpoint: LLMEndpoint; readonly pass: () => void; readonly isAborted: () => boolean } {
  const waiting: (() => void)[] = [];
  let passes = 0;
  let signal: AbortSignal | undefined;
  const gate = async (): Promise<void> => {
    if (passes > 0) {
      passes -= 1;
      return;
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const endpoint = new LLMEndpoint({
    apiName: "test",
    modelName: "m",
    maxContextTokens: 100_000,
    client: {
      complete: () => Promise.reject(new Error("streams only")),
      stream: async function* (_request, options) {
        ({ signal } = options);
        const length = Math.ceil(reply.length / pieces);
        for (let at = 0; at < reply.length; at += length) {
          await gate();
          const chunk: ChatChunk = { text: reply.slice(at, at + length) };
          yield chunk;
        }
      },
      listModels: () => Promise.resolve(["m"]),
      close: () => undefined,
    },
  });
  return {
    endpoint,
    pass: () => {
      const next = waiting.shift();
      if (next === undefined) passes += 1;
      else next();
    },
    isAborted: () => signal?.aborted === true,
  };
}

interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Reads a stream, event by event. */
async function* eventsOf(
  path: string,
  { as = "u1", lastId }: { as?: string; lastId?: string } = {},
): AsyncGenerator<StreamEvent> {
  const response = await stage.server.fetch(
    new Request(`http://localhost${path}`, {
      headers: {
        authorization: `Bearer ${stage.tokens.get(as) ?? ""}`,
        ...(lastId === undefined ? {} : { "last-event-id": lastId }),
      },
    }),
  );
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        const fields = new Map(
          text
            .slice(0, end)
            .split("\n")
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const),
        );
        text = text.slice(end + 2);
        const event = fields.get("event");
        if (event !== undefined) yield { event, id: fields.get("id") ?? "", data: fields.get("data") ?? "" };
      }
    }
  } finally {
    await reader.cancel();
  }
}

const textIn = (delta: AgentThreadDelta): string =>
  Object.entries(delta.messages_by_idx)
    .flatMap(([index, { content }]) =>
      content.map((block) => (block.content_type === "text" ? `${index}:${block.text}` : block.content_type)),
    )
    .join("");
const joined = (deltas: readonly AgentThreadDelta[]): string =>
  deltas.map(textIn).join("").replaceAll("1:", "");
const deltaOf = ({ data }: StreamEvent): AgentThreadDelta => threadDeltaSchema.parse(parseJson(data));

const text = "Once upon a time. ".repeat(40);

async function gatedStage(pieces = 12) {
  const model = gated(JSON.stringify(say(text)), pieces);
  stage = await ServerStage.open({ standard: scripted(model.endpoint) }, { flush: { everyMs: 0, chars: 1 } });
  const thread = await stage.start({ messages: [message("Tell me.")] });
  const path = `/v1/ai/threads/${thread.thread_id}/stream?next_token=${thread.continuation_token}`;
  return { ...model, path, id: thread.thread_id, token: thread.continuation_token };
}

describe("a stream", () => {
  it("threads 149, TH-15: gives the same events however often it is cut and taken up again", async () => {
    const { path, id, token, pass } = await gatedStage();
    const deltas: AgentThreadDelta[] = [];
    let lastId: string | undefined;
    let isOver = false;
    for (let round = 0; !isOver; round += 1) {
      pass();
      for await (const event of eventsOf(path, lastId === undefined ? {} : { lastId })) {
        if (event.event === "done") {
          expect(JSON.parse(event.data)).toEqual({ status: "user_turn" });
          isOver = true;
          break;
        }
        lastId = event.id;
        deltas.push(deltaOf(event));
        pass();
        if (round % 2 === 0) break;
      }
    }
    const polled = [await stage.delta(id, token)];
    expect(joined(deltas)).toBe(joined(polled));
    expect(joined(deltas)).toBe(text);
  });

  it("threads 150: is 204 for a paused thread with its newest token", async () => {
    stage = await ServerStage.open({ standard: scripted([say("Hi.")]) });
    const { thread_id: id, continuation_token: token } = await stage.talked();
    const reply = await stage.get(`/v1/ai/threads/${id}/stream?next_token=${token}`);
    expect(reply.status).toBe(204);
    const wrong = await stage.get(`/v1/ai/threads/${id}/stream`, {
      headers: { "last-event-id": `${token}x` },
    });
    expect(wrong.status).toBe(400);
  });

  it("threads 151: may lose all its readers; the turn goes on", async () => {
    const { path, id, pass } = await gatedStage(3);
    for await (const _event of eventsOf(path)) break;
    for (let piece = 0; piece < 3; piece += 1) pass();
    const thread = await stage.settled(id);
    expect(lines(thread)[1]).toBe(`assistant: ${text}`);
  });

  it("TH-11, TH-29: ends without more of the thread when it is closed to its reader", async () => {
    const { id, pass, path } = await gatedStage(4);
    await stage.put(`/v1/ai/threads/${id}/visibility`, { visibility: "org" });
    const events: StreamEvent[] = [];
    for await (const event of eventsOf(path, { as: "u2" })) {
      events.push(event);
      if (events.length > 1) continue;
      await stage.put(`/v1/ai/threads/${id}/visibility`, { visibility: "private" });
      pass();
    }
    expect(events.at(-1)).toMatchObject({ event: "error" });
    expect(events.at(-1)?.data).toContain("RobotoUnauthorizedException");
    expect(events.map(({ data }) => data).join("")).not.toContain("Once");
    for (let piece = 0; piece < 4; piece += 1) pass();
    await stage.settled(id);
  });

  it("is one of so many that a principal may have open", async () => {
    const { path, id, pass } = await gatedStage(2);
    await stage.restart({ limits: { streams: 1, requests: null } });
    const first = eventsOf(path);
    await first.next();
    const second = await stage.get(path);
    expect(second).toMatchObject({ status: 429, error: { error_code: "RobotoLimitExceededException" } });
    await first.return(undefined);
    for (let piece = 0; piece < 9; piece += 1) pass();
    await stage.settled(id);
  });
});

describe("a turn that is cancelled", () => {
  it("threads 152: keeps what was said, says that it was cancelled, and asks the model no more", async () => {
    const { id, pass, isAborted } = await gatedStage(4);
    for (let piece = 0; piece < 2; piece += 1) pass();
    await stage.until(id, ({ messages }) => messages[1]?.content[0]?.content_type === "text");
    const cancel = () => stage.post(`/v1/ai/threads/${id}/cancel`);
    expect((await cancel()).status).toBe(200);
    const thread = await stage.read(id);
    expect(thread).toMatchObject({ status: "user_turn", messages: [{}, { status: "cancelled" }] });
    const [said, why] = thread.messages[1]?.content ?? [];
    expect(said?.content_type === "text" && text.startsWith(said.text)).toBe(true);
    expect(why).toMatchObject({ content_type: "error", error_code: "cancelled" });
    expect((await cancel()).status).toBe(200);
    await stage.server.stop({ graceMs: 2000 });
    expect(isAborted()).toBe(true);
    expect(await stage.read(id)).toEqual(thread);
  });
});
