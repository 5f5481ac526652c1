import { inspect } from "node:util";

import { Empty, Str, tool } from "@roboz/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createThreadServer } from "./thread-server.ts";
import { createToken } from "../store/tokens.ts";
import { currentThreadCall, type ThreadCall } from "../turns/thread-call.ts";
import { call, lines, message, say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";
import { sqlitePlace } from "./__fixtures__/stage-place.ts";

let stage: ServerStage;
let seen: (ThreadCall | undefined)[];
afterEach(() => stage.close());

const look = tool({
  name: "look",
  description: "Look.",
  input: Empty,
  output: Str,
  run: () => {
    seen.push(currentThreadCall());
    return Str({ value: "seen" });
  },
});

function toolUse(id: string): object {
  return { tool_name: "look", tool_use_id: id, input: {} };
}

it("a server without an agent is not made", async () => {
  stage = await ServerStage.open({ standard: scripted([], [look]) });
  await expect(createThreadServer({ store: stage.store, agents: {} })).rejects.toMatchObject({
    name: "AgentMissingError",
    code: "threads/agent-missing",
  });
});

describe("a start that is refused", () => {
  beforeEach(async () => {
    stage = await ServerStage.open({ standard: scripted([], [look]) });
  });

  it.each([
    { why: "threads 4: a block that is nothing", body: { messages: [{ role: "user", content: [{}] }] } },
    {
      why: "threads 16: history that ends with the assistant",
      body: { messages: [message("One?"), { role: "assistant", content: [{ text: "Two." }] }] },
    },
    {
      why: "threads 19: goals beside messages without text",
      body: {
        messages: [{ role: "assistant", content: [{ error_message: "no" }] }],
        goals: [{ goal_type: "dataset_summary", dataset_id: "ds_1" }],
      },
    },
    { why: "threads 20: a text of spaces", body: { messages: [message("  \n")] } },
    {
      why: "threads 21: a model profile that is not there",
      body: { messages: [message("Hi")], model_profile: "gold" },
    },
    { why: "nothing to answer", body: { messages: [] } },
    { why: "TH-19: a text over the limit", body: { messages: [message("x".repeat(200_001))] } },
    {
      why: "TH-19: a system prompt over the limit",
      body: { messages: [message("Hi")], system_prompt: "x".repeat(100_001) },
    },
    {
      why: "TH-19: too many skills",
      body: { invoke_skills: Array.from({ length: 11 }, () => ({ skill_id: "sk_1" })) },
    },
    { why: "TH-19: too much history", body: { messages: Array.from({ length: 201 }, () => message("Hi")) } },
    {
      why: "too many blocks, short as they are",
      body: { messages: [{ role: "user", content: Array.from({ length: 1001 }, () => ({ text: "x" })) }] },
    },
    {
      why: "too many things that it is about",
      body: {
        messages: [message("Hi")],
        client_context: { file_ids: Array.from({ length: 1001 }, (_, index) => `fl_${index}`) },
      },
    },
    {
      why: "an identifier that no index holds",
      body: { messages: [message("Hi")], client_context: { file_ids: ["x".repeat(3000)] } },
    },
    {
      why: "two calls of one identifier",
      body: {
        messages: [{ role: "assistant", content: [toolUse("tu_1"), toolUse("tu_1")] }, message("Hi")],
      },
    },
    {
      why: "a call of an identifier that no index holds",
      body: { messages: [{ role: "assistant", content: [toolUse("x".repeat(3000))] }, message("Hi")] },
    },
    {
      why: "a version of a skill that no column holds",
      body: { invoke_skills: [{ skill_id: "sk_1", version: 2 ** 40 }] },
    },
    {
      why: "a client tool that is described over the limit",
      body: {
        messages: [message("Hi")],
        client_tools: [{ name: "a", description: "x".repeat(200_001), input_schema: { type: "object" } }],
      },
    },
  ])("stores nothing for $why", async ({ body }) => {
    const reply = await stage.post("/v1/ai/threads", body);
    expect(reply).toMatchObject({ status: 400, error: { error_code: "RobotoInvalidRequestException" } });
    expect(await stage.count("threads")).toBe(0);
  });

  it.each([
    { why: "a body over the limit", raw: `{"messages":"${"x".repeat(5 * 1024 * 1024)}"}`, headers: {} },
    { why: "a compressed body", raw: "{}", headers: { "content-encoding": "gzip" } },
    { why: "100,000 nested brackets", raw: "[".repeat(100_000), headers: {} },
    { why: "no JSON", raw: '{"messages":', headers: {} },
    {
      why: "a body of too many values",
      raw: `{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"x":[${"0,".repeat(100_000)}0]}`,
      headers: {},
    },
  ])("TH-19: stores nothing for $why", async ({ raw, headers }) => {
    const reply = await stage.post("/v1/ai/threads", undefined, { raw, headers });
    expect(reply).toMatchObject({ status: 400, error: { error_code: "RobotoInvalidRequestException" } });
    expect(await stage.count("threads")).toBe(0);
  });

  it("TH-18: is no failure of the server's when its body does not come to its end", async () => {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"messages":'));
        controller.error(new Error("aborted"));
      },
    });
    const request = new Request("http://localhost/v1/ai/threads", {
      method: "POST",
      headers: { authorization: `Bearer ${stage.tokens.get("u1") ?? ""}` },
      body,
      duplex: "half",
    });
    expect((await stage.server.fetch(request)).status).toBe(400);
    expect(stage.errors).toEqual([]);
  });

  it("threads 24: needs an organisation of a caller in two", async () => {
    const body = { messages: [message("Hi")] };
    const reply = await stage.post("/v1/ai/threads", body, { as: "two" });
    expect(reply).toMatchObject({ status: 400, error: { error_code: "RobotoNoOrgProvidedException" } });
    const headers = { "X-Roboto-Org-Id": "og_2" };
    expect(await stage.post("/v1/ai/threads", body, { as: "two", headers })).toMatchObject({
      status: 201,
      data: { org_id: "og_2" },
    });
  });

  it.each([
    { why: "no token", sent: { as: "nobody" } },
    { why: "a wrong token", sent: { as: "nobody", headers: { authorization: "Bearer rbt_x" } } },
    { why: "an organisation that is not the caller's", sent: { headers: { "X-Roboto-Org-Id": "og_2" } } },
    { why: "another user", sent: { headers: { "X-Roboto-User-Id": "us_2" } } },
  ])("threads 156, TH-32: is refused with 401 for $why", async ({ sent }) => {
    const reply = await stage.get("/v1/ai/threads", sent);
    expect(reply).toMatchObject({ status: 401, error: { error_code: "RobotoUnauthorizedException" } });
  });

  it("TH-32: is refused with 401 for a token of another server", async () => {
    const place = await sqlitePlace();
    const { store } = await place.open();
    const grant = { userId: "us_1", orgs: ["og_1"] };
    const { token } = await store.write((transaction) => createToken(transaction, grant));
    const headers = { authorization: `Bearer ${token}` };
    expect(await stage.get("/v1/ai/threads", { headers })).toMatchObject({ status: 401 });
    await place.leave();
  });

  it("is refused for too many requests, with the time after which to try again", async () => {
    await stage.restart({ limits: { requests: { burst: 2, perSecond: 0.5 } } });
    const replies = await Promise.all([1, 2, 3].map(() => stage.get("/v1/ai/threads")));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    const late = replies.find(({ status }) => status === 429);
    expect(late?.headers.get("retry-after")).toBe("2");
    expect(late?.error).toMatchObject({ error_code: "RobotoLimitExceededException", limit_quantity: 2 });
  });
});

