import { MockLLMEndpoint } from "@roboz/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { threadRecordSchema } from "../wire/thread.ts";
import { call, lines, message, say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";
import { gatedModel } from "./__fixtures__/streams.ts";

let stage: ServerStage;
let id: string;
const base = (): string => `/v1/ai/threads/${id}`;

beforeEach(async () => {
  stage = await ServerStage.open({
    standard: scripted([say("Secret answer."), say("More."), say("Again.")]),
  });
  ({ thread_id: id } = await stage.talked("Secret question?"));
});
afterEach(() => stage.close());

const unauthorised = { status: 401, error: { error_code: "RobotoUnauthorizedException" } };
const open = () => stage.put(`${base()}/visibility`, { visibility: "org" });
const fork = (as: string, seq = 1) => stage.post(`${base()}/fork`, { message_sequence_num: seq }, { as });

const reading: readonly { what: string; method: string; path: string; body?: object }[] = [
  { what: "read", method: "GET", path: "" },
  { what: "poll", method: "GET", path: "/delta?next_token=ct_0" },
  { what: "stream", method: "GET", path: "/stream" },
  { what: "fork", method: "POST", path: "/fork", body: { message_sequence_num: 0 } },
  {
    what: "rate",
    method: "POST",
    path: "/messages/1/feedback",
    body: { sentiment: "positive", categories: [], notes: null },
  },
];
const writing: readonly { what: string; method: string; path: string; body?: object }[] = [
  { what: "send to", method: "POST", path: "/messages", body: { message: message("Hi") } },
  { what: "answer", method: "POST", path: "/tool-results", body: { tool_results: [] } },
  { what: "cancel", method: "POST", path: "/cancel" },
  { what: "open", method: "PUT", path: "/visibility", body: { visibility: "org" } },
  { what: "delete", method: "DELETE", path: "" },
];

describe("a private thread", () => {
  it.each([
    ...reading,
    ...writing,
    { what: "pin", method: "PUT", path: "/pin", body: { pinned: true } },
    { what: "look at a call of", method: "GET", path: "/tool-uses/tu_1" },
  ])("TH-08, TH-09, threads 95, 102, 106: lets nobody else $what it", async ({ method, path, body }) => {
    for (const as of ["u2", "x"]) {
      const reply = await stage.send(method, `${base()}${path}`, body, { as });
      expect(reply).toMatchObject(unauthorised);
      expect(reply.text).not.toContain("Secret");
    }
    const unknown = await stage.send(method, `/v1/ai/threads/ath_none${path}`, body);
    expect(unknown.status).toBe(404);
  });

  it("TH-08: is in nobody else's listings or searches, and an admin finds it", async () => {
    for (const as of ["u2", "x"]) {
      expect((await stage.get("/v1/ai/threads", { as })).data).toEqual({ items: [], next_token: null });
      const found = await stage.post("/v1/ai/threads/search", { text: "secret" }, { as });
      expect(found.data).toEqual({ items: [], next_token: null });
    }
    for (const as of ["u1", "a"]) {
      const found = await stage.post(
        "/v1/ai/threads/search",
        { text: "secret ANSWER", status: "user_turn" },
        { as },
      );
      expect(found.data).toMatchObject({ items: [{ thread_id: id, messages: [] }] });
    }
  });

  it("threads 95: is forked by its creator and by an admin", async () => {
    for (const as of ["u1", "a"]) expect((await fork(as)).status).toBe(201);
  });
});

describe("an open thread", () => {
  beforeEach(open);

  it.each(reading.filter(({ what }) => what !== "poll"))(
    "TH-09: lets members $what it",
    async ({ method, path, body }) => {
      const { continuation_token: token } = await stage.read(id);
      const at = path === "/stream" ? `${path}?next_token=${token}` : path;
      const reply = await stage.send(method, `${base()}${at}`, body, { as: "u2" });
      expect(reply.status).toBeLessThan(300);
      expect(await stage.send(method, `${base()}${at}`, body, { as: "x" })).toMatchObject(unauthorised);
    },
  );

  it.each(writing)("TH-09, threads 106: lets members not $what it", async ({ method, path, body }) => {
    expect(await stage.send(method, `${base()}${path}`, body, { as: "u2" })).toMatchObject(unauthorised);
  });

  it("TH-12, threads 96: is copied up to a message, as a private thread of the member's", async () => {
    const copy = await fork("u2", 0);
    expect(copy).toMatchObject({
      status: 201,
      data: {
        created_by: "us_2",
        org_id: "og_1",
        visibility: "private",
        origin: "api",
        status: "user_turn",
        forked_from_thread_id: id,
        forked_from_message_sequence_num: 0,
        message_count: 1,
        goals: [],
      },
    });
    const mine = await stage.get("/v1/ai/threads");
    expect(mine.data).toMatchObject({ items: [{ thread_id: id }], next_token: null });
  });

  it.each([-1, 2, 99, 2 ** 40])("TH-13, threads 97: is not copied at message %d", async (seq) => {
    expect(await fork("u1", seq)).toMatchObject({ status: 400 });
  });

  it("threads 104: is closed again for those who had a token", async () => {
    const { continuation_token: token } = await stage.read(id, { as: "u2" });
    expect((await stage.get(`${base()}/delta?next_token=${token}`, { as: "u2" })).status).toBe(200);
    await stage.put(`${base()}/visibility`, { visibility: "private" });
    expect(await stage.get(`${base()}/delta?next_token=${token}`, { as: "u2" })).toMatchObject(unauthorised);
  });

  it("threads 103, TH-10: is closed by its creator alone; the same value changes nothing", async () => {
    for (const as of ["u2", "a"])
      expect(await stage.put(`${base()}/visibility`, { visibility: "private" }, { as })).toMatchObject(
        unauthorised,
      );
    const before = await stage.read(id);
    expect((await open()).data).toMatchObject({ visibility: "org", messages: [] });
    expect(await stage.read(id)).toEqual(before);
  });

  it("threads 100, 101, TH-26: is pinned for one user alone, and stays where it was pinned", async () => {
    const pin = (pinned: boolean) => stage.put(`${base()}/pin`, { pinned }, { as: "u2" });
    const pins = async (as: string) => {
      const listed = await stage.get("/v1/ai/threads", { as });
      return /"pinned_at":("[^"]*"|null)/.exec(JSON.stringify(listed.data))?.[1];
    };
    expect((await pin(true)).status).toBe(200);
    const at = await pins("u2");
    expect(at).not.toBe("null");
    expect(await pins("u1")).toBe("null");
    await pin(true);
    expect(await pins("u2")).toBe(at);
    for (const as of ["u1", "u2"]) expect((await stage.read(id, { as })).pinned_at).toBeNull();
    for (let times = 0; times < 2; times += 1) expect((await pin(false)).status).toBe(200);
    expect(await pins("u2")).toBe("null");
  });
});

describe("a fork", () => {
  it("TH-12, threads 96: has the messages up to its own, and nothing else that others made of the thread", async () => {
    await stage.close();
    const endpoint = new MockLLMEndpoint([say("One."), say("Two."), say("Three."), say("Four.")]);
    stage = await ServerStage.open({ standard: scripted(endpoint) });
    const look = { name: "look", description: "Look.", input_schema: { type: "object" } };
    const body = { messages: [message("1?")], visibility: "org", client_tools: [look] };
    ({ thread_id: id } = await stage.talked(body));
    for (const text of ["2?", "3?"]) {
      await stage.say(id, text);
      await stage.settled(id);
    }
    await stage.put(`${base()}/pin`, { pinned: true }, { as: "u2" });
    const rating = { sentiment: "positive", categories: [], notes: null };
    await stage.post(`${base()}/messages/1/feedback`, rating, { as: "u2" });
    const source = await stage.read(id);
    const copy = threadRecordSchema.parse((await fork("u2", 3)).data);
    expect(copy.messages).toEqual(source.messages.slice(0, 4));
    const listed = await stage.get("/v1/ai/threads", { as: "u2" });
    expect(listed.data).toMatchObject({
      items: [{ thread_id: id }, { thread_id: copy.thread_id, pinned_at: null }],
    });
    const ratings = await stage.get("/v1/ai/feedback", { as: "a" });
    expect(ratings.data).toMatchObject({ items: [{ thread_id: id }] });
    await stage.say(copy.thread_id, "And?", {}, { as: "u2" });
    await stage.settled(copy.thread_id);
    const offered = endpoint.requests.map(({ toolNames }) => toolNames.includes("look"));
    expect(offered).toEqual([true, true, true, false]);
    expect(await stage.read(id)).toEqual(source);
  });

  it("threads 97, 110, TH-13, TH-31: is not made of a message that is being written, nor is that rated", async () => {
    await stage.close();
    const { endpoint, pass } = gatedModel(JSON.stringify(say("A long answer.")), 2);
    stage = await ServerStage.open({ standard: scripted(endpoint) }, { flush: { everyMs: 0, chars: 1 } });
    ({ thread_id: id } = await stage.start("Go."));
    pass();
    await stage.until(id, ({ messages }) => messages[1]?.status === "generating");
    expect(await fork("u1", 1)).toMatchObject({ status: 400 });
    const rating = { sentiment: "positive", categories: [], notes: null };
    expect(await stage.post(`${base()}/messages/1/feedback`, rating)).toMatchObject({ status: 400 });
    expect((await fork("u1", 0)).status).toBe(201);
    pass();
    await stage.settled(id);
    expect((await fork("u1", 1)).status).toBe(201);
  });
});

describe("a thread of another surface", () => {
  beforeEach(async () => {
    await stage.store.write(({ queries }) =>
      queries.run(
        "UPDATE threads SET origin = 'slack', created_from_agent_id = 'agt_1', created_from_trigger_id = 'tr_1' WHERE thread_id = $1",
        id,
      ),
    );
  });

  it("threads 105, TH-14: is read-only; reading, cancelling, rating and forking stay open", async () => {
    const readOnly = { status: 403, error: { error_code: "RobotoThreadReadOnlyException" } };
    expect(await stage.say(id, "Hi")).toMatchObject(readOnly);
    expect(await stage.post(`${base()}/tool-results`, { tool_results: [] })).toMatchObject(readOnly);
    const { continuation_token: token } = await stage.read(id);
    expect((await stage.get(`${base()}/delta?next_token=${token}`)).status).toBe(200);
    expect((await stage.post(`${base()}/cancel`)).status).toBe(200);
    const rating = { sentiment: "positive", categories: [], notes: null };
    expect((await stage.post(`${base()}/messages/1/feedback`, rating)).status).toBe(200);
    expect((await fork("u1")).status).toBe(201);
  });

  it("threads 98: has a fork that has none of its origins, and takes messages", async () => {
    const copy = await fork("u1");
    expect(copy.data).toMatchObject({
      origin: "api",
      created_from_agent_id: null,
      created_from_trigger_id: null,
    });
    const copied = /"thread_id":"(ath_\w+)"/.exec(JSON.stringify(copy.data))?.[1] ?? "";
    expect((await stage.say(copied, "And?")).status).toBe(200);
    expect(lines(await stage.settled(copied)).at(-1)).toBe("assistant: More.");
  });
});

describe("a thread that is deleted", () => {
  it("is gone for everybody, and its fork stays", async () => {
    const copy = await fork("u1");
    const copied = /"thread_id":"(ath_\w+)"/.exec(JSON.stringify(copy.data))?.[1] ?? "";
    expect((await stage.send("DELETE", base())).status).toBe(204);
    expect((await stage.get(base())).status).toBe(404);
    expect(lines(await stage.read(copied))).toHaveLength(2);
  });
});

describe("a fork that cuts a call from its result", () => {
  it("threads 99: shows the model that the result is not available, and changes no stored message", async () => {
    await stage.close();
    let shown: string[] = [];
    stage = await ServerStage.open({
      standard: scripted(
        [
          call("create_task", { title: "One" }),
          say("Done."),
          ({ messages }) => {
            shown = messages.map(({ content }) => content);
            return say("Fine.");
          },
        ],
        [],
        { tasks: true },
      ),
    });
    ({ thread_id: id } = await stage.talked());
    const copy = await fork("u1", 1);
    const copied = /"thread_id":"(ath_\w+)"/.exec(JSON.stringify(copy.data))?.[1] ?? "";
    await stage.say(copied, "Go on.");
    const thread = await stage.settled(copied);
    expect(lines(thread)).toEqual([
      "user: Hello.",
      "assistant: <create_task>",
      "user: Go on.",
      "assistant: Fine.",
    ]);
    expect(shown[2]).toContain('"action":"create_task"');
    expect(shown[3]).toBe('{"caller":"create_task","error":"The result of this call is not available."}');
    expect(shown[4]).toBe("Go on.");
  });
});
