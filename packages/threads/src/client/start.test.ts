import { describe, expect, it } from "vitest";
import { answer, withServer } from "../__fixtures__/scripted-server.ts";
import { message, say, threadData } from "../__fixtures__/thread-data.ts";
import { AgentMessage } from "../wire/message.ts";
import { threadRecordSchema } from "../wire/thread.ts";
import { AgentThread } from "./agent-thread.ts";
import { clientTool } from "./tools/client-tool.ts";

const goal = { goal_type: "dataset_summary", dataset_id: "ds_1" } as const;
const refused = { code: "threads/invalid-request", status: undefined };

describe("what starts no thread", () => {
  it.each([
    { number: 10, why: "nothing at all", text: undefined, options: {} },
    { number: 11, why: "empty goals and skills", text: undefined, options: { goals: [], invokeSkills: [] } },
    {
      number: 12,
      why: "skills that may be loaded",
      text: null,
      options: { availableSkills: [{ skill_id: "sk_1" }] },
    },
    { number: 17, why: "six goals", text: "hi", options: { goals: Array.from({ length: 6 }, () => goal) } },
    {
      number: 18,
      why: "a skill twice",
      text: "hi",
      options: { availableSkills: [{ skill_id: "sk_1" }, { skill_id: "sk_1", version: 2 }] },
    },
  ])("threads $number: $why is refused before anything is sent", async ({ text, options }) => {
    await withServer([], async ({ client }) => {
      await expect(AgentThread.start(text, { client, ...options })).rejects.toMatchObject(refused);
    });
  });

  it("threads 14: a message of the system is refused, and the refusal names the roles", async () => {
    await withServer([], async ({ client }) => {
      const starting = AgentThread.start(AgentMessage.text("hi", "roboto"), { client });
      await expect(starting).rejects.toMatchObject(refused);
      await expect(starting).rejects.toThrow(/`user` or `assistant`/);
    });
  });

  it.each([
    { why: "a blank text", text: "  \n" },
    { why: "an empty text", text: "" },
    { why: "an empty list", text: [] },
    { why: "history that ends with the assistant", text: [AgentMessage.text("hi", "assistant")] },
  ])("refuses $why", async ({ text }) => {
    await withServer([], async ({ client }) => {
      await expect(AgentThread.start(text, { client })).rejects.toMatchObject(refused);
    });
  });

  it("refuses goals beside messages without text", async () => {
    await withServer([], async ({ client }) => {
      const history = [{ ...AgentMessage.text("", "assistant"), content: [] }];
      await expect(AgentThread.start(history, { client, goals: [goal] })).rejects.toMatchObject(refused);
    });
  });
});

describe("what is sent", () => {
  it("threads 13: a text becomes one message, and the organisation goes into its header", async () => {
    await withServer([answer(threadData(), 201)], async ({ client, server }) => {
      const thread = await AgentThread.start("hi", { client, orgId: "og_1" });
      expect(thread.threadId).toBe("ath_1");
      const [request] = server.requests;
      expect(request).toMatchObject({ method: "POST", path: "/v1/ai/threads" });
      expect(request?.headers["x-roboto-org-id"]).toBe("og_1");
      expect(request?.body).toMatchObject({ messages: [{ role: "user", content: [say("hi")] }] });
      expect(JSON.stringify(request?.body)).not.toContain("og_1");
    });
  });

  it("sends the specs of tools and keeps their functions", async () => {
    const note = clientTool({ name: "note", description: "Note.", execute: () => undefined });
    const spec = { name: "look", description: "Look.", input_schema: { type: "object" } };
    await withServer([answer(threadData(), 201)], async ({ client, server }) => {
      const thread = await AgentThread.start("hi", { client, clientTools: [note, spec] });
      expect(thread.clientToolNames).toEqual(["note"]);
      expect(server.requests[0]?.body).toMatchObject({ client_tools: [{ name: "note" }, spec] });
    });
  });

  it("sends nanoseconds as integers with all their digits", async () => {
    await withServer([answer(threadData(), 201)], async ({ client, server }) => {
      const analysisScope = { start_time: 1733850000123456789n, end_time: "1733850000123456790" };
      await AgentThread.start("hi", { client, analysisScope, visibility: "org", modelProfile: "standard" });
      expect(server.requests[0]?.body).toMatchObject({
        analysis_scope: { start_time: 1733850000123456789n, end_time: 1733850000123456790n },
        visibility: "org",
        model_profile: "standard",
      });
    });
  });

  it("sends goals without a message, and null skills differently from none", async () => {
    await withServer([answer(threadData(), 201), answer(threadData(), 201)], async ({ client, server }) => {
      await AgentThread.start(undefined, { client, goals: [goal], availableSkills: [] });
      await AgentThread.start(undefined, { client, goals: [goal] });
      expect(server.requests[0]?.body).toMatchObject({ messages: [], goals: [goal], available_skills: [] });
      expect(server.requests[1]?.body).not.toHaveProperty("available_skills");
    });
  });
});

it("threads 2: goals that were not loaded are told from none, and are none either way", async () => {
  expect(threadRecordSchema.parse(threadData()).goals).toBeNull();
  expect(threadRecordSchema.parse(threadData({ goals: [] })).goals).toEqual([]);
  await withServer(
    [answer(threadData()), answer(threadData({ goals: [], tasks: [] }))],
    async ({ client }) => {
      for (let time = 0; time < 2; time += 1) {
        const thread = await AgentThread.fromId("ath_1", { client });
        expect(thread.goals).toEqual([]);
        expect(thread.tasks).toEqual([]);
      }
    },
  );
});

it("encodes the id of a thread, and says whether messages are wanted", async () => {
  await withServer([answer(threadData({ thread_id: "ch_1/2" }))], async ({ client, server }) => {
    const thread = await AgentThread.fromId("ch_1/2", { client, loadMessages: false });
    expect(server.requests[0]?.path).toBe("/v1/ai/threads/ch_1%2F2");
    expect(server.requests[0]?.query).toEqual({ load_messages: "false" });
    expect(thread.latestMessage).toBeNull();
  });
});

it("gives the fields of the record", async () => {
  const given = { title: "T", visibility: "org", messages: [message("user", [say("a"), say("b")])] };
  await withServer([answer(threadData(given))], async ({ client }) => {
    const thread = await AgentThread.fromId("ath_1", { client });
    expect(thread).toMatchObject({ title: "T", visibility: "org", status: "roboto_turn" });
    expect(thread.latestMessage?.content).toEqual([say("ab")]);
    expect(thread.record.created_by).toBe("u1");
  });
});
