import { describe, expect, it } from "vitest";
import { answer, refuse, withServer, type Stage } from "../__fixtures__/scripted-server.ts";
import { delta, message, result, say, threadData, threadRecord } from "../__fixtures__/thread-data.ts";
import { AgentMessage } from "../wire/message.ts";
import { AgentThread } from "./agent-thread.ts";
import { clientTool } from "./tools/client-tool.ts";

const seeded = [message("user", [say("one")]), message("assistant", [say("two")])];

function paused({ client }: Stage, more: object = {}): AgentThread {
  return new AgentThread(threadRecord({ status: "user_turn", messages: seeded, ...more }), { client });
}

describe("a message that is sent", () => {
  it("threads 26: is held here, and the agent works on it", async () => {
    await withServer([answer({ message_sequence_num: 2, status: "roboto_turn" })], async (stage) => {
      const thread = await paused(stage).sendText("a");
      expect(thread.status).toBe("roboto_turn");
      expect(thread.latestMessage).toMatchObject({ role: "user", content: [say("a")] });
      expect(stage.server.requests[0]).toMatchObject({
        method: "POST",
        path: "/v1/ai/threads/ath_1/messages",
      });
    });
  });

  it.each([
    { why: "whose place the server names", receipt: { message_sequence_num: 2, status: "roboto_turn" } },
    { why: "whose place it does not name", receipt: null },
    { why: "that it answers with something else", receipt: { thread_id: "ath_1" } },
  ])("threads 27: is there once after its echo, $why", async ({ receipt }) => {
    const echo = delta({ 2: message("user", [say("a")]), 3: message("assistant", [say("b")]) }, "user_turn");
    await withServer([answer(receipt), echo], async (stage) => {
      const thread = await paused(stage).sendText("a");
      await thread.refresh();
      expect(thread.transcript).toBe(
        "=== ath_1 ===\n== USER ==\none\n== ASSISTANT ==\ntwo\n== USER ==\na\n== ASSISTANT ==\nb",
      );
    });
  });

  it("is there once where nobody knew its place", async () => {
    const echo = delta({ 6: message("user", [say("a")]) }, "roboto_turn");
    await withServer([answer(null), echo], async (stage) => {
      const thread = await paused(stage, { messages: [] }).sendText("a");
      await thread.refresh();
      expect(Object.keys(thread.messages)).toEqual(["6"]);
    });
  });

  it("is not held when it has come back before its receipt was read", async () => {
    await withServer([], async (stage) => {
      const thread = paused(stage);
      const { server } = stage;
      let arrived: AgentMessage | undefined;
      server.add(async (response, request) => {
        server.add(delta({ 2: message("user", [say("a")]) }, "roboto_turn"));
        await thread.refresh();
        arrived = thread.messages[2];
        await answer({ message_sequence_num: 2, status: "roboto_turn" })(response, request);
      });
      await thread.sendText("a");
      expect(thread.messages).toHaveLength(3);
      expect(thread.messages[2]).toBe(arrived);
    });
  });

  it.each([
    { why: "of the assistant", given: AgentMessage.text("a", "assistant") },
    { why: "without content", given: { ...AgentMessage.text("a"), content: [] } },
    {
      why: "with a result",
      given: threadRecord({ messages: [message("user", [result("t", "1")])] }).messages[0],
    },
    { why: "that is blank", given: AgentMessage.text(" ") },
    { why: "that is none", given: undefined },
  ])("threads 28: is refused before anything is sent: one $why", async ({ given }) => {
    await withServer([], async (stage) => {
      await expect(paused(stage).send(given)).rejects.toMatchObject({
        code: "threads/invalid-request",
        status: undefined,
      });
    });
  });

  it("threads 29: changes nothing here when it is refused", async () => {
    await withServer([refuse(401, "RobotoUnauthorizedException")], async (stage) => {
      const thread = paused(stage);
      const note = clientTool({ name: "note", description: "Note.", execute: () => undefined });
      await expect(thread.sendText("a", { clientTools: [note] })).rejects.toMatchObject({
        code: "threads/unauthorized",
        errorCode: "RobotoUnauthorizedException",
        status: 401,
      });
      expect(thread.messages).toHaveLength(2);
      expect(thread.status).toBe("user_turn");
      expect(thread.clientToolNames).toEqual([]);
    });
  });

  it("is refused where another surface owns the thread", async () => {
    await withServer([refuse(403, "RobotoThreadReadOnlyException")], async (stage) => {
      await expect(paused(stage).sendText("a")).rejects.toMatchObject({ code: "threads/thread-read-only" });
    });
  });
});

it("threads 35: a skill is invoked without a message and without a version", async () => {
  await withServer([answer({ message_sequence_num: null, status: "roboto_turn" })], async (stage) => {
    const thread = await paused(stage).invokeSkill("sk_1");
    expect(stage.server.requests[0]?.body).toMatchObject({ message: null });
    expect(stage.server.requests[0]?.body).toHaveProperty("invoke_skills", [{ skill_id: "sk_1" }]);
    expect(thread.messages).toHaveLength(2);
    expect(thread.status).toBe("roboto_turn");
  });
});

