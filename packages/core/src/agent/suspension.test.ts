import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  Agent,
  apiUserIo,
  Empty,
  MockLLMEndpoint,
  Stop,
  stop,
  Str,
  Suspend,
  SuspendedError,
  tool,
  value,
  when,
  type RunResult,
  type RunSnapshot,
  type SuspendedRun,
} from "../index.ts";
import { call, callers, failureOf, said, throughJson } from "./__fixtures__/runs.ts";

const Verdict = value("verdict", { isApproved: z.boolean(), note: z.string().default("none") });

/** Asks for an approval, and goes two ways. */
function approval(): Agent {
  const review = tool({
    name: "review",
    description: "",
    input: Str,
    output: [Verdict, Suspend],
    suspends: { request: z.object({ question: z.string(), urgency: z.int().default(1) }), reply: Verdict },
    run: ({ value: text }) =>
      text === "trivial" ? Verdict({ isApproved: true }) : Suspend({ request: { question: `${text}?` } }),
  });
  const publish = tool({
    name: "publish",
    description: "",
    input: Verdict,
    output: Stop,
    chainedTo: when(review, ({ isApproved }) => isApproved),
    run: ({ note }) => Stop({ value: `published: ${note}` }),
  });
  const reject = tool({
    name: "reject",
    description: "",
    input: Verdict,
    output: Stop,
    chainedTo: when(review, ({ isApproved }) => !isApproved),
    run: ({ note }) => Stop({ value: `rejected: ${note}` }),
  });
  return new Agent({
    name: "approval",
    mode: "deterministic",
    defaultTools: [review],
    tools: [publish, reject],
  });
}

function suspended(result: RunResult<Stop>): SuspendedRun {
  if (result.status !== "suspended") throw new Error(`the run is ${result.status}`);
  return result;
}

