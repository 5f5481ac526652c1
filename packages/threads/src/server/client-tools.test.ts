import { Empty, Str, Suspend, tool, MockLLMEndpoint, value, type MockRequest } from "@roboz/core";
import * as z from "zod";
import { afterEach, describe, expect, it } from "vitest";

import { call, lines, message, say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";

let stage: ServerStage;
afterEach(() => stage.close());

const spec = (name: string) => ({
  name,
  description: `Does ${name}.`,
  input_schema: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
});
const start = (...names: string[]) => ({ messages: [message("Hello.")], client_tools: names.map(spec) });
const result = (use: { tool_use_id: string; tool_name: string }, more: object = {}) => ({
  tool_use_id: use.tool_use_id,
  tool_name: use.tool_name,
  runtime_ms: 5,
  status: "success",
  output: { kept: true },
  ...more,
});
const results = (id: string): string => `/v1/ai/threads/${id}/tool-results`;

const shout = tool({
  name: "shout",
  description: "Shout.",
  input: z.object({ text: z.string() }),
  output: Str,
  run: ({ text }) => Str({ value: text.toUpperCase() }),
});

async function waiting(script: readonly object[], body: object, tools = [shout]) {
  const endpoint = new MockLLMEndpoint(script, { protocol: "tools" });
  stage = await ServerStage.open({ standard: scripted(endpoint, tools) });
  const thread = await stage.talked(body);
  const pending = thread.pending_client_tools ?? [];
  return { thread, id: thread.thread_id, pending, endpoint };
}

describe("a tool that the client carries out", () => {
  it("threads 62: waits for its result, and goes on with it", async () => {
    const { thread, id, pending } = await waiting(
      [call("remember", { key: "a" }), say("Kept.")],
      start("remember"),
    );
    expect(thread.status).toBe("client_tool_turn");
    expect(pending).toMatchObject([{ tool_name: "remember", input: { key: "a" }, message_sequence_num: 1 }]);
    const receipt = await stage.post(results(id), { tool_results: pending.map((use) => result(use)) });
    expect(receipt).toMatchObject({ status: 200, data: { status: "roboto_turn", remaining: [] } });
    const settled = await stage.settled(id);
    expect(lines(settled)).toEqual([
      "user: Hello.",
      "assistant: <remember>",
      "roboto: [remember success]",
      "assistant: Kept.",
    ]);
    expect(settled.messages[2]?.content[0]).toMatchObject({ raw_response: { kept: true }, runtime_ms: 5 });
  });

  it("threads 31: takes no message meanwhile", async () => {
    const { id, thread } = await waiting([call("remember", { key: "a" })], start("remember"));
    expect(await stage.say(id, "Well?")).toMatchObject({ status: 400 });
    expect(await stage.read(id)).toEqual(thread);
  });

  it("threads 34: is offered with those that a later message declares", async () => {
    const offered: (readonly string[])[] = [];
    const seeing = (value: string) => (request: MockRequest) => {
      offered.push(request.toolNames);
      return say(value);
    };
    stage = await ServerStage.open({ standard: scripted([seeing("1"), seeing("2")]) });
    const { thread_id: id } = await stage.talked(start("first_tool"));
    await stage.say(id, "More.", { client_tools: [spec("secondTool")] });
    await stage.settled(id);
    expect(offered[0]).toContain("first_tool");
    expect(offered[1]).toEqual(expect.arrayContaining(["first_tool", "second_tool"]));
  });

  it("threads 74: tells the model that the user declined, and follows no chain", async () => {
    let told = "";
    const { id, pending } = await waiting(
      [
        call("remember", { key: "a" }),
        (request: MockRequest) => {
          told = request.messages.at(-1)?.content ?? "";
          return say("Fine.");
        },
      ],
      start("remember"),
    );
    const [use] = pending;
    if (use === undefined) throw new Error("nothing is pending");
    const declined = result(use, { status: "declined", output: { reason: "too private" } });
    await stage.post(results(id), { tool_results: [declined] });
    const thread = await stage.settled(id);
    expect(lines(thread).slice(2)).toEqual(["roboto: [remember declined]", "assistant: Fine."]);
    expect(told).toContain("the user declined this call: too private");
  });

  it("threads 158: is followed by the tools chained to it, before the model is asked", async () => {
    const place = value("place", { city: z.string() });
    const locate = tool({
      name: "locate",
      description: "Ask the client where it is.",
      input: Empty,
      output: [place, Suspend],
      suspends: { request: z.object({}), reply: place },
      run: () => Suspend({ request: {} }),
    });
    const greet = tool({
      name: "greet",
      description: "",
      input: place,
      output: Str,
      chainedTo: locate,
      run: ({ city }) => Str({ value: `Hello, ${city}` }),
    });
    const endpoint = new MockLLMEndpoint([call("locate"), say("Done."), call("locate"), say("Pity.")]);
    stage = await ServerStage.open({
      standard: scripted(endpoint, [locate, greet], { clientTools: ["locate"] }),
    });
    const { thread_id: id, pending_client_tools: pending } = await stage.talked({
      messages: [message("Hello.")],
      client_tools: [spec("locate")],
    });
    const [use] = pending ?? [];
    if (use === undefined) throw new Error("nothing is pending");
    await stage.post(results(id), { tool_results: [result(use, { output: { city: "Rome" } })] });
    const thread = await stage.settled(id);
    expect(lines(thread).slice(1)).toEqual([
      "assistant: <locate>",
      "roboto: [locate success]",
      "roboto: <greet> [greet success]",
      "assistant: Done.",
    ]);
    expect(thread.messages[3]?.content[1]).toMatchObject({ raw_response: { value: "Hello, Rome" } });
    await stage.say(id, "Again.");
    const [again] = (await stage.settled(id)).pending_client_tools ?? [];
    if (again === undefined) throw new Error("nothing is pending");
    await stage.post(results(id), { tool_results: [result(again, { output: { town: "Rome" } })] });
    expect(lines(await stage.settled(id)).slice(-2)).toEqual([
      "roboto: [locate success]",
      "assistant: Pity.",
    ]);
  });

  it("threads 67: runs the server's tools of a step first, and then waits", async () => {
    const { thread, id, pending } = await waiting(
      [
        [call("remember", { key: "a" }), call("shout", { text: "hi" }), call("recall", { key: "b" })],
        say("Done."),
      ],
      start("remember", "recall"),
    );
    expect(lines(thread)).toEqual([
      "user: Hello.",
      "assistant: <remember> <shout> <recall>",
      "roboto: [shout success]",
    ]);
    expect(thread.messages[2]?.status).toBe("generating");
    expect(pending.map(({ tool_name }) => tool_name)).toEqual(["remember", "recall"]);
    const [one, two] = pending;
    if (one === undefined || two === undefined) throw new Error("two are pending");
    const partly = await stage.post(results(id), { tool_results: [result(two)] });
    expect(partly).toMatchObject({ data: { status: "client_tool_turn", remaining: [one.tool_use_id] } });
    await stage.post(results(id), { tool_results: [result(one)] });
    expect(lines(await stage.settled(id)).slice(2)).toEqual([
      "roboto: [shout success] [recall success] [remember success]",
      "assistant: Done.",
    ]);
  });

  it("threads 91, 92, 94, TH-02: a batch is taken as a whole, once, and again with its key", async () => {
    const { id, pending, endpoint } = await waiting(
      [[call("remember", { key: "a" }), call("recall", { key: "b" })], say("Done.")],
      start("remember", "recall"),
    );
    const [one, two] = pending;
    if (one === undefined || two === undefined) throw new Error("two are pending");
    const bad: readonly { why: string; body: object }[] = [
      { why: "an empty list", body: { tool_results: [] } },
      {
        why: "an unknown call",
        body: { tool_results: [result(one), result({ ...two, tool_use_id: "tu_x" })] },
      },
      { why: "a call twice", body: { tool_results: [result(one), result(one)] } },
      { why: "a wrong name", body: { tool_results: [result({ ...one, tool_name: "recall" })] } },
      { why: "a status that is none", body: { tool_results: [result(one, { status: "fine" })] } },
      { why: "a negative time", body: { tool_results: [result(one, { runtime_ms: -1 })] } },
    ];
    for (const { why, body } of bad)
      expect({ why, ...(await stage.post(results(id), body)) }).toMatchObject({ why, status: 400 });
    const untouched = await stage.read(id);
    expect(untouched.messages).toHaveLength(2);
    expect(untouched.pending_client_tools).toEqual(pending);
    const headers = { "Idempotency-Key": "k" };
    const body = { tool_results: [result(one), result(two)] };
    expect((await stage.post(results(id), body, { headers })).status).toBe(200);
    expect(await stage.post(results(id), body)).toMatchObject({ status: 400 });
    const replayed = await stage.post(results(id), body, { headers });
    expect(replayed).toMatchObject({ status: 200, data: { status: "roboto_turn" } });
    await stage.settled(id);
    expect(endpoint.requests).toHaveLength(2);
  });

  it("threads 90: waits on when some of its calls are answered, and the model is not asked", async () => {
    const { id, pending, endpoint } = await waiting(
      [[call("remember", { key: "a" }), call("recall", { key: "b" })], say("Done.")],
      start("remember", "recall"),
    );
    const [one, two] = pending;
    if (one === undefined || two === undefined) throw new Error("two are pending");
    const partly = await stage.post(results(id), { tool_results: [result(one)] });
    expect(partly.data).toEqual({ status: "client_tool_turn", remaining: [two.tool_use_id] });
    await stage.restart();
    const thread = await stage.read(id);
    expect(thread).toMatchObject({ status: "client_tool_turn", pending_client_tools: [two] });
    expect(thread.messages[2]).toMatchObject({ status: "generating", content: [{ status: "success" }] });
    expect(endpoint.requests).toHaveLength(1);
  });

  it("threads 93, TH-01: takes one of 20 results that come at once", async () => {
    const { id, pending } = await waiting([call("remember", { key: "a" }), say("Kept.")], start("remember"));
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        stage.post(results(id), { tool_results: pending.map((use) => result(use, { output: { n } })) }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(400)]);
    const n = replies.findIndex(({ status }) => status === 200);
    const thread = await stage.settled(id);
    expect(lines(thread).slice(2)).toEqual(["roboto: [remember success]", "assistant: Kept."]);
    expect(thread.messages[2]?.content).toMatchObject([{ raw_response: { n } }]);
  });

  it("TH-21: is answered and queued, or neither, when the server fails between the two", async () => {
    const { id, pending } = await waiting([call("remember", { key: "a" }), say("Kept.")], start("remember"));
    const request = ["POST", results(id), { tool_results: pending.map((use) => result(use)) }] as const;
    const { reply } = await stage.sendFailing("UPDATE turns SET state = 'queued'", ...request);
    expect(reply.status).toBe(500);
    await stage.restart();
    expect(await stage.read(id)).toMatchObject({
      status: "client_tool_turn",
      message_count: 2,
      pending_client_tools: pending,
    });
    expect((await stage.send(...request)).status).toBe(200);
    expect(lines(await stage.settled(id)).at(-1)).toBe("assistant: Kept.");
  });

  it("has an error for its result when the client lets its time pass; a late result is refused", async () => {
    const { id, pending } = await waiting([call("remember", { key: "a" }), say("Pity.")], start("remember"));
    await stage.restart({ limits: { clientToolTtlMs: 0 }, lease: { reapMs: 1 } });
    const thread = await stage.until(id, ({ status }) => status === "user_turn");
    expect(lines(thread).slice(2)).toEqual(["roboto: [remember error]", "assistant: Pity."]);
    expect(thread.messages[2]?.content).toMatchObject([
      { raw_response: { error: "The client did not answer in time." }, runtime_ms: 0 },
    ]);
    const late = await stage.post(results(id), { tool_results: pending.map((use) => result(use)) });
    expect(late).toMatchObject({ status: 400 });
    expect(await stage.read(id)).toEqual(thread);
  });

  it("threads 94: a server tool's call is none that a client answers", async () => {
    const { id, pending, thread } = await waiting(
      [[call("shout", { text: "hi" }), call("recall", { key: "b" })], say("Done.")],
      start("recall"),
    );
    const [use] = thread.messages[1]?.content ?? [];
    if (use?.content_type !== "tool_use") throw new Error("no call");
    expect(await stage.post(results(id), { tool_results: [result(use)] })).toMatchObject({ status: 400 });
    expect(pending).toHaveLength(1);
  });

  it.each([
    { why: "a tool of the agent", names: ["shout"] },
    { why: "the tool that loads skills", names: ["load_skill"] },
    { why: "the end of a turn", names: ["stop"] },
    { why: "an achieve tool", names: ["achieve_dataset_summary"] },
    { why: "a task tool", names: ["create_task"] },
    { why: "a name of an MCP tool", names: ["server__tool"] },
    { why: "more than fit into a thread", names: Array.from({ length: 65 }, (_, index) => `tool_${index}`) },
  ])("threads 89, TH-28: may not be called like $why", async ({ names }) => {
    stage = await ServerStage.open({ standard: scripted([], [shout]) });
    expect(await stage.post("/v1/ai/threads", start(...names))).toMatchObject({ status: 400 });
    expect((await stage.get("/v1/ai/threads")).data).toMatchObject({ items: [] });
  });

  it.each([
    {
      why: "a reference to elsewhere",
      schema: { type: "object", properties: { a: { $ref: "https://example.com/a" } } },
    },
    { why: "more than 32 kB", schema: { type: "object", description: "x".repeat(40_000) } },
    {
      why: "a reference that has no end",
      schema: { type: "object", $defs: { a: { $ref: "#/$defs/a" } }, allOf: [{ $ref: "#/$defs/a" }] },
    },
    { why: "no object", schema: { type: "array" } },
    {
      why: "references that lead to one part on millions of paths",
      schema: {
        type: "object",
        $ref: "#/$defs/a0",
        $defs: {
          ...Object.fromEntries(
            Array.from({ length: 15 }, (_, index) => [
              `a${index}`,
              { allOf: Array.from({ length: 9 }, () => ({ $ref: `#/$defs/a${index + 1}` })) },
            ]),
          ),
          a15: { type: "object" },
        },
      },
    },
  ])("TH-28: may not have a schema with $why", async ({ schema }) => {
    stage = await ServerStage.open({ standard: scripted([]) });
    const body = { messages: [message("Hi")], client_tools: [{ ...spec("a"), input_schema: schema }] };
    expect(await stage.post("/v1/ai/threads", body)).toMatchObject({ status: 400 });
  });

  it("may have integers beyond 2^53 in its schema and its result; the model is shown their digits", async () => {
    const digits = 1733850000123456789n;
    const schema = { type: "object", properties: { at: { type: "integer", maximum: digits } } };
    const asked = { ...start(), client_tools: [{ ...spec("remember"), input_schema: schema }] };
    const model = new MockLLMEndpoint([call("remember", { at: 1 }), say("Kept.")]);
    stage = await ServerStage.open({ standard: scripted(model) });
    const { thread_id: id } = await stage.talked(asked);
    const [use] = (await stage.read(id)).pending_client_tools ?? [];
    if (use === undefined) throw new Error("no call");
    await stage.post(results(id), { tool_results: [result(use, { output: { at: digits } })] });
    const thread = await stage.settled(id);
    expect(lines(thread).at(-1)).toBe("assistant: Kept.");
    expect(thread.messages[2]?.content[0]).toMatchObject({ raw_response: { at: digits } });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(String(digits));
  });

  it("may have a pattern that takes forever in its schema, which stops nobody", async () => {
    const properties = { key: { type: "string", description: "A key.", pattern: "^(a+)+$" } };
    const schema = { type: "object", properties };
    const asked = { ...start(), client_tools: [{ ...spec("remember"), input_schema: schema }] };
    const key = `${"a".repeat(60)}b`;
    const model = new MockLLMEndpoint([call("remember", { key })], { protocol: "tools" });
    stage = await ServerStage.open({ standard: scripted(model) });
    expect(await stage.talked(asked)).toMatchObject({
      status: "client_tool_turn",
      pending_client_tools: [{ input: { key } }],
    });
  });

  it("threads 142: is answered after a restart", async () => {
    const { id, pending } = await waiting([call("remember", { key: "a" }), say("Kept.")], start("remember"));
    await stage.restart();
    expect(await stage.read(id)).toMatchObject({ status: "client_tool_turn" });
    await stage.post(results(id), { tool_results: pending.map((use) => result(use)) });
    expect(lines(await stage.settled(id)).at(-1)).toBe("assistant: Kept.");
  });

  it("threads 153, TH-23: has an error for its result when the turn is cancelled; a late result is refused", async () => {
    const { id, pending, endpoint } = await waiting([call("remember", { key: "a" })], start("remember"));
    expect((await stage.post(`/v1/ai/threads/${id}/cancel`)).status).toBe(200);
    const thread = await stage.read(id);
    expect(thread).toMatchObject({ status: "user_turn", pending_client_tools: [] });
    expect(lines(thread).at(-1)).toBe("roboto: [remember error]");
    const late = await stage.post(results(id), { tool_results: pending.map((use) => result(use)) });
    expect(late).toMatchObject({ status: 400 });
    expect((await stage.post(`/v1/ai/threads/${id}/cancel`)).status).toBe(200);
    await stage.server.stop({ graceMs: 1000 });
    expect(endpoint.requests).toHaveLength(1);
    expect(await stage.read(id)).toEqual(thread);
  });
});