describe("a start", () => {
  beforeEach(() => {
    seen = [];
  });

  it("threads 8, 23: gives tools the scope to the last digit, and what the user looks at, also by its old name", async () => {
    stage = await ServerStage.open({ standard: scripted([call("look"), say("Done.")], [look]) });
    const raw = `{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"context":{"dataset_ids":["ds_9"]},
      "analysis_scope":{"start_time":1733850000123456789}}`;
    const reply = await stage.post("/v1/ai/threads", undefined, { raw });
    expect(reply.status).toBe(201);
    const [thread] = (
      await stage.store.read(({ queries }) => queries.rows("SELECT thread_id FROM threads"))
    ).map((row) => String(row["thread_id"]));
    await stage.settled(thread ?? "");
    expect(seen[0]).toMatchObject({
      threadId: thread,
      analysisScope: { start_time: 1733850000123456789n, end_time: null },
      clientContext: { dataset_ids: ["ds_9"] },
    });
    expect(seen[0]?.toolUseId).toMatch(/^tu_/);
    expect(currentThreadCall()).toBeUndefined();
  });

  it("threads 33: keeps the scope until a message brings another one", async () => {
    const turn = [call("look"), say("Done.")];
    stage = await ServerStage.open({ standard: scripted([...turn, ...turn, ...turn], [look]) });
    const { thread_id: id } = await stage.talked({
      messages: [message("1")],
      analysis_scope: { start_time: 1, end_time: 5 },
    });
    await stage.say(id, "2", { analysis_scope: { start_time: 2, end_time: 6 } });
    await stage.settled(id);
    await stage.say(id, "3");
    await stage.settled(id);
    expect(seen.map((one) => one?.analysisScope?.start_time)).toEqual([1n, 2n, 2n]);
  });

  it("TH-27: takes nothing from the body that only the server may set", async () => {
    stage = await ServerStage.open({ standard: scripted([say("Hi.")]) });
    const thread = await stage.talked({
      messages: [message("Hi")],
      created_by: "us_2",
      origin: "slack",
      status: "user_turn",
      pinned_at: "2026-01-01T00:00:00Z",
      forked_from_thread_id: "ath_1",
      created_from_trigger_id: "t",
    });
    expect(thread).toMatchObject({
      created_by: "us_1",
      origin: "api",
      pinned_at: null,
      forked_from_thread_id: null,
      created_from_trigger_id: null,
    });
    expect(lines(thread)).toEqual(["user: Hi", "assistant: Hi."]);
  });

  it("threads 25: is there as a whole or not at all; TH-32: its failure tells of no token", async () => {
    stage = await ServerStage.open({ standard: scripted([say("Hi.")]) });
    const request = ["POST", "/v1/ai/threads", { messages: [message("Hi")] }] as const;
    const keyed = { headers: { "Idempotency-Key": "k" } };
    const { reply, logged } = await stage.sendFailing("INSERT INTO turns", ...request, keyed);
    expect(reply).toMatchObject({ status: 500, error: { error_code: "RobotoInternalException" } });
    expect(reply.text).not.toContain("disk");
    expect(inspect(logged)).toContain("the disk is full");
    expect(inspect(logged)).not.toContain(stage.tokens.get("u1"));
    for (const table of ["threads", "messages", "blocks", "thread_log", "turns", "idempotency"])
      expect({ table, rows: await stage.count(table) }).toEqual({ table, rows: 0 });
    expect((await stage.send(...request, keyed)).status).toBe(201);
  });

  it("threads 146, 147, TH-04, TH-05, TH-07: is done once for a key, also after a restart, and refused with another body", async () => {
    stage = await ServerStage.open({ standard: scripted([say("Hi."), say("Hi.")]) });
    const headers = { "Idempotency-Key": "k-1" };
    const body = { messages: [message("Hi")] };
    const first = await stage.post("/v1/ai/threads", body, { headers });
    const second = await stage.post("/v1/ai/threads", body, { headers });
    expect(second).toMatchObject({ status: 201, data: first.data });
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    await stage.restart();
    expect((await stage.post("/v1/ai/threads", body, { headers })).data).toEqual(first.data);
    expect(await stage.count("threads")).toBe(1);
    expect(await stage.post("/v1/ai/threads", { messages: [message("Ho")] }, { headers })).toMatchObject({
      status: 400,
    });
    const other = await stage.post("/v1/ai/threads", body, { headers, as: "u2" });
    expect(other).toMatchObject({ status: 201, data: { created_by: "us_2" } });
    expect(other.headers.get("idempotency-replayed")).toBeNull();
    const bad = { headers: { "Idempotency-Key": "no spaces" } };
    expect(await stage.post("/v1/ai/threads", body, bad)).toMatchObject({ status: 400 });
  });

  it("TH-06: is refused with 409 while the same request is being done", async () => {
    let allow = (): void => undefined;
    const allowed = new Promise<boolean>((resolve) => {
      allow = () => {
        resolve(true);
      };
    });
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const mayDeclare = (): Promise<boolean> => {
      begin();
      return allowed;
    };
    stage = await ServerStage.open(
      { standard: scripted([say("Hi."), say("Hi."), say("Hi."), say("Hi.")]) },
      { goals: { mayDeclare } },
    );
    const headers = { "Idempotency-Key": "k" };
    const body = { goals: [{ goal_type: "dataset_summary", dataset_id: "ds_1" }] };
    const first = stage.post("/v1/ai/threads", body, { headers });
    await begun;
    const second = await stage.post("/v1/ai/threads", body, { headers });
    expect(second).toMatchObject({ status: 409, error: { error_code: "RobotoConflictException" } });
    expect(second.headers.get("retry-after")).toBe("1");
    allow();
    expect((await first).status).toBe(201);
  });

  it("answers under the name that threads had before", async () => {
    stage = await ServerStage.open({ standard: scripted([say("Hi.")]) });
    const thread = await stage.talked();
    expect((await stage.get(`/v1/ai/chats/${thread.thread_id}`)).data).toMatchObject({
      thread_id: thread.thread_id,
    });
  });
});

describe("a message", () => {
  it("threads 30, TH-03: is refused while the thread works, and changes nothing", async () => {
    let go = (): void => undefined;
    const waits = new Promise<void>((resolve) => {
      go = resolve;
    });
    stage = await ServerStage.open({
      standard: scripted([
        async () => {
          await waits;
          return say("One.");
        },
      ]),
    });
    const { thread_id: id } = await stage.start();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => stage.say(id, `More ${index}`)),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]));
    go();
    expect(lines(await stage.settled(id))).toEqual(["user: Hello.", "assistant: One."]);
  });

  it("threads 145: is taken once of 50 that come at once", async () => {
    stage = await ServerStage.open({ standard: scripted([say("One."), say("Two.")]) });
    const { thread_id: id } = await stage.talked();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => stage.say(id, `More ${index}`)),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(49).fill(400)]);
    const taken = replies.findIndex(({ status }) => status === 200);
    expect(lines(await stage.settled(id)).slice(2)).toEqual([`user: More ${taken}`, "assistant: Two."]);
  });
});
