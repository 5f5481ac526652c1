import { Empty, tool } from "@roboz/core";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { all } from "../__fixtures__/thread-data.ts";
import { call, say, scripted, ServerStage } from "../server/__fixtures__/server-stage.ts";
import { currentThreadCall } from "../turns/thread-call.ts";
import { AgentThread } from "./agent-thread.ts";
import type { AgentEvent } from "./events.ts";
import { ThreadsClient } from "./http/threads-client.ts";
import { clientTool } from "./tools/client-tool.ts";

let stage: ServerStage;
afterEach(() => stage.close());

/** A client that calls the stage's server without a network. */
function clientOf(name = "u1"): ThreadsClient {
  const send: typeof fetch = async (url, init) => stage.server.fetch(new Request(url, init));
  return new ThreadsClient({
    baseUrl: "http://localhost",
    token: stage.tokens.get(name),
    fetch: send,
    retries: { baseMs: 1 },
  });
}

const facts: string[] = [];
const remember = clientTool({
  name: "remember",
  description: "Keep a fact.",
  input: z.object({ fact: z.string() }),
  execute: ({ fact }) => {
    facts.push(fact);
  },
});

function texts(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
}

describe("the client on the server", () => {
  it("threads 62: runs a tool of its own, and the agent goes on", async () => {
    facts.length = 0;
    stage = await ServerStage.open({
      standard: scripted([call("remember", { fact: "Blue." }), say("Noted.")]),
    });
    const thread = await AgentThread.start("Remember blue.", { client: clientOf(), clientTools: [remember] });
    await thread.run({ tickMs: 1 });
    expect(facts).toEqual(["Blue."]);
    expect(thread.status).toBe("user_turn");
    expect(thread.transcript).toMatch(
      /== ROBOTO ==\n\[tool_result remember \S+ success\] \{\}\n== ASSISTANT ==\nNoted\.$/,
    );
  });

  it("threads 15, 22: starts from history, and reads what the server says of the start", async () => {
    stage = await ServerStage.open({ standard: scripted([say("Two.")]) });
    const client = clientOf();
    const history = [
      { role: "assistant", content: [{ content_type: "text", text: "Ask me." } as const] },
      { role: "user", content: [{ content_type: "text", text: "One?" } as const] },
    ].map((message) => ({ ...message, status: "completed", created: "2026-01-01T00:00:00.000Z" }));
    const thread = await AgentThread.start(history, { client });
    expect(thread.record).toMatchObject({
      status: "roboto_turn",
      visibility: "private",
      origin: "api",
      created_by_principal: "user:us_1",
    });
    expect(thread.messages.map(({ role }) => role)).toEqual(["assistant", "user"]);
    await thread.run({ tickMs: 1 });
    expect(thread.messages[2]).toMatchObject({ role: "assistant", content: [{ text: "Two." }] });
  });

  it("threads 47: gives two readers from different places, asking and streaming, what a fresh read gives", async () => {
    let answer = (_said: object): void => undefined;
    const one = new Promise<object>((resolve) => {
      answer = resolve;
    });
    stage = await ServerStage.open({ standard: scripted([() => one, say("Two 🌍.")]) });
    const client = clientOf();
    const first = await AgentThread.start("First?", { client });
    const late = await AgentThread.fromId(first.threadId, { client });
    answer(say("One."));
    await first.run({ tickMs: 1 });
    await first.sendText("Second?");
    const [asked, streamed] = await Promise.all([
      all(first.events({ tickMs: 1 })),
      all(late.events({ tickMs: 1, transport: "sse" })).then(async (events) => {
        // It may have paused between the turns.
        const more = await all(late.events({ tickMs: 1, transport: "sse" }));
        return [...events, ...more];
      }),
    ]);
    await late.run({ tickMs: 1 });
    expect(texts(asked)).toBe("Two 🌍.");
    expect(texts(streamed)).toContain("One.");
    const fresh = await AgentThread.fromId(first.threadId, { client });
    expect(first.messages).toEqual(fresh.messages);
    expect(late.messages).toEqual(fresh.messages);
    expect(fresh.transcript).toBe(first.transcript);
  });

  it("threads 84: a tool that waits is answered by another process that registers it", async () => {
    facts.length = 0;
    stage = await ServerStage.open({
      standard: scripted([call("remember", { fact: "Red." }), say("Noted.")]),
    });
    const started = await AgentThread.start("Remember red.", { client: clientOf(), clientTools: [remember] });
    await all(started.events({ tickMs: 1 }));
    expect(started.status).toBe("client_tool_turn");
    const other = await AgentThread.fromId(started.threadId, { client: clientOf() });
    await other.registerClientTool(remember).run({ tickMs: 1 });
    expect(facts).toEqual(["Red."]);
    expect(other.latestMessage?.content).toMatchObject([{ text: "Noted." }]);
    await started.run({ tickMs: 1 });
    expect(started.messages).toEqual(other.messages);
  });

  it("threads 85: without registering it, the agent is told, and goes on", async () => {
    stage = await ServerStage.open({
      standard: scripted([call("remember", { fact: "Red." }), say("Sorry.")]),
    });
    const started = await AgentThread.start("Remember red.", { client: clientOf(), clientTools: [remember] });
    await all(started.events({ tickMs: 1 }));
    const other = await AgentThread.fromId(started.threadId, { client: clientOf() });
    await other.run({ tickMs: 1 });
    expect(other.status).toBe("user_turn");
    expect(other.transcript).toMatch(/\[tool_result remember \S+ error\]/);
  });

  it("threads 8, 33: gives tools of the server the scope with all its digits, until another one is sent", async () => {
    const seen: unknown[] = [];
    const look = tool({
      name: "look",
      description: "Look.",
      input: Empty,
      output: Empty,
      run: () => {
        seen.push(currentThreadCall()?.analysisScope?.start_time);
        return Empty();
      },
    });
    const turn = [call("look"), say("Done.")];
    stage = await ServerStage.open({ standard: scripted([...turn, ...turn, ...turn], [look]) });
    const analysisScope = { start_time: 1733850000123456789n };
    const thread = await AgentThread.start("1", { client: clientOf(), analysisScope });
    await thread.run({ tickMs: 1 });
    await (
      await thread.sendText("2", { analysisScope: { start_time: "1733850000123456790" } })
    ).run({ tickMs: 1 });
    await (await thread.sendText("3")).run({ tickMs: 1 });
    expect(seen).toEqual([1733850000123456789n, 1733850000123456790n, 1733850000123456790n]);
  });

  it("threads 114: ends a run whose goals the agent gives up on, and a message lets it go on", async () => {
    stage = await ServerStage.open({
      standard: scripted([...Array<object>(4).fill(say("No.")), say("Yes?")]),
    });
    const goals = [{ goal_type: "dataset_summary", dataset_id: "ds_1" } as const];
    const thread = await AgentThread.start("Summarise it.", { client: clientOf(), goals });
    await expect(thread.run({ tickMs: 1 })).rejects.toMatchObject({
      code: "threads/goals-failed",
      threadId: thread.threadId,
    });
    expect(thread.goals.map(({ status, achieve_tool_use_id }) => [status, achieve_tool_use_id])).toEqual([
      ["failed", null],
    ]);
    await (await thread.sendText("Go on.")).run({ tickMs: 1 });
    expect(thread.goals[0]?.status).toBe("failed");
  });

  it("threads 113: shows what came of a goal", async () => {
    const achieve = call("achieve_dataset_summary", { summary: "Short." });
    stage = await ServerStage.open({ standard: scripted([say("No."), say("No."), achieve, say("Done.")]) });
    const goals = [{ goal_type: "dataset_summary", dataset_id: "ds_1" } as const];
    const thread = await AgentThread.start("Summarise it.", { client: clientOf(), goals });
    await thread.run({ tickMs: 1 });
    expect(thread.goals[0]?.result).toMatchObject({ status: "achieved", summary: "Short." });
    expect(thread.goals[0]?.achieveToolResult?.status).toBe("success");
  });

  it("threads 74: a refusal of the user reaches the model as one", async () => {
    const seen: string[] = [];
    const after = ({ messages }: { readonly messages: readonly { readonly content: string }[] }): object => {
      seen.push(messages.map(({ content }) => content).join("\n"));
      return say("All right.");
    };
    stage = await ServerStage.open({ standard: scripted([call("ask"), after]) });
    const ask = clientTool({
      name: "ask",
      description: "Ask.",
      approve: () => false,
      execute: () => undefined,
    });
    const thread = await AgentThread.start("Ask.", { client: clientOf(), clientTools: [ask] });
    await thread.run({ tickMs: 1 });
    expect(thread.transcript).toMatch(/\[tool_result ask \S+ declined\]/);
    expect(seen.join()).toMatch(/declined/i);
  });

  it("forks, shares, rates and is refused as it says", async () => {
    stage = await ServerStage.open({ standard: scripted([say("One."), say("Two.")]) });
    const thread = await AgentThread.start("Hello.", { client: clientOf() });
    await thread.run({ tickMs: 1 });
    const stranger = clientOf("u2");
    const reading = AgentThread.fromId(thread.threadId, { client: stranger });
    await expect(reading).rejects.toMatchObject({ code: "threads/unauthorized", status: 401 });
    await thread.setVisibility("org");
    const shared = await AgentThread.fromId(thread.threadId, { client: stranger });
    await expect(shared.sendText("Mine.")).rejects.toMatchObject({ code: "threads/unauthorized" });
    await shared.setPinned(true);
    const rating = await shared.submitFeedback(1, { sentiment: "positive", categories: ["helpful"] });
    expect(rating).toMatchObject({ created_by: "us_2", categories: ["helpful"] });
    const fork = await shared.fork(1);
    expect(fork.record).toMatchObject({ visibility: "private", forked_from_thread_id: thread.threadId });
    await (await fork.sendText("More?")).run({ tickMs: 1 });
    expect(fork.latestMessage?.content).toMatchObject([{ text: "Two." }]);
    await thread.refresh();
    expect(thread.messages).toHaveLength(2);
  });
});
