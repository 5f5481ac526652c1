import { describe, expect, it } from "vitest";
import { breakOff, raw, refuse, stream, withServer, type Step } from "../__fixtures__/scripted-server.ts";
import { all, delta, deltaData, message, say, threadRecord, use } from "../__fixtures__/thread-data.ts";
import { stringifyJson } from "../wire/json.ts";
import { AgentThread } from "./agent-thread.ts";
import type { AgentEvent } from "./events.ts";
import { eventsOf } from "./http/event-stream.ts";

function assistant(content: readonly object[], status = "generating"): object {
  return message("assistant", content, status);
}

/** An event of a stream, as a server writes it. */
function sent(data: object, event = "delta"): string {
  const id = "continuation_token" in data ? `id: ${String(data.continuation_token)}\n` : "";
  return `event: ${event}\n${id}data: ${stringifyJson(data)}\n\n`;
}

const done = sent({ status: "user_turn" }, "done");
const busy = delta({}, "roboto_turn");
const paused = delta({}, "user_turn");
const hello = sent(deltaData({ 1: assistant([say("hé")]) }, "roboto_turn"));
const world = sent(deltaData({ 1: assistant([say("🌍"), use("t", "1")], "completed") }, "user_turn"));
const whole = ["text_start", "hé", "🌍", "text_end", "tool_use"];

function brief(events: readonly AgentEvent[]): string[] {
  return events.map((event) => (event.type === "text_delta" ? event.text : event.type));
}

