import { setImmediate } from "node:timers/promises";

import { afterEach, describe, expect, it, vi } from "vitest";

import { revokeToken } from "../store/tokens.ts";
import { textOrNull } from "../store/database.ts";
import type { AgentThreadDelta } from "../wire/thread.ts";
import { message, say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";
import { deltaOf, eventsOf, gatedModel, joinedText, type StreamEvent } from "./__fixtures__/streams.ts";

let stage: ServerStage;
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await stage.close();
});

const pieces = 12;
const text = "Once upon a time. ".repeat(40);

async function gatedStage() {
  const model = gatedModel(JSON.stringify(say(text)), pieces);
  stage = await ServerStage.open({ standard: scripted(model.endpoint) }, { flush: { everyMs: 0, chars: 1 } });
  const { thread_id: id, continuation_token: token } = await stage.start({
    messages: [message("Tell me.")],
    visibility: "org",
  });
  await stage.until(id, ({ message_count: count }) => count === 2);
  const path = `/v1/ai/threads/${id}/stream?next_token=${token}`;
  const open = (as = "u1", lastId?: string) =>
    eventsOf(stage.server.fetch, path, { token: stage.tokens.get(as), lastId });
  const passAll = (): void => {
    for (let piece = 0; piece < pieces; piece += 1) model.pass();
  };
  return { ...model, passAll, open, id, token, path };
}

/** How often the store was read; it is counted from now on. */
const readsOf = () => vi.spyOn(stage.store.database, "read").mock.calls;

/** A reader that takes all there is; with a number, its connection breaks after as many events, again and again. */
async function readAll(open: (lastId?: string) => AsyncGenerator<StreamEvent, void>, cutAfter = Infinity) {
  const deltas: AgentThreadDelta[] = [];
  let lastId: string | undefined;
  for (;;) {
    let left = cutAfter;
    // A stream without any event is one of a thread that has paused.
    let last: StreamEvent = { event: "done", id: "", data: "" };
    for await (const event of open(lastId)) {
      last = event;
      if (event.event !== "delta") break;
      deltas.push(deltaOf(event));
      lastId = event.id;
      left -= 1;
      if (left === 0) break;
    }
    if (last.event !== "delta") return { deltas, last };
  }
}

