import { MockLLMEndpoint, type MockEntry } from "@roboz/core";
import { afterEach, describe, expect, it } from "vitest";

import { call, lines, message, say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";

let stage: ServerStage;
afterEach(() => stage.close());

const summary = { goal_type: "dataset_summary", dataset_id: "ds_1" };
const triage = {
  goal_type: "dataset_triage",
  dataset_id: "ds_1",
  label_vocabulary: { wet: "Rain", dark: "Night" },
};
const achieve = call("achieve_dataset_summary", { summary: "All is well." });
const decision = (label: string) => ({ label, applies: true, justification: "Seen.", confidence: 0.9 });

async function run(script: readonly MockEntry[], goals: readonly object[]) {
  const endpoint = new MockLLMEndpoint(script);
  stage = await ServerStage.open({ standard: scripted(endpoint) });
  const thread = await stage.talked({ goals });
  return { thread, endpoint };
}

describe("goals", () => {
  it("threads 112: stand against a message that is made for them", async () => {
    const { thread } = await run([achieve, say("Done.")], [summary]);
    expect(thread.messages[0]).toMatchObject({ role: "user", status: "completed" });
    expect(lines(thread)[0]?.length).toBeGreaterThan("user: ".length);
    expect(thread.goals).toMatchObject([{ message_sequence_num: 0, status: "achieved" }]);
  });

  it("threads 113: are asked for again when the turn ends without them, and that is in no transcript", async () => {
    const { thread, endpoint } = await run([say("Done?"), say("Done!"), achieve, say("Done.")], [summary]);
    endpoint.assertUsedUp();
    expect(thread.status).toBe("user_turn");
    const use = thread.messages
      .flatMap(({ content }) => content)
      .find(({ content_type }) => content_type === "tool_use");
    expect(thread.goals).toMatchObject([
      {
        status: "achieved",
        achieve_tool_use_id: use?.content_type === "tool_use" ? use.tool_use_id : "none",
      },
    ]);
    expect(JSON.stringify(thread.messages)).not.toContain("not achieved");
    expect(lines(thread).slice(1)).toEqual([
      "assistant: Done?",
      "assistant: Done!",
      "assistant: <achieve_dataset_summary>",
      "roboto: [achieve_dataset_summary success]",
      "assistant: Done.",
    ]);
  });

  it("threads 114, 32: fail after three times, and stay failed when the thread goes on", async () => {
    const { thread, endpoint } = await run([say("1"), say("2"), say("3"), say("4"), say("5")], [summary]);
    expect(endpoint.requests).toHaveLength(4);
    expect(thread).toMatchObject({
      status: "goals_failed",
      goals: [{ status: "failed", achieve_tool_use_id: null }],
    });
    expect((await stage.say(thread.thread_id, "Never mind.")).status).toBe(200);
    expect(await stage.settled(thread.thread_id)).toMatchObject({
      status: "user_turn",
      goals: [{ status: "failed" }],
    });
  });

  it("threads 115: are each what they are when the budget ends", async () => {
    const { thread } = await run([achieve, say("1"), say("2"), say("3"), say("4")], [summary, triage]);
    expect(thread).toMatchObject({
      status: "goals_failed",
      goals: [{ status: "achieved" }, { status: "failed" }],
    });
  });

  it("threads 116: take a second attempt after an invalid one, and no third after a valid one", async () => {
    const empty = call("achieve_dataset_summary", { summary: " " });
    const { thread } = await run([empty, achieve, achieve, say("Done.")], [summary]);
    expect(lines(thread).filter((line) => line.startsWith("roboto"))).toEqual([
      "roboto: [achieve_dataset_summary error]",
      "roboto: [achieve_dataset_summary success]",
      "roboto: [achieve_dataset_summary error]",
    ]);
    const uses = thread.messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.content_type === "tool_use" ? [block.tool_use_id] : [])),
    );
    expect(thread.goals?.[0]?.achieve_tool_use_id).toBe(uses[1]);
  });

  it("threads 117: are refused to one who may not write their target, before anything is stored or asked", async () => {
    const endpoint = new MockLLMEndpoint([]);
    stage = await ServerStage.open(
      { standard: scripted(endpoint) },
      { goals: { mayDeclare: (goal, caller) => goal.dataset_id !== "ds_1" || caller.userId !== "us_1" } },
    );
    const reply = await stage.post("/v1/ai/threads", { goals: [summary] });
    expect(reply).toMatchObject({ status: 401, error: { error_code: "RobotoUnauthorizedException" } });
    expect((await stage.get("/v1/ai/threads")).data).toMatchObject({ items: [] });
    expect(endpoint.requests).toHaveLength(0);
  });

  it("threads 121: need a decision for each label, once, before anything is done outside", async () => {
    const done: unknown[] = [];
    const triaged = (...labels: string[]) =>
      call("achieve_dataset_triage", { label_decisions: labels.map(decision) });
    stage = await ServerStage.open(
      {
        standard: scripted([
          triaged("wet"),
          triaged("wet", "dark", "wet"),
          triaged("wet", "dark", "cold"),
          triaged("dark", "wet"),
          say("Done."),
        ]),
      },
      {
        goals: {
          achieve: (_goal, achievement, key) => {
            done.push([achievement["label_decisions"], key]);
          },
        },
      },
    );
    const thread = await stage.talked({ goals: [triage] });
    expect(lines(thread).filter((line) => line.startsWith("roboto"))).toEqual([
      "roboto: [achieve_dataset_triage error]",
      "roboto: [achieve_dataset_triage error]",
      "roboto: [achieve_dataset_triage error]",
      "roboto: [achieve_dataset_triage success]",
    ]);
    expect(done).toEqual([[[decision("dark"), decision("wet")], thread.goals?.[0]?.achieve_tool_use_id]]);
  });

  it("make a dataset's summary, which can also be set", async () => {
    stage = await ServerStage.open({ standard: scripted([achieve, say("Done.")]) });
    const path = "/v1/datasets/ds_1/summary";
    expect((await stage.get(path)).status).toBe(404);
    expect((await stage.post(path)).status).toBe(201);
    const listed = await stage.get("/v1/ai/threads");
    await stage.settled(/"thread_id":"(ath_\w+)"/.exec(listed.text)?.[1] ?? "");
    expect((await stage.get(path)).data).toMatchObject({ status: "complete", text: "All is well." });
    await stage.put(path, { summary: "Better." });
    expect((await stage.get(path)).data).toMatchObject({ status: "complete", text: "Better." });
  });
});

