import { MockLLMEndpoint, type MockEntry } from "@roboz/core";
import { afterEach, describe, expect, it } from "vitest";

import { call, lines, message, say, scripted, ServerStage, type Reply } from "./__fixtures__/server-stage.ts";

let stage: ServerStage;
afterEach(() => stage.close());

const field = (reply: Reply, name: string): string => {
  const found: unknown =
    typeof reply.data === "object" && reply.data !== null ? Reflect.get(reply.data, name) : undefined;
  if (typeof found !== "string") throw new Error(`There is no \`${name}\`: ${reply.text}`);
  return found;
};
const skill = async (name: string, body: string, accessibility = "private", as = "u1"): Promise<string> =>
  field(
    await stage.post(
      "/v1/skills/create",
      { name, accessibility, description: `How to ${name}`, body },
      { as },
    ),
    "skill_id",
  );
const version = (id: string, body: string) =>
  stage.post(`/v1/skills/id/${id}/versions`, { description: "Newer", body });

const open = async (script: readonly MockEntry[]): Promise<MockLLMEndpoint> => {
  const endpoint = new MockLLMEndpoint(script);
  stage = await ServerStage.open({ standard: scripted(endpoint) });
  return endpoint;
};

describe("skills that are invoked", () => {
  it("threads 125, 127: follow the message as completed pairs, at their highest versions", async () => {
    const endpoint = await open([say("Ready."), say("Done.")]);
    const [first, second] = [await skill("sweep", "One"), await skill("wipe", "Wipe!")];
    await version(first, "Two");
    await version(first, "Three");
    const { thread_id: id } = await stage.talked();
    await stage.say(id, "Clean.", { invoke_skills: [{ skill_id: first }, { skill_id: second, version: 1 }] });
    const thread = await stage.settled(id);
    expect(lines(thread).slice(2)).toEqual([
      "user: Clean.",
      "assistant: <load_skill>",
      "roboto: [load_skill success]",
      "assistant: <load_skill>",
      "roboto: [load_skill success]",
      "assistant: Done.",
    ]);
    expect(thread.messages[3]?.content[0]).toMatchObject({
      input: { name: "sweep", skill_id: first, version: 3 },
    });
    expect(thread.messages[4]).toMatchObject({
      status: "completed",
      content: [{ runtime_ms: 0, raw_response: { body: "Three", version: 3 } }],
    });
    expect(thread.messages[5]?.content[0]).toMatchObject({
      input: { name: "wipe", skill_id: second, version: 1 },
    });
    expect(thread.messages[6]).toMatchObject({
      status: "completed",
      content: [{ runtime_ms: 0, raw_response: { body: "Wipe!", version: 1 } }],
    });
    expect(JSON.stringify(endpoint.requests[1]?.messages)).toContain("Wipe!");
  });

  it("threads 126: trigger a turn by themselves, without a message of the user's", async () => {
    await open([say("Loaded.")]);
    const id = await skill("sweep", "Sweep!");
    const thread = await stage.talked({ invoke_skills: [{ skill_id: id }] });
    expect(lines(thread)).toEqual([
      "assistant: <load_skill>",
      "roboto: [load_skill success]",
      "assistant: Loaded.",
    ]);
  });

  it("threads 128, 129: are all refused with one that is not there", async () => {
    await open([]);
    const [mine, other] = [await skill("sweep", "Mine"), await skill("wipe", "Theirs", "private", "u2")];
    const wrong = { invoke_skills: [{ skill_id: mine }, { skill_id: mine, version: 9 }] };
    expect(await stage.post("/v1/ai/threads", wrong)).toMatchObject({ status: 400 });
    for (const body of [
      { invoke_skills: [{ skill_id: other }] },
      { messages: [message("Hi")], available_skills: [{ skill_id: other }] },
    ])
      expect(await stage.post("/v1/ai/threads", body)).toMatchObject({ status: 404 });
    expect((await stage.get("/v1/ai/threads")).data).toMatchObject({ items: [] });
  });

  it("have bodies that are no longer than a text may be", async () => {
    await open([]);
    const id = await skill("sweep", "x".repeat(200_000));
    const body = "x".repeat(200_001);
    for (const reply of [
      await stage.post("/v1/skills/create", { name: "wipe", description: "Wipes.", body }),
      await stage.post(`/v1/skills/id/${id}/versions`, { description: "Sweeps.", body }),
      await stage.put(`/v1/skills/id/${id}/versions/1`, { body }),
    ])
      expect(reply).toMatchObject({ status: 400 });
    expect((await stage.get(`/v1/skills/id/${id}/versions`)).data).toHaveLength(1);
  });

  it("threads 132: stay in the transcript when they are deleted", async () => {
    await open([say("Loaded.")]);
    const id = await skill("sweep", "Sweep!");
    const thread = await stage.talked({ invoke_skills: [{ skill_id: id }] });
    expect((await stage.send("DELETE", `/v1/skills/id/${id}`)).status).toBe(204);
    expect((await stage.get(`/v1/skills/id/${id}`)).status).toBe(404);
    expect(JSON.stringify((await stage.read(thread.thread_id)).messages)).toContain("Sweep!");
  });
});