describe("readers of one thread", () => {
  it("TH-15: all have every event once and in order, also those whose connection breaks in the middle of a burst", async () => {
    const { open, passAll, id, token } = await gatedStage();
    const readers = Array.from({ length: 30 }, (_, index) =>
      readAll(
        (lastId) => open(index % 2 === 0 ? "u1" : "u2", lastId),
        index % 3 === 0 ? 1 + (index % 4) : Infinity,
      ),
    );
    passAll();
    const polled = joinedText([await stage.settled(id).then(() => stage.delta(id, token))]);
    for (const { deltas, last } of await Promise.all(readers)) {
      expect(last.event).toBe("done");
      expect(deltas.map(({ continuation_token: place }) => place)).toEqual([
        ...new Set(deltas.map(({ continuation_token: place }) => place)),
      ]);
      expect(joinedText(deltas)).toBe(polled);
    }
    expect(polled).toBe(text);
  });

  it("are told of a change by one look at it, and one at all of their tokens", async () => {
    const { open, pass, passAll, id } = await gatedStage();
    const readers = Array.from({ length: 40 }, (_, index) => open(index % 2 === 0 ? "u1" : "u2"));
    await Promise.all(readers.map((reader) => reader.next()));
    const nexts = Promise.all(readers.map((reader) => reader.next()));
    const reads = readsOf();
    pass();
    pass();
    pass();
    const firsts = await nexts;
    expect(new Set(firsts.map(({ value }) => value?.id)).size).toBeLessThanOrEqual(3);
    expect(reads.length).toBeLessThanOrEqual(6);
    await Promise.all(readers.map((reader) => reader.return()));
    passAll();
    await stage.settled(id);
  });

  it("TH-17: hold nobody up when they do not read, and then catch up with one event", async () => {
    const { open, passAll, path, id } = await gatedStage();
    const slow = await stage.server.fetch(
      new Request(`http://localhost${path}`, {
        headers: { authorization: `Bearer ${stage.tokens.get("u2") ?? ""}` },
      }),
    );
    const reader = slow.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = await reader?.read();
    const quick = readAll((lastId) => open("u1", lastId));
    passAll();
    expect(joinedText((await quick).deltas)).toBe(text);
    await stage.settled(id);
    const pulled: string[] = [first?.value ?? ""];
    for (;;) {
      const { value, done = true } = (await reader?.read()) ?? {};
      if (done) break;
      pulled.push(value ?? "");
    }
    const events = pulled.join("").split("\n\n").slice(0, -1);
    const deltas = events.flatMap((said) => {
      const [event, , data = ""] = said.split("\n");
      return event === "event: delta"
        ? [deltaOf({ event: "", id: "", data: data.slice("data: ".length) })]
        : [];
    });
    expect(joinedText(deltas)).toBe(text);
    // The streams in between take up a piece each before they wait.
    expect(deltas.length).toBeLessThanOrEqual(5);
  });

  it("TH-11: are asked one by one whether they may still read", async () => {
    const { open, pass, passAll, id } = await gatedStage();
    const [owner, member] = [open("u1"), open("u2")];
    await Promise.all([owner.next(), member.next()]);
    const answers = Promise.all([readAll(() => owner), readAll(() => member)]);
    await stage.put(`/v1/ai/threads/${id}/visibility`, { visibility: "private" });
    pass();
    passAll();
    const [own, others] = await answers;
    expect([own.last.event, others.last.event]).toEqual(["done", "error"]);
    expect(others.last.data).toContain("RobotoUnauthorizedException");
    expect([joinedText(own.deltas), joinedText(others.deltas)]).toEqual([text, ""]);
  });

  it("TH-29: hear no more once their token has ended; others do", async () => {
    const { open, passAll } = await gatedStage();
    const [owner, member] = [open("u1"), open("u2")];
    await Promise.all([owner.next(), member.next()]);
    const answers = Promise.all([readAll(() => owner), readAll(() => member)]);
    await stage.store.write(async (transaction) => {
      const [row] = await transaction.queries.rows("SELECT token_id FROM api_tokens WHERE user_id = 'us_2'");
      await revokeToken(transaction, row === undefined ? "" : (textOrNull(row, "token_id") ?? ""));
    });
    passAll();
    const [own, others] = await answers;
    expect([own.last.event, others.last.event]).toEqual(["done", "error"]);
    expect([joinedText(own.deltas), joinedText(others.deltas)]).toEqual([text, ""]);
  });

  it("are told when the thread is deleted", async () => {
    const { open, id } = await gatedStage();
    const readers = Promise.all(["u1", "u2"].map((as) => readAll(() => open(as))));
    await stage.send("DELETE", `/v1/ai/threads/${id}`);
    for (const { last } of await readers) {
      expect(last.event).toBe("error");
      expect(last.data).toContain("RobotoNotFoundException");
    }
  });

  it("let the store alone while nothing happens, but for a look every 15 s and at each token every minute", async () => {
    const { open } = await gatedStage();
    // Nobody looks for turns.
    await stage.restart({ queue: null });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    const readers = Array.from({ length: 20 }, (_, index) => open(index % 2 === 0 ? "u1" : "u2"));
    await Promise.all(readers.map((reader) => reader.next()));
    const answers = readers.map((reader) => readAll(() => reader));
    const reads = readsOf();
    for (let beat = 1; beat <= 4; beat += 1) {
      await vi.advanceTimersByTimeAsync(15_000);
      while (reads.length < beat) await setImmediate();
      if (beat < 4) expect(reads).toHaveLength(beat);
    }
    while (reads.length < 5) await setImmediate();
    await stage.server.stop();
    await Promise.all(answers);
    expect(reads.length).toBeLessThanOrEqual(4 + readers.length);
  });

  it("find what they were not told of", async () => {
    const { open, passAll, id } = await gatedStage();
    vi.spyOn(stage.store, "onThread").mockReturnValue(() => undefined);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const reader = open();
    await reader.next();
    const answer = readAll(() => reader);
    passAll();
    await vi.waitFor(async () => {
      expect(await stage.read(id)).toMatchObject({ status: "user_turn" });
    });
    vi.advanceTimersByTime(15_000);
    expect(joinedText((await answer).deltas)).toBe(text);
  });

  it("leave nothing behind", async () => {
    const { open, passAll } = await gatedStage();
    const stopped = vi.fn();
    const { onThread } = stage.store;
    vi.spyOn(stage.store, "onThread").mockImplementation((listener) => {
      const stop = onThread(listener);
      return () => {
        stopped();
        stop();
      };
    });
    const readers = [open("u1"), open("u2")];
    await Promise.all(readers.map((reader) => reader.next()));
    await readers[0]?.return();
    expect(stopped).not.toHaveBeenCalled();
    await readers[1]?.return();
    expect(stopped).toHaveBeenCalledOnce();
    passAll();
  });

  it("are let go when the server stops", async () => {
    const { open, passAll } = await gatedStage();
    const reader = open();
    await reader.next();
    const next = reader.next();
    passAll();
    await stage.server.stop({ graceMs: 0 });
    for (let event = await next; event.done !== true; event = await reader.next())
      expect(event.value.event).not.toBe("error");
  });
});
