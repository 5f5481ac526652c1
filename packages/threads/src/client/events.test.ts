import { describe, expect, it } from "vitest";
import { withServer, type Step } from "../__fixtures__/scripted-server.ts";
import { all, delta, message, result, say, threadRecord, use } from "../__fixtures__/thread-data.ts";
import { AgentThread } from "./agent-thread.ts";
import type { AgentEvent } from "./events.ts";

function assistant(content: readonly object[], status = "completed"): object {
  return message("assistant", content, status);
}

/** An event in a word or two. */
function brief(event: AgentEvent): string {
  switch (event.type) {
    case "text_start":
      return `start ${event.message_sequence_num}`;
    case "text_delta":
      return event.text;
    case "text_end":
      return `end ${event.message_sequence_num}`;
    case "tool_use":
      return `use ${event.name}`;
    case "tool_result":
      return `result ${event.tool_use_id} ${event.success}`;
    case "error":
      return `error ${event.error_message} ${event.error_code ?? "-"}`;
  }
}

describe("the events of what was said", () => {
  it.each<{ number: number; why: string; steps: Step[]; seen: string[] }>([
    {
      number: 49,
      why: "a message in three polls has one beginning and one end",
      steps: [
        delta({ 1: assistant([say("a")], "generating") }, "roboto_turn"),
        delta({ 1: assistant([say("b")], "generating") }, "roboto_turn"),
        delta({ 1: assistant([say("c")]) }, "user_turn"),
      ],
      seen: ["start 1", "a", "b", "c", "end 1"],
    },
    {
      number: 50,
      why: "text after a call begins anew",
      steps: [delta({ 1: assistant([say("a"), use("t", "1"), say("b")]) }, "user_turn")],
      seen: ["start 1", "a", "end 1", "use t", "start 1", "b", "end 1"],
    },
    {
      number: 51,
      why: "messages share no run of text",
      steps: [delta({ 2: assistant([say("b")]), 1: assistant([say("a")]) }, "user_turn")],
      seen: ["start 1", "a", "end 1", "start 2", "b", "end 2"],
    },
    {
      number: 52,
      why: "a failure without text ends the run",
      steps: [
        delta({ 1: assistant([say("a")], "generating") }, "roboto_turn"),
        delta({ 1: assistant([], "failed") }, "user_turn"),
      ],
      seen: ["start 1", "a", "end 1"],
    },
    {
      number: 53,
      why: "users' messages are no events",
      steps: [delta({ 1: message("user", [say("a")]), 2: assistant([say("b")]) }, "user_turn")],
      seen: ["start 2", "b", "end 2"],
    },
    {
      number: 54,
      why: "success is success alone",
      steps: [
        delta(
          {
            1: message("roboto", [
              result("t", "1"),
              result("t", "2", "error"),
              result("t", "3", "declined"),
              result("t", "4", "novel"),
            ]),
          },
          "user_turn",
        ),
      ],
      seen: ["result 1 true", "result 2 false", "result 3 false", "result 4 false"],
    },
    {
      number: 55,
      why: "text ends before an error",
      steps: [
        delta(
          {
            1: assistant(
              [say("a"), { content_type: "error", error_message: "no", error_code: "turn_failed" }],
              "failed",
            ),
          },
          "user_turn",
        ),
      ],
      seen: ["start 1", "a", "end 1", "error no turn_failed"],
    },
    {
      number: 58,
      why: "the turn of client tools ends them",
      steps: [delta({ 1: assistant([use("t", "1")]) }, "client_tool_turn")],
      seen: ["use t"],
    },
    {
      number: 49,
      why: "blocks that are taken out end a run and say nothing",
      steps: [
        delta(
          { 1: assistant([say("a"), { content_type: "deleted" }, say("b"), { content_type: "novel" }]) },
          "idle",
        ),
      ],
      seen: ["start 1", "a", "end 1", "start 1", "b", "end 1"],
    },
  ])("threads $number: $why", async ({ steps, seen }) => {
    await withServer(steps, async ({ client, server }) => {
      const thread = new AgentThread(threadRecord(), { client });
      expect((await all(thread.events({ tickMs: 1 }))).map(brief)).toEqual(seen);
      expect(server.requests.every(({ method }) => method === "GET")).toBe(true);
    });
  });

  it("give what a tool was asked and answered", async () => {
    const messages = { 1: assistant([use("t", "1", { a: 1 })]), 2: message("roboto", [result("t", "1")]) };
    await withServer([delta(messages, "user_turn")], async ({ client }) => {
      const [asked, answered] = await all(new AgentThread(threadRecord(), { client }).events());
      expect(asked).toMatchObject({ name: "t", tool_use_id: "1", input: { a: 1 }, message_sequence_num: 1 });
      expect(answered).toMatchObject({
        name: "t",
        output: { ok: 1 },
        runtime_ms: 1,
        message_sequence_num: 2,
      });
    });
  });
});

