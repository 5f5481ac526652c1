import { describe, expect, it } from "vitest";
import { answer, breakOff, raw, refuse, withServer, type Step } from "../__fixtures__/scripted-server.ts";
import {
  all,
  delta,
  deltaData,
  message,
  say,
  threadData,
  threadRecord,
} from "../__fixtures__/thread-data.ts";
import { AgentThread } from "./agent-thread.ts";

const goal = {
  goal_type: "dataset_summary",
  goal_data: { dataset_id: "ds_1" },
  status: "pending",
  message_sequence_num: 0,
  created: "2026-01-01T00:00:00Z",
};

describe("what a delta changes", () => {
  it("threads 40: a poll that took too long and is repeated doubles nothing", async () => {
    const part = { 1: message("assistant", [say("text")], "generating") };
    await withServer([], async ({ client, server, clock }) => {
      server.add(
        () => {
          clock.elapse(30_000);
        },
        delta(part, "roboto_turn"),
      );
      const thread = await new AgentThread(threadRecord(), { client }).refresh();
      expect(server.requests.map(({ query }) => query["next_token"])).toEqual(["s0", "s0"]);
      expect(thread.latestMessage?.content).toEqual([say("text")]);
    });
  });

  it("threads 41: text goes on in the block it began in", async () => {
    const steps = [
      delta({ 1: message("assistant", [say("one ")], "generating") }, "roboto_turn"),
      delta({ 1: message("assistant", [say("two"), say(" three")], "completed") }, "user_turn"),
    ];
    await withServer(steps, async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      await thread.refresh();
      const first = thread.messages[1];
      await thread.refresh();
      expect(thread.messages[1]).toBe(first);
      expect(first).toMatchObject({ status: "completed", content: [say("one two three")] });
    });
  });

  it("threads 42: null changes nothing, and an empty list takes the place of what was held", async () => {
    const more = { title: null, goals: null, tasks: null };
    await withServer(
      [delta({}, null, more), delta({}, null, { goals: [], tasks: [] })],
      async ({ client }) => {
        const task = { task_id: 1, position: 0, title: "T", status: "pending" };
        const thread = new AgentThread(threadRecord({ title: "T", goals: [goal], tasks: [task] }), {
          client,
        });
        await thread.refresh();
        expect(thread).toMatchObject({ status: "roboto_turn", title: "T" });
        expect(thread.goals).toHaveLength(1);
        expect(thread.tasks).toHaveLength(1);
        await thread.refresh();
        expect(thread.goals).toEqual([]);
        expect(thread.tasks).toEqual([]);
      },
    );
  });

  it("threads 43: a message stands at its number in a thread that was loaded without messages", async () => {
    const steps = [
      answer(threadData({ status: "user_turn" })),
      delta({ 5: message("assistant", [say("six")]) }, "user_turn"),
    ];
    await withServer(steps, async ({ client }) => {
      const thread = await AgentThread.fromId("ath_1", { client, loadMessages: false });
      await thread.refresh();
      expect(Object.keys(thread.messages)).toEqual(["5"]);
      expect(thread.messages[5]).toMatchObject({ content: [say("six")] });
      expect(thread.latestMessage).toBe(thread.messages[5]);
      expect(thread.transcript).toBe("=== ath_1 ===\n== ASSISTANT ==\nsix");
    });
  });

  it("applies the messages of a delta in the order of their numbers, whatever their order in it", async () => {
    const body = `{"data":{"messages_by_idx":{"10":{"role":"assistant","content":[{"text":"b"}]},"9":{"role":"assistant","content":[{"text":"a"}]}},"continuation_token":"x","status":"user_turn"}}`;
    await withServer([raw(200, body)], async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      const events = await all(thread.events());
      expect(events.flatMap((event) => (event.type === "text_delta" ? [event.text] : []))).toEqual([
        "a",
        "b",
      ]);
    });
  });

  it("threads 48: what was refreshed comes back in no event", async () => {
    const steps = [
      delta({ 1: message("assistant", [say("a")], "generating") }, "roboto_turn"),
      delta({ 1: message("assistant", [say("b")], "generating") }, "roboto_turn"),
      delta({ 1: message("assistant", [say("c")], "completed") }, "user_turn"),
    ];
    await withServer(steps, async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      await thread.refresh();
      await thread.refresh();
      const events = await all(thread.events());
      expect(events.map((event) => ("text" in event ? event.text : event.type))).toEqual([
        "text_start",
        "c",
        "text_end",
      ]);
    });
  });

  it("asks for each position once when it is asked to refresh twice at a time", async () => {
    const steps = [
      delta({ 1: message("assistant", [say("a")], "generating") }, "roboto_turn"),
      delta({ 1: message("assistant", [say("b")], "completed") }, "user_turn"),
    ];
    await withServer(steps, async ({ client, server }) => {
      const thread = new AgentThread(threadRecord(), { client });
      await Promise.all([thread.refresh(), thread.refresh()]);
      expect(thread.latestMessage?.content).toEqual([say("ab")]);
      expect(new Set(server.requests.map(({ query }) => query["next_token"])).size).toBe(2);
    });
  });

  it("does not take a status for new that was asked for before something was sent", async () => {
    await withServer([], async ({ client, server }) => {
      const thread = new AgentThread(threadRecord({ status: "user_turn" }), { client });
      server.add(
        async (response, request) => {
          server.insert(answer({ message_sequence_num: 0, status: "roboto_turn" }));
          await thread.sendText("a");
          await delta({}, "user_turn")(response, request);
        },
        delta({ 0: message("user", [say("a")]) }, "user_turn"),
      );
      await thread.refresh();
      expect(thread.status).toBe("roboto_turn");
      await thread.refresh();
      expect(thread.status).toBe("user_turn");
    });
  });
});

describe("what a server may answer and should not", () => {
  it.each([
    { why: "no JSON", step: raw(200, "<html>") },
    { why: "no envelope", step: raw(200, JSON.stringify(deltaData({}, "user_turn"))) },
    { why: "no token", step: answer({ messages_by_idx: {} }) },
    {
      why: "a number that is none",
      step: answer({ messages_by_idx: { "-1": message("user", []) }, continuation_token: "x" }),
    },
    {
      why: "a number no thread has",
      step: answer({ messages_by_idx: { 99999999999: message("user", []) }, continuation_token: "x" }),
    },
    { why: "a block that is none", step: delta({ 0: message("assistant", [{}]) }, "user_turn") },
    { why: "nothing", step: raw(204, "") },
  ])("$why is an error of its own, and changes nothing", async ({ step }) => {
    await withServer([step], async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      await expect(thread.refresh()).rejects.toMatchObject({ code: "threads/response" });
      expect(thread.record.continuation_token).toBe("s0");
      expect(thread.messages).toEqual([]);
    });
  });

  it("is asked again when it breaks off, and is not when it refuses", async () => {
    const broken: Step = (response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"data', () => response.destroy());
    };
    const steps = [
      breakOff,
      broken,
      refuse(503, "RobotoServiceUnavailableException"),
      refuse(404, "RobotoNotFoundException"),
    ];
    await withServer(steps, async ({ client, clock }) => {
      const thread = new AgentThread(threadRecord(), { client });
      await expect(thread.refresh()).rejects.toMatchObject({ code: "threads/not-found", status: 404 });
      expect(clock.waits).toEqual([250, 500, 1000]);
    });
  });
});