describe("tasks", () => {
  const create = (title: string, ...subtasks: string[]) => call("create_task", { title, subtasks });
  const plan = (script: readonly MockEntry[]) =>
    ServerStage.open({ standard: scripted([...script, say("Done.")], [], { tasks: true }) });
  const statuses = (thread: Parameters<typeof lines>[0]) =>
    lines(thread).filter((line) => line.startsWith("roboto"));

  it("threads 122: are in progress one at a time", async () => {
    stage = await plan([
      create("One"),
      create("Two"),
      call("start_task", { task_id: 1 }),
      call("start_task", { task_id: 2 }),
    ]);
    const thread = await stage.talked();
    expect(statuses(thread).slice(2)).toEqual(["roboto: [start_task success]", "roboto: [start_task error]"]);
    expect(thread.tasks).toMatchObject([
      {
        task_id: 1,
        position: 0,
        status: "in_progress",
        start: { message_sequence_num: 5, content_sequence_num: 0 },
      },
      { task_id: 2, position: 1, status: "pending", start: null },
    ]);
  });

  it("threads 123: are completed when their subtasks are done", async () => {
    const complete = call("complete_task", { task_id: 1, conclusion: "Swept." });
    stage = await plan([
      create("Clean", "sweep"),
      call("start_task", { task_id: 1 }),
      complete,
      call("finish_subtask", { task_id: 1, subtask: 0 }),
      complete,
    ]);
    const thread = await stage.talked();
    expect(statuses(thread).map((line) => line.slice(9, -1))).toEqual([
      "create_task success",
      "start_task success",
      "complete_task error",
      "finish_subtask success",
      "complete_task success",
    ]);
    expect(thread.tasks).toMatchObject([
      {
        status: "completed",
        conclusion: "Swept.",
        subtasks: [{ title: "sweep", status: "done" }],
        end: { message_sequence_num: 9, content_sequence_num: 0 },
      },
    ]);
  });

  it("threads 124: come whole with the delta in which they changed", async () => {
    stage = await plan([create("One"), create("Two")]);
    const { thread_id: id, continuation_token: token } = await stage.start({ messages: [message("Go")] });
    await stage.settled(id);
    const delta = await stage.delta(id, token);
    expect(delta.tasks?.map(({ title }) => title)).toEqual(["One", "Two"]);
    expect((await stage.delta(id, delta.continuation_token)).tasks).toBeNull();
  });
});