describe("how a thread is followed", () => {
  it("threads 56: one that pauses is asked once, and nothing is waited for", async () => {
    await withServer([delta({}, "user_turn")], async ({ client, clock }) => {
      expect(await all(new AgentThread(threadRecord(), { client }).events())).toEqual([]);
      expect(clock.waits).toEqual([]);
    });
  });

  it("threads 57: without time it is asked once before that is said", async () => {
    await withServer([delta({}, "roboto_turn")], async ({ client }) => {
      const events = new AgentThread(threadRecord(), { client }).events({ timeoutMs: 0 });
      await expect(all(events)).rejects.toMatchObject({
        name: "TimeoutError",
        code: "threads/timeout",
        timeoutMs: 0,
      });
    });
  });

  it("threads 59: the pause is kept between polls", async () => {
    const steps = [delta({}, "roboto_turn"), delta({}, "roboto_turn"), delta({}, "user_turn")];
    await withServer(steps, async ({ client, clock }) => {
      await all(new AgentThread(threadRecord(), { client }).events({ tickMs: 50 }));
      expect(clock.waits).toEqual([50, 50]);
    });
  });

  it("waits no longer than there is time", async () => {
    const steps = [delta({}, "roboto_turn"), delta({}, "roboto_turn"), delta({}, "roboto_turn")];
    await withServer(steps, async ({ client, clock }) => {
      const events = new AgentThread(threadRecord(), { client }).events({ tickMs: 50, timeoutMs: 70 });
      await expect(all(events)).rejects.toMatchObject({ code: "threads/timeout" });
      expect(clock.waits).toEqual([50, 20]);
    });
  });

  it("threads 60: what was not taken comes first the next time", async () => {
    const steps = [delta({ 1: assistant([say("a"), use("t", "1")]) }, "roboto_turn"), delta({}, "user_turn")];
    await withServer(steps, async ({ client, server }) => {
      const thread = new AgentThread(threadRecord(), { client });
      for await (const event of thread.events()) {
        expect(brief(event)).toBe("start 1");
        break;
      }
      expect(server.requests).toHaveLength(1);
      expect((await all(thread.events())).map(brief)).toEqual(["a", "end 1", "use t"]);
    });
  });

  it("threads 61: by one reader at a time", async () => {
    const steps = [delta({ 1: assistant([say("a")]) }, "roboto_turn"), delta({}, "user_turn")];
    await withServer(steps, async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      const early = thread.events();
      const events = thread.events();
      await events.next();
      const busy: unknown = expect.objectContaining({ code: "threads/state" });
      expect(() => thread.events()).toThrow(busy);
      expect(() => thread.run()).toThrow(busy);
      await expect(early.next()).rejects.toEqual(busy);
      await events.return();
      await thread.run();
    });
  });

  it("asks for the next page at once, whatever the status that is held", async () => {
    const page = { has_more: true };
    const steps = [
      delta({ 1: assistant([say("a")], "generating") }, null, page),
      delta({ 1: assistant([say("b")]) }, "user_turn"),
    ];
    await withServer(steps, async ({ client, clock }) => {
      const thread = new AgentThread(threadRecord({ status: "user_turn" }), { client });
      expect((await all(thread.events())).map(brief)).toEqual(["start 1", "a", "b", "end 1"]);
      expect(clock.waits).toEqual([]);
    });
  });

  it("waits when a page leads nowhere", async () => {
    const nowhere = delta({}, null, { has_more: true, continuation_token: "s0" });
    await withServer([nowhere, nowhere, delta({}, "user_turn")], async ({ client, clock }) => {
      await all(new AgentThread(threadRecord(), { client }).events({ tickMs: 5 }));
      expect(clock.waits).toEqual([5, 5]);
    });
  });

  it("says what a refresh ended when it is followed again", async () => {
    const steps = [
      delta({ 1: assistant([say("a")], "generating") }, "client_tool_turn"),
      delta({ 1: assistant([say("b")]) }, "roboto_turn"),
      delta({ 2: assistant([say("c")]) }, "user_turn"),
    ];
    await withServer(steps, async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      expect((await all(thread.events())).map(brief)).toEqual(["start 1", "a"]);
      await thread.refresh();
      expect((await all(thread.events())).map(brief)).toEqual(["end 1", "start 2", "c", "end 2"]);
    });
  });

  it("gives what a refresh brings in between to the reader", async () => {
    const steps = [
      delta({ 1: assistant([say("a")], "generating") }, "roboto_turn"),
      delta({ 1: assistant([say("b")]) }, "user_turn"),
    ];
    await withServer(steps, async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      const seen: string[] = [];
      for await (const event of thread.events()) {
        seen.push(brief(event));
        if (event.type === "text_start") await thread.refresh();
      }
      expect(seen).toEqual(["start 1", "a", "b", "end 1"]);
    });
  });
});

describe("giving up", () => {
  it("ends the wait and the request, and can go on", async () => {
    const steps = [delta({}, "roboto_turn"), delta({}, "user_turn")];
    await withServer(steps, async ({ client, server }) => {
      const thread = new AgentThread(threadRecord(), { client });
      const waiting = new AbortController();
      const events = all(thread.events({ tickMs: 100_000, signal: waiting.signal }));
      while (server.requests.length === 0) await new Promise(setImmediate);
      waiting.abort();
      await expect(events).rejects.toMatchObject({ name: "AbortError" });
      await all(thread.events());
    });
  });

  it("rejects with the reason given, also while the server says nothing", async () => {
    const asking = new AbortController();
    const reason = new Error("enough");
    const silent: Step = () => {
      asking.abort(reason);
    };
    await withServer([silent, delta({}, "user_turn")], async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      await expect(all(thread.events({ signal: asking.signal }))).rejects.toBe(reason);
      await thread.refresh();
      await expect(thread.refresh({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });
  });
});