/** Something to wait for until it is opened. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("events over a stream", () => {
  it.each<{ why: string; steps: Step[] }>([
    { why: "in whole events", steps: [busy, stream([hello, world, done]), paused] },
    { why: "in one piece", steps: [busy, stream([`: alive\n\n${hello}${world}${done}`]), paused] },
    {
      why: "byte by byte, in the middle of characters",
      steps: [
        busy,
        stream(Array.from(Buffer.from(hello + world + done), (byte) => Buffer.from([byte]))),
        paused,
      ],
    },
    {
      why: "with line breaks of another system",
      steps: [busy, stream([(hello + world + done).replaceAll("\n", "\r\n")]), paused],
    },
    { why: "cut in between", steps: [busy, stream([hello], "break"), busy, stream([world, done]), paused] },
    {
      why: "cut within an event",
      steps: [busy, stream([hello + world.slice(0, -9)], "break"), busy, stream([world, done]), paused],
    },
    {
      why: "ended by the server's own failure",
      steps: [busy, stream([hello, sent({}, "error")]), busy, stream([world, done]), paused],
    },
    {
      why: "asked for where a server has no streams",
      steps: [
        busy,
        refuse(404, "RobotoNotFoundException"),
        busy,
        raw(200, "<html>", { "content-type": "text/html" }),
        busy,
        breakOff,
        delta({ 1: assistant([say("hé")]) }, "roboto_turn"),
        delta({ 1: assistant([say("🌍"), use("t", "1")], "completed") }, "user_turn"),
      ],
    },
    { why: "where nothing is new", steps: [busy, raw(204, ""), busy, stream([hello, world, done]), paused] },
  ])("are the same as by asking, $why", async ({ steps }) => {
    await withServer(steps, async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      const events = await all(thread.events({ transport: "sse", tickMs: 1 }));
      expect(brief(events)).toEqual(whole);
      expect(thread.messages[1]?.content).toMatchObject([say("hé🌍"), { tool_use_id: "1" }]);
      expect(thread.status).toBe("user_turn");
    });
  });

  it("go on from the last position, which the server is told in both ways", async () => {
    const steps = [busy, stream([hello], "break"), busy, stream([world, done]), paused];
    await withServer(steps, async ({ client, server }) => {
      await all(new AgentThread(threadRecord(), { client }).events({ transport: "sse" }));
      const streams = server.requests.filter(({ path }) => path.endsWith("/stream"));
      expect(streams).toHaveLength(2);
      for (const { headers, query } of streams) expect(headers["last-event-id"]).toBe(query["next_token"]);
      expect(streams[0]?.query).not.toEqual(streams[1]?.query);
    });
  });

  it("are not asked for where the thread pauses", async () => {
    await withServer([paused], async ({ client }) => {
      expect(await all(new AgentThread(threadRecord(), { client }).events({ transport: "sse" }))).toEqual([]);
    });
  });

  it("end with a refusal of who calls", async () => {
    await withServer([busy, refuse(401, "RobotoUnauthorizedException")], async ({ client }) => {
      const events = new AgentThread(threadRecord(), { client }).events({ transport: "sse" });
      await expect(all(events)).rejects.toMatchObject({ code: "threads/unauthorized" });
    });
  });

  it("end when the time is used up, while the stream stays open", async () => {
    await withServer([busy, stream([hello], "stay"), busy], async ({ client, clock }) => {
      const thread = new AgentThread(threadRecord(), { client });
      const seen: AgentEvent[] = [];
      const following = (async () => {
        for await (const event of thread.events({ transport: "sse", timeoutMs: 60_000 })) {
          seen.push(event);
          if (event.type === "text_delta") clock.elapse(60_000);
        }
      })();
      await expect(following).rejects.toMatchObject({ code: "threads/timeout" });
      expect(brief(seen)).toEqual(["text_start", "hé"]);
    });
  });

  it("are asked for anew when a stream says nothing for too long", async () => {
    const silent: Step = async (response, request) => {
      await stream([hello], "stay")(response, request);
      elapse();
    };
    let elapse = (): void => undefined;
    await withServer([busy, silent, busy, stream([world, done]), paused], async ({ client, clock }) => {
      elapse = () => {
        setImmediate(() => {
          clock.elapse(45_000);
        });
      };
      const events = await all(new AgentThread(threadRecord(), { client }).events({ transport: "sse" }));
      expect(brief(events)).toEqual(whole);
    });
  });

  it("let go of the connection when the loop is left, or given up", async () => {
    const closed: boolean[] = [];
    const watched: Step = async (response, request) => {
      response.on("close", () => closed.push(true));
      await stream([hello], "stay")(response, request);
    };
    await withServer([busy, watched, busy, watched], async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      for await (const event of thread.events({ transport: "sse" })) if (event.type === "text_delta") break;
      while (closed.length < 1) await new Promise(setImmediate);
      const giving = new AbortController();
      const following = (async () => {
        for await (const _event of thread.events({ transport: "sse", signal: giving.signal })) giving.abort();
      })();
      await expect(following).rejects.toMatchObject({ name: "AbortError" });
      while (closed.length < 2) await new Promise(setImmediate);
    });
  });

  it("are not doubled by a refresh in between", async () => {
    const again = delta({ 1: assistant([say("🌍")]) }, "roboto_turn");
    const rest = delta({ 1: assistant([use("t", "1")], "completed") }, "user_turn");
    const late: Step = async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(hello);
      await refreshed;
      response.end(world + done);
    };
    let finish = (): void => undefined;
    const refreshed = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await withServer([busy, late, again, rest], async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      const seen: AgentEvent[] = [];
      for await (const event of thread.events({ transport: "sse" })) {
        seen.push(event);
        if (event.type !== "text_delta" || event.text !== "hé") continue;
        await thread.refresh();
        finish();
      }
      expect(brief(seen)).toEqual(whole);
    });
  });

  it("are not doubled by a poll that was on its way", async () => {
    await withServer([], async ({ client, server }) => {
      const thread = new AgentThread(threadRecord(), { client });
      const polled = gate();
      const streamed = gate();
      let refreshing: Promise<unknown> = Promise.resolve();
      const streams: Step = async (response) => {
        refreshing = thread.refresh();
        response.writeHead(200, { "content-type": "text/event-stream" });
        await polled.opened;
        response.write(hello);
        await streamed.opened;
        response.end(world + done);
      };
      const polls: Step = async (response, request) => {
        polled.open();
        await streamed.opened;
        await delta({ 1: assistant([say("hé")]) }, "roboto_turn")(response, request);
      };
      server.add(busy, streams, polls, paused);
      const seen: AgentEvent[] = [];
      for await (const event of thread.events({ transport: "sse" })) {
        seen.push(event);
        if (event.type !== "text_delta" || event.text !== "hé") continue;
        streamed.open();
        await refreshing;
      }
      expect(brief(seen)).toEqual(whole);
    });
  });
});

describe("the parts of a stream", () => {
  async function read(...pieces: readonly (string | Uint8Array)[]): Promise<string[]> {
    async function* body(): AsyncGenerator<Uint8Array> {
      for (const piece of pieces)
        yield await Promise.resolve(typeof piece === "string" ? Buffer.from(piece) : piece);
    }
    return (await all(eventsOf(body()))).map(({ event, data }) => `${event}|${data}`);
  }

  it.each([
    { why: "an event without a name", pieces: ["data: a\n\n"], events: ["message|a"] },
    { why: "several lines of data", pieces: ["data: a\ndata:b\ndata\n\n"], events: ["message|a\nb\n"] },
    { why: "one space of several", pieces: ["data:  a\n\n"], events: ["message| a"] },
    {
      why: "comments and fields nobody knows",
      pieces: [": x\nretry: 5\nnovel\ndata: a\n\n"],
      events: ["message|a"],
    },
    { why: "a name that holds for one event", pieces: ["event: e\n\ndata: a\n\n"], events: ["message|a"] },
    {
      why: "a mark at the beginning",
      pieces: [Uint8Array.of(0xef, 0xbb, 0xbf), "data: a\n\n"],
      events: ["message|a"],
    },
    {
      why: "line breaks cut in two",
      pieces: ["data: a\r", "\n\r", "\ndata: b\r\r"],
      events: ["message|a", "message|b"],
    },
    { why: "an event that never ends", pieces: ["data: a\n\ndata: b\n"], events: ["message|a"] },
    { why: "nothing", pieces: ["", "\n\n\n"], events: [] },
  ])("read: $why", async ({ pieces, events }) => {
    expect(await read(...pieces)).toEqual(events);
  });
});