describe("skills that the model may load", () => {
  it("threads 130: are none, what the caller subscribes to, or exactly those that are named", async () => {
    const endpoint = await open([say("1"), say("2"), say("3")]);
    const [pinned, other] = [await skill("sweep", "Sweep!"), await skill("wipe", "Wipe!", "org", "u2")];
    await stage.talked({ messages: [message("1")], available_skills: [] });
    await stage.talked({ messages: [message("2")] });
    await stage.talked({ messages: [message("3")], available_skills: [{ skill_id: other }] });
    const [none, subscribed, named] = endpoint.requests;
    expect(none?.toolNames).not.toContain("load_skill");
    const prompts = [subscribed, named].map((request) => request?.messages[0]?.content ?? "");
    expect(prompts.map((prompt) => [prompt.includes("- sweep: "), prompt.includes("- wipe: ")])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(pinned).not.toBe(other);
  });

  it("threads 131: stay as they were when the thread was started; one that is not listed is an error", async () => {
    await open([
      say("1"),
      call("load_skill", { name: "sweep" }),
      call("load_skill", { name: "nap" }),
      say("2"),
    ]);
    const id = await skill("sweep", "Old body");
    const { thread_id: thread } = await stage.talked({
      messages: [message("1")],
      available_skills: [{ skill_id: id }],
    });
    await stage.put(`/v1/skills/id/${id}/versions/1`, { body: "New body" });
    await version(id, "Newest body");
    await stage.say(thread, "Load it.");
    const settled = await stage.settled(thread);
    const text = JSON.stringify(settled.messages);
    expect(text).toContain("Old body");
    expect(text).not.toMatch(/New body|Newest/);
    expect(lines(settled).slice(-2)).toEqual(["roboto: [load_skill error]", "assistant: 2"]);
  });

  it("have to have names of their own", async () => {
    await open([]);
    const ids = [await skill("sweep", "Mine"), await skill("sweep", "Ours", "org")];
    const body = { messages: [message("Hi")], available_skills: ids.map((id) => ({ skill_id: id })) };
    expect(await stage.post("/v1/ai/threads", body)).toMatchObject({ status: 400 });
  });
});

describe("agents", () => {
  const template = (text: string, more: object = {}) => ({ messages: [message(text)], ...more });
  const create = (more: object) => stage.post("/v1/ai/agents", { name: "greeter", ...more });

  it.each([
    { why: "a placeholder without a variable", request_template: template("Hi {{a}}"), variables: [] },
    { why: "a variable that is not used", request_template: template("Hi"), variables: [{ name: "a" }] },
    { why: "a placeholder in a key", request_template: { "{{a}}": "x" }, variables: [{ name: "a" }] },
    {
      why: "a variable twice",
      request_template: template("{{a}}"),
      variables: [{ name: "a" }, { name: "a" }],
    },
  ])("threads 135: are not kept with $why", async ({ request_template, variables }) => {
    await open([]);
    expect(await create({ request_template, variables })).toMatchObject({ status: 400 });
    expect((await stage.get("/v1/ai/agents")).data).toMatchObject({ items: [] });
  });

  it("threads 136: need their values, know no others, and take braces in them as they stand", async () => {
    await open([say("Hi.")]);
    const variables = [{ name: "a" }, { name: "b" }];
    const id = field(
      await create({ request_template: template("{{ a }} and {{b}} and {{9x}}"), variables }),
      "agent_id",
    );
    const launch = (values: object) => stage.post(`/v1/ai/agents/${id}/launch`, { values });
    const unknown = await launch({ a: "1", c: "2" });
    expect(unknown).toMatchObject({
      status: 400,
      details: { kind: "UnknownAgentVariablesError", names: ["c"] },
    });
    const missing = await launch({ a: "1" });
    expect(missing).toMatchObject({
      status: 400,
      details: { kind: "UnresolvedAgentVariablesError", names: ["b"] },
    });
    const started = await launch({ a: "{{b}}", b: "B" });
    expect(started).toMatchObject({
      status: 201,
      data: { messages: [{ content: [{ text: "{{b}} and B and {{9x}}" }] }] },
    });
  });

  it("threads 137: launch threads that are open unless they are told otherwise, in the template's scope", async () => {
    await open([say("Hi."), say("Hi.")]);
    const request_template = template("Hi", {
      visibility: "private",
      analysis_scope: { start_time: 1, end_time: 9 },
    });
    const id = field(await create({ request_template }), "agent_id");
    const launch = (body: object) => stage.post(`/v1/ai/agents/${id}/launch`, body);
    const started = await launch({ analysis_scope: { end_time: 5 } });
    expect(started).toMatchObject({
      status: 201,
      data: { visibility: "org", created_from_agent_id: id, created_from_trigger_id: null, org_id: "og_1" },
    });
    const scopes = await stage.store.read(({ queries }) =>
      queries.rows("SELECT analysis_scope FROM threads"),
    );
    expect(scopes).toMatchObject([{ analysis_scope: '{"start_time":1,"end_time":5}' }]);
    expect((await launch({ visibility: "private" })).data).toMatchObject({ visibility: "private" });
    expect(await stage.post(`/v1/ai/agents/${id}/launch`, {}, { as: "x" })).toMatchObject({ status: 401 });
    expect((await stage.put(`/v1/ai/agents/${id}`, { description: "Greets" })).data).toMatchObject({
      name: "greeter",
    });
    expect(await create({ request_template })).toMatchObject({ status: 409 });
    expect((await stage.get("/v1/ai/agents/name/greeter")).data).toMatchObject({ agent_id: id });
    expect((await stage.send("DELETE", `/v1/ai/agents/${id}`)).status).toBe(204);
    expect((await stage.get("/v1/ai/threads")).data).toMatchObject({
      items: [{ created_from_agent_id: id }, {}],
    });
  });
});

describe("feedback", () => {
  const rate = (id: string, seq: number, body: object, as = "u1") =>
    stage.post(`/v1/ai/threads/${id}/messages/${seq}/feedback`, { sentiment: "negative", ...body }, { as });

  it("threads 108, 109, 110, 111, TH-31: is one row of each user, sorted, and shows no triage to its author", async () => {
    await open([say("Hi.")]);
    const { thread_id: id } = await stage.talked({ messages: [message("Hi")], visibility: "org" });
    const first = await rate(id, 1, { categories: ["slow", "incorrect", "slow"], notes: "\t" });
    expect(first).toMatchObject({ status: 200, data: { categories: ["incorrect", "slow"], notes: null } });
    const feedbackId = field(first, "feedback_id");
    const triage = (body: object, as = "a") =>
      stage.send("PATCH", `/v1/ai/feedback/${feedbackId}`, body, { as });
    expect((await triage({ admin_note: "seen", resolved: true })).data).toMatchObject({
      resolved_by: "us_a",
    });
    expect(await triage({ admin_notes: "typo" })).toMatchObject({ status: 400 });
    expect(await triage({ resolved: false }, "u1")).toMatchObject({ status: 401 });
    const again = await rate(id, 1, { categories: [], notes: " kept " });
    expect(again.data).toMatchObject({
      feedback_id: feedbackId,
      created: field(first, "created"),
      notes: " kept ",
    });
    expect(again.text).not.toMatch(/admin_|resolved/);
    expect(field(await rate(id, 1, { categories: [] }, "u2"), "feedback_id")).not.toBe(feedbackId);
    expect(await rate(id, 1, { categories: ["other"], notes: " " })).toMatchObject({ status: 400 });
    expect(await rate(id, 0, { categories: [] })).toMatchObject({ status: 400 });
    expect(await rate(id, 2, { categories: [] })).toMatchObject({ status: 404 });
    expect((await stage.get("/v1/ai/feedback?resolved=TRUE", { as: "a" })).data).toMatchObject({
      items: [{ feedback_id: feedbackId, admin_note: "seen" }],
    });
    expect(await stage.get("/v1/ai/feedback")).toMatchObject({ status: 401 });
  });
});
