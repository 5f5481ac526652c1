import { afterEach, describe, expect, it } from "vitest";

import type { AgentThreadDelta } from "../wire/thread.ts";
import type { ServerLimits } from "./limits.ts";
import { lines, message, say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";
import {
  deltaOf,
  eventsOf as readEvents,
  gatedModel,
  joinedText,
  type StreamEvent,
} from "./__fixtures__/streams.ts";

let stage: ServerStage;
afterEach(() => stage.close());

/** Reads a stream, event by event. */
function eventsOf(
  path: string,
  { as = "u1", lastId }: { as?: string | undefined; lastId?: string | undefined } = {},
): ReturnType<typeof readEvents> {
  return readEvents(stage.server.fetch, path, { token: stage.tokens.get(as), lastId });
}

const text = "Once upon a time. ".repeat(40);

async function gatedStage(pieces = 12, limits: Partial<ServerLimits> = {}) {
  const model = gatedModel(JSON.stringify(say(text)), pieces);
  stage = await ServerStage.open(
    { standard: scripted(model.endpoint) },
    { flush: { everyMs: 0, chars: 1 }, limits },
  );
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
    expect(joinedText(deltas)).toBe(joinedText(polled));
    expect(joinedText(deltas)).toBe(text);
  });

  it(
    "TH-15: gives what an uncut reader has to one that is cut at 200 random places",
    { timeout: 60_000 },
    async () => {
      const { path, id, pass } = await gatedStage(40, { delta: { entries: 3, bytes: 512 * 1024 } });
      for (let piece = 0; piece < 40; piece += 1) pass();
      const uncut: StreamEvent[] = [];
      for await (const event of eventsOf(path)) uncut.push(event);
      expect(joinedText(uncut.slice(0, -1).map(deltaOf))).toBe(text);
      const { continuation_token: last } = await stage.read(id);
      for (let cuts = 0; cuts < 200;) {
        const deltas: AgentThreadDelta[] = [];
        const ids: string[] = [];
        while (ids.at(-1) !== last) {
          let left = Math.floor(Math.random() * 4);
          for await (const event of eventsOf(path, { lastId: ids.at(-1) })) {
            if (event.event === "done") break;
            ids.push(event.id);
            deltas.push(deltaOf(event));
            left -= 1;
            if (left >= 0) continue;
            cuts += 1;
            break;
          }
        }
        expect(joinedText(deltas)).toBe(text);
        expect(new Set(ids).size).toBe(ids.length);
      }
    },
  );

  it("TH-16: is refused from a position of another thread, or one that was changed", async () => {
    stage = await ServerStage.open({ standard: scripted([say("One."), say("Two.")]) });
    const [one, two] = [await stage.talked("First secret"), await stage.talked("Second secret")];
    const changed = one.continuation_token.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const at = `/v1/ai/threads/${one.thread_id}`;
    for (const token of [two.continuation_token, changed, "ct_0", ""]) {
      for (const reply of [
        await stage.get(`${at}/delta?next_token=${token}`),
        await stage.get(`${at}/stream?next_token=${token}`),
        await stage.get(`${at}/stream`, { headers: { "last-event-id": token } }),
      ]) {
        expect({ token, status: reply.status }).toEqual({ token, status: 400 });
        expect(reply.text).not.toContain("secret");
      }
    }
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

  it.each([
    {
      why: "TH-11: closed to its reader",
      close: (id: string) => stage.put(`/v1/ai/threads/${id}/visibility`, { visibility: "private" }),
    },
    {
      why: "TH-29: read by one who has left",
      close: () =>
        stage.store.write(({ queries }) =>
          queries.run(`UPDATE api_tokens SET orgs = '["og_9"]' WHERE user_id = 'us_2'`),
        ),
    },
  ])("ends without more of the thread when it is $why", async ({ close }) => {
    const { id, pass, path } = await gatedStage(4);
    await stage.put(`/v1/ai/threads/${id}/visibility`, { visibility: "org" });
    const events: StreamEvent[] = [];
    for await (const event of eventsOf(path, { as: "u2" })) {
      events.push(event);
      if (events.length > 1) continue;
      await close(id);
      pass();
    }
    expect(events.at(-1)).toMatchObject({ event: "error" });
    expect(events.at(-1)?.data).toContain("RobotoUnauthorizedException");
    expect(events.map(({ data }) => data).join("")).not.toContain("Once");
    expect(await stage.get(path, { as: "u2" })).toMatchObject({ status: 401 });
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

  it("is over at once for a HEAD, which nobody reads", async () => {
    const { path, id, pass } = await gatedStage(2);
    await stage.restart({ limits: { streams: 1, requests: null } });
    for (const _twice of [1, 2]) expect((await stage.send("HEAD", path)).status).toBe(200);
    const reader = eventsOf(path);
    expect((await reader.next()).done).toBe(false);
    await reader.return(undefined);
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