it("threads 36: what can be chained gives the thread itself", async () => {
  const steps = [
    answer(null),
    answer(null),
    answer(null),
    answer({ status: "roboto_turn", remaining: [] }),
    delta({}, "user_turn"),
    answer(threadData()),
    answer(threadData({ visibility: "org" })),
    answer({ status: "user_turn" }),
    delta({}, "user_turn"),
  ];
  await withServer(steps, async (stage) => {
    const thread = paused(stage);
    const note = clientTool({ name: "note", description: "Note.", execute: () => undefined });
    const answered = { tool_use_id: "1", tool_name: "note", runtime_ms: 0, status: "success" } as const;
    expect(await thread.send(AgentMessage.text("a"))).toBe(thread);
    expect(await thread.sendText("a")).toBe(thread);
    expect(await thread.invokeSkill("sk_1", 2)).toBe(thread);
    expect(await thread.submitClientToolResults([answered])).toBe(thread);
    expect(await thread.refresh()).toBe(thread);
    expect(await thread.setPinned(true)).toBe(thread);
    expect(await thread.setVisibility("org")).toBe(thread);
    expect(thread.visibility).toBe("org");
    expect(await thread.cancel()).toBe(thread);
    expect(thread.status).toBe("user_turn");
    expect(thread.registerClientTool(note)).toBe(thread);
    expect(await thread.run()).toBe(thread);
    expect(stage.server.requests.map(({ method, path }) => `${method} ${path.slice(20)}`)).toEqual([
      "POST /messages",
      "POST /messages",
      "POST /messages",
      "POST /tool-results",
      "GET /delta",
      "PUT /pin",
      "PUT /visibility",
      "POST /cancel",
      "GET /delta",
    ]);
  });
});

describe("what else is asked of a thread", () => {
  it("threads 83: a tool that is registered here is not sent by that", async () => {
    await withServer([answer(null)], async (stage) => {
      const note = clientTool({ name: "note", description: "Note.", execute: () => undefined });
      const thread = paused(stage).registerClientTool(note);
      expect(stage.server.requests).toEqual([]);
      await thread.sendText("a");
      expect(stage.server.requests[0]?.body).not.toHaveProperty("client_tools");
    });
  });

  it("forks into a thread of its own", async () => {
    await withServer(
      [answer(threadData({ thread_id: "ath_2", forked_from_thread_id: "ath_1" }), 201)],
      async (stage) => {
        const fork = await paused(stage).fork(1);
        expect(fork.threadId).toBe("ath_2");
        expect(stage.server.requests[0]).toMatchObject({
          path: "/v1/ai/threads/ath_1/fork",
          body: { message_sequence_num: 1 },
        });
      },
    );
  });

  it("refuses to fork at what is no number of a message", async () => {
    await withServer([], async (stage) => {
      await expect(paused(stage).fork(Number.NaN)).rejects.toMatchObject({ code: "threads/invalid-request" });
    });
  });

  it("keeps the client's turn while calls are left unanswered", async () => {
    await withServer([answer({ status: "client_tool_turn", remaining: ["2"] })], async (stage) => {
      const thread = paused(stage, { status: "client_tool_turn" });
      const answered = { tool_use_id: "1", tool_name: "a", runtime_ms: 0, status: "success" } as const;
      await thread.submitClientToolResults([answered], undefined, { idempotencyKey: "kept" });
      expect(thread.status).toBe("client_tool_turn");
      expect(stage.server.requests[0]?.headers["idempotency-key"]).toBe("kept");
    });
  });

  it("deletes, and reads the detail of a call", async () => {
    const detail = { tool_use: { tool_name: "t", tool_use_id: "1" }, tool_result: null };
    await withServer([answer(detail), (response) => void response.writeHead(204).end()], async (stage) => {
      const thread = paused(stage);
      expect((await thread.toolDetail("1")).tool_use.tool_name).toBe("t");
      await thread.delete();
    });
  });

  it("threads 107: refuses a rating that contradicts itself, before anything is sent", async () => {
    await withServer([], async (stage) => {
      const refusal = { code: "threads/invalid-request", status: undefined };
      const thread = paused(stage);
      const positive = { sentiment: "positive", categories: ["incorrect"] } as const;
      await expect(thread.submitFeedback(1, positive)).rejects.toMatchObject(refusal);
      const other = { sentiment: "negative", categories: ["other"], notes: "  " } as const;
      await expect(thread.submitFeedback(1, other)).rejects.toMatchObject(refusal);
    });
  });

  it("sends the categories of a rating as a sorted set, and none as an empty list", async () => {
    const rating = {
      feedback_id: "fb_1",
      thread_id: "ath_1",
      message_sequence_num: 1,
      org_id: "og_1",
      created: "2026-01-01T00:00:00Z",
      created_by: "u1",
      modified: "2026-01-01T00:00:00Z",
      modified_by: "u1",
      sentiment: "negative",
      admin_note: "secret",
    };
    await withServer([answer(rating), answer(rating)], async (stage) => {
      const thread = paused(stage);
      const given = {
        sentiment: "negative",
        categories: ["slow", "incorrect", "slow"],
        notes: " x ",
      } as const;
      expect(await thread.submitFeedback(1, given)).not.toHaveProperty("admin_note");
      await thread.submitFeedback(1, { sentiment: "negative" });
      expect(stage.server.requests.map(({ body }) => body)).toEqual([
        { sentiment: "negative", categories: ["incorrect", "slow"], notes: " x " },
        { sentiment: "negative", categories: [], notes: null },
      ]);
    });
  });
});