describe("a tool that suspends", () => {
  it("ends the stretch with its request as the contract has it, and leaves no message", async () => {
    const result = suspended(await approval().invoke("draft"));
    expect(result).toMatchObject({ toolName: "review", request: { question: "draft?", urgency: 1 } });
    expect(said(result.messages)).toEqual(["user: draft"]);
    expect(result.snapshot.pending).toEqual({
      tool: "review",
      request: { question: "draft?", urgency: 1 },
      chosenBy: "default",
      isRecovery: false,
    });
  });

  it.each([
    {
      why: "a value of the reply type",
      reply: Verdict({ isApproved: true, note: "fine" }),
      output: "published: fine",
    },
    { why: "its fields", reply: { isApproved: false, note: "typos" }, output: "rejected: typos" },
    { why: "its fields with a default left out", reply: { isApproved: true }, output: "published: none" },
    {
      why: "a value of a subtype",
      reply: Verdict.extend("signed_verdict", { by: z.string() })({ isApproved: true, note: "x", by: "Ann" }),
      output: "published: x",
    },
  ])("has $why become its output, and its chain go on, in this process", async ({ reply, output }) => {
    const { snapshot } = suspended(await approval().invoke("draft"));
    const result = await approval().resume(snapshot, reply);
    expect(result).toMatchObject({ status: "completed", output: { value: output } });
    expect(callers(result.messages)).toEqual(["review", output.startsWith("pub") ? "publish" : "reject"]);
  });

  it("goes on in another process with the JSON of its snapshot, as if it had been answered at once", async () => {
    const { snapshot } = suspended(await approval().invoke("draft"));
    const result = await approval().resume(throughJson(snapshot), { isApproved: true });
    const live = await approval().invoke("trivial");
    expect(said(result.messages).slice(1)).toEqual(said(live.messages).slice(1));
    expect(result.report).toMatchObject({
      steps: 2,
      chainedSteps: 1,
      skippedCalls: live.report.skippedCalls,
    });
  });

  it("may be answered differently from one snapshot", async () => {
    const { snapshot } = suspended(await approval().invoke("draft"));
    const text = JSON.stringify(snapshot);
    const [yes, no] = await Promise.all(
      [true, false].map((isApproved) => approval().resume(snapshot, { isApproved })),
    );
    expect(yes).toMatchObject({ output: { value: "published: none" } });
    expect(no).toMatchObject({ output: { value: "rejected: none" } });
    expect(JSON.stringify(snapshot)).toBe(text);
  });

  it.each([
    { why: "of the wrong type", reply: { isApproved: "yes" } },
    { why: "without a field", reply: { note: "fine" } },
    { why: "that is a text, for a type without `value`", reply: "yes" },
    { why: "of null", reply: null },
    { why: "that is a value of another type", reply: Str({ value: "yes" }) },
    { why: "that is a list", reply: [] },
  ])("refuses a reply $why, and can still be answered", async ({ reply }) => {
    const { snapshot } = suspended(await approval().invoke("draft"));
    await expect(approval().resume(snapshot, reply)).rejects.toMatchObject({ code: "core/reply" });
    expect(await approval().resume(snapshot, { isApproved: true })).toMatchObject({ status: "completed" });
  });

  it("waits with the same question when it is resumed without a reply", async () => {
    const first = suspended(await approval().invoke("draft"));
    const again = suspended(await approval().resume(throughJson(first.snapshot)));
    expect(again.request).toEqual(first.request);
    expect(again.snapshot).toEqual(first.snapshot);
    expect(again.report).toEqual(first.report);
  });

  it("refuses a reply that it did not ask for", async () => {
    const run = approval().start("trivial");
    await run.step();
    const error = await failureOf(approval().resume(run.snapshot(), { isApproved: true }));
    expect(error).toMatchObject({ code: "core/reply" });
  });

  it("fails the run when its request is not what it declares", async () => {
    const ask = tool({
      name: "ask",
      description: "",
      input: Empty,
      output: [Str, Suspend],
      suspends: { request: z.object({ question: z.string() }), reply: Str },
      run: () => Suspend({ request: { question: 1 } }),
    });
    const agent = new Agent({ name: "asking", mode: "deterministic", defaultTools: [ask] });
    await expect(agent.invoke()).rejects.toMatchObject({ code: "core/tool-output", toolName: "ask" });
  });

  it("rejects from complete, with the result on the error", async () => {
    const error = await failureOf(approval().complete("draft"));
    expect(error).toBeInstanceOf(SuspendedError);
    expect(error).toMatchObject({ code: "core/suspended", result: { toolName: "review" } });
  });

  it("may work the reply into an output, which then need not be of the reply's type", async () => {
    const Sum = value("sum", { total: z.int() });
    const add = tool({
      name: "add",
      description: "",
      input: Empty,
      output: [Sum, Suspend],
      suspends: {
        request: z.string(),
        reply: Str,
        resume: (reply, state) => {
          const total = z.int().parse(state) + Number(reply);
          return total < 10 ? Suspend({ request: "more?", state: total }) : Sum({ total });
        },
      },
      run: () => Suspend({ request: "how much?", state: 0 }),
    });
    const end = tool({
      name: "end",
      description: "",
      input: Sum,
      output: Stop,
      chainedTo: add,
      run: ({ total }) => Stop({ value: String(total) }),
    });
    const agent = new Agent({ name: "adding", mode: "deterministic", defaultTools: [add], tools: [end] });
    const first = suspended(await agent.invoke());
    const second = suspended(await agent.resume(throughJson(first.snapshot), "4"));
    expect(second.request).toBe("more?");
    expect(await agent.resume(throughJson(second.snapshot), "7")).toMatchObject({ output: { value: "11" } });
  });

  it("may suspend several times in one run", async () => {
    const ask = tool({
      name: "ask",
      description: "",
      input: Empty,
      output: [Str, Suspend],
      suspends: { request: z.string(), reply: Str },
      run: (_input, { messages }) => Suspend({ request: `question ${messages.length + 1}` }),
    });
    const end = tool({
      name: "end",
      description: "",
      input: Str,
      output: Stop,
      chainedTo: when(ask, ({ value: text }) => text === "enough"),
      run: (text) => Stop(text),
    });
    const agent = new Agent({ name: "asking", mode: "deterministic", defaultTools: [ask], tools: [end] });
    let snapshot: RunSnapshot | undefined;
    const requests: unknown[] = [];
    for (const reply of ["one", "two", "enough"]) {
      const result = suspended(await (snapshot === undefined ? agent.invoke() : agent.resume(snapshot)));
      requests.push(result.request);
      const next = agent.restore(throughJson(result.snapshot), reply);
      const stepped = await next.step();
      snapshot = throughJson(next.snapshot());
      if (stepped?.status === "completed") break;
    }
    expect(requests).toEqual(["question 1", "question 2", "question 3"]);
  });

  it("may stop the run with its reply, which the report counts as when it stops by itself", async () => {
    const gate = (isLive: boolean): Agent =>
      new Agent({
        name: "gate",
        mode: "deterministic",
        defaultTools: [
          tool({
            name: "gate",
            description: "",
            input: Empty,
            output: [Stop, Suspend],
            suspends: { request: z.string(), reply: Stop },
            run: () => (isLive ? Stop({ value: "bye" }) : Suspend({ request: "How does it end?" })),
          }),
        ],
      });
    const { snapshot } = suspended(await gate(false).invoke());
    const resumed = await gate(false).resume(throughJson(snapshot), "bye");
    const live = await gate(true).invoke();
    expect(resumed).toMatchObject({ status: "completed", output: { value: "bye" } });
    expect(said(resumed.messages)).toEqual(said(live.messages));
    expect(resumed.report).toMatchObject({
      steps: live.report.steps,
      skippedCalls: live.report.skippedCalls,
    });
  });
});

describe("a question to the user", () => {
  const make = (): Agent =>
    new Agent({
      name: "asking",
      systemPrompt: "Ask.",
      endpoint: new MockLLMEndpoint(({ messages }) =>
        messages.length === 1 ? call("prompt_user", { value: "Who?" }) : call("stop", { value: "Hello." }),
      ),
      tools: [stop],
    });

  it("is answered at once by a live channel, and nothing parks", async () => {
    const asked: string[] = [];
    const io = apiUserIo({
      requestInput: (question) => {
        asked.push(question);
        return Promise.resolve(Str({ value: "Ann" }));
      },
      notify: () => undefined,
    });
    const live = await make().complete(undefined, { io });
    expect(asked).toEqual(["Who?"]);
    const { snapshot, request } = suspended(await make().invoke());
    expect(request).toEqual({ type: "user-question", question: "Who?" });
    const resumed = await make().resume(throughJson(snapshot), "Ann");
    expect(said(resumed.messages)).toEqual(said(live.messages));
  });

  it("keeps the time that the model would wait for the reply in its request", async () => {
    const agent = make().copy({
      endpoint: new MockLLMEndpoint([call("prompt_user", { value: "Who?", timeout_seconds: 5 })]),
    });
    const { request } = suspended(await agent.invoke());
    expect(request).toEqual({ type: "user-question", question: "Who?", timeoutSeconds: 5 });
  });
});
