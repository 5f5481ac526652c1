import { describe, expect, it } from "vitest";
import { withServer } from "../__fixtures__/scripted-server.ts";
import { delta, message, result, threadRecord, use } from "../__fixtures__/thread-data.ts";
import { AgentThread } from "./agent-thread.ts";
import { ThreadsClient } from "./http/threads-client.ts";

const nowhere = new ThreadsClient({ baseUrl: "http://127.0.0.1:1" });

function goal(more: object = {}): object {
  return {
    goal_type: "dataset_summary",
    goal_data: { dataset_id: "ds_1" },
    status: "achieved",
    message_sequence_num: 0,
    created: "2026-01-01T00:00:00Z",
    achieve_tool_use_id: "a1",
    ...more,
  };
}

function threadWith(goals: readonly object[], messages: readonly object[]): AgentThread {
  return new AgentThread(threadRecord({ goals, messages }), { client: nowhere });
}

function asked(input: object): object {
  return message("assistant", [use("achieve", "a1", input)]);
}

describe("what came of a goal", () => {
  it("threads 118: is found once its blocks arrive, also when it was looked for before", async () => {
    const answered = delta({ 1: message("roboto", [result("achieve", "a1")]) }, "roboto_turn");
    await withServer([answered], async ({ client }) => {
      const record = threadRecord({ goals: [goal()], messages: [asked({ summary: "S." })] });
      const thread = new AgentThread(record, { client });
      const [view] = thread.goals;
      expect(view?.achieveToolResult).toBeNull();
      expect(view?.result).toMatchObject({ summary: "S.", achieve_tool_result: null });
      await thread.refresh();
      expect(thread.goals[0]).toBe(view);
      expect(view?.achieveToolResult).toMatchObject({ tool_use_id: "a1", status: "success" });
    });
  });

  it("threads 119: is given by the same views until goals arrive", async () => {
    const steps = [delta({}, "roboto_turn"), delta({}, "roboto_turn", { goals: [goal()] })];
    await withServer(steps, async ({ client }) => {
      const thread = new AgentThread(threadRecord({ goals: [goal()] }), { client });
      const { goals } = thread;
      expect(thread.goals).toBe(goals);
      await thread.refresh();
      expect(thread.goals).toBe(goals);
      await thread.refresh();
      expect(thread.goals).not.toBe(goals);
      expect(thread.goals[0]).not.toBe(goals[0]);
    });
  });

  it("threads 120: is null where the arguments are no longer what they were", () => {
    const [view] = threadWith([goal()], [asked({ summary: 5 })]).goals;
    expect(view?.result).toBeNull();
    expect(view?.achieveToolUse).toMatchObject({ input: { summary: 5 } });
  });

  it.each([
    { why: "there was no attempt", given: goal({ achieve_tool_use_id: null }), messages: [asked({})] },
    { why: "its message is not held", given: goal(), messages: [] },
    {
      why: "only the answer is held",
      given: goal(),
      messages: [message("roboto", [result("achieve", "a1")])],
    },
  ])("is nothing where $why", ({ given, messages }) => {
    const [view] = threadWith([given], messages).goals;
    expect(view).toMatchObject({ achieveToolUse: null, achieveToolResult: null, result: null });
  });

  it("is the labels that apply, in the order of the vocabulary", () => {
    const decision = { justification: "So.", confidence: 0.5, applies: true };
    const label_decisions = ["c", "a", "b"].map((label) => ({ ...decision, label, applies: label !== "b" }));
    const triage = {
      goal_type: "dataset_triage",
      goal_data: { dataset_id: "ds_1", label_vocabulary: { a: "A", b: "B", c: "C" } },
    };
    const [view] = threadWith([goal(triage)], [asked({ label_decisions })]).goals;
    expect(view?.result).toMatchObject({
      goal_type: "dataset_triage",
      status: "achieved",
      applied_labels: ["a", "c"],
    });
    const [bare] = threadWith([goal({ ...triage, goal_data: {} })], [asked({ label_decisions })]).goals;
    expect(bare?.result).toMatchObject({ applied_labels: ["c", "a"] });
    const [none] = threadWith([goal(triage)], [asked({ label_decisions: [] })]).goals;
    expect(none?.result).toBeNull();
  });

  it("is events whose times have all their digits", () => {
    const event = { name: "stop", start_time: 1733850000123456789n, end_time: 1733850000123456790n };
    const events = { goal_type: "create_events" };
    const [view] = threadWith([goal(events)], [asked({ events: [event] })]).goals;
    expect(view?.result).toMatchObject({ events: [{ ...event, tags: [] }] });
    const backwards = { ...event, end_time: 1n };
    const [none] = threadWith([goal(events)], [asked({ events: [backwards] })]).goals;
    expect(none?.result).toBeNull();
  });

  it("is nothing for a goal of a type that a later server has", () => {
    const [view] = threadWith([goal({ goal_type: "novel" })], [asked({})]).goals;
    expect(view?.result).toBeNull();
    expect(() => view?.toAgentGoal()).toThrow(expect.objectContaining({ code: "threads/response" }));
  });
});

it("gives the fields of a goal, and the goal as it can be declared again", () => {
  const [view] = threadWith([goal({ concluded_at: "2026-01-02T00:00:00Z" })], []).goals;
  expect(view).toMatchObject({
    goal_type: "dataset_summary",
    goal_data: { dataset_id: "ds_1" },
    status: "achieved",
    message_sequence_num: 0,
    created: "2026-01-01T00:00:00Z",
    concluded_at: "2026-01-02T00:00:00Z",
    achieve_tool_use_id: "a1",
  });
  expect(view?.toAgentGoal()).toEqual({ goal_type: "dataset_summary", dataset_id: "ds_1" });
});

it("gives tasks in their order, in a list of the caller's own", () => {
  const task = (task_id: number, position: number): object => ({
    task_id,
    position,
    title: "T",
    status: "pending",
  });
  const thread = new AgentThread(threadRecord({ tasks: [task(1, 2), task(2, 1)] }), { client: nowhere });
  expect(thread.tasks.map(({ task_id }) => task_id)).toEqual([2, 1]);
  expect(thread.tasks).not.toBe(thread.tasks);
});
