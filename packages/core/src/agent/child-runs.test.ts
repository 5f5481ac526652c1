import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { ScriptedClient } from "../llm/__fixtures__/scripted-client.ts";
import type { Stop } from "../index.ts";
import {
  Agent,
  apiUserIo,
  asTool,
  Empty,
  failedRunOf,
  LLMEndpoint,
  memoryJournalStore,
  MockLLMEndpoint,
  noUserIo,
  parseJournal,
  resumeRun,
  Skill,
  stop,
  Str,
  Suspend,
  tool,
  type AgentSettings,
  type AnyTool,
  type Message,
  type MockEntry,
  type RunEvent,
  type RunResult,
  type UserIo,
} from "../index.ts";
import { call, callers, failureOf, never, throughJson } from "./__fixtures__/runs.ts";

type Script = readonly MockEntry[] | ConstructorParameters<typeof MockLLMEndpoint>[0];

function modelled(name: string, script: Script, settings: Partial<AgentSettings> = {}): Agent {
  return new Agent({
    name,
    mode: "autonomous",
    systemPrompt: `You are ${name}.`,
    endpoint: new MockLLMEndpoint(script),
    tools: [stop],
    ...settings,
  });
}

const done = call("stop", { value: "done" });

/** A caller whose model calls the agent once, and then stops with what that gave. */
function callerOf(child: Agent, settings: Partial<AgentSettings> = {}): Agent {
  const { tools = [stop] } = settings;
  const script = ({ messages }: { readonly messages: readonly Message[] }) =>
    callers(messages).includes("child")
      ? call("stop", { value: messages.at(-1)?.content ?? "" })
      : call("child", { value: "Go." });
  return modelled("caller", script, {
    ...settings,
    tools: [asTool(child, { name: "child" }), ...tools],
  });
}

/** A user who gives one answer to everything. */
function user(answer: string): { readonly io: UserIo; readonly questions: string[] } {
  const questions: string[] = [];
  const io = apiUserIo({
    requestInput: (question) => {
      questions.push(question);
      return Promise.resolve(Str({ value: answer }));
    },
    notify: () => undefined,
  });
  return { io, questions };
}

function waiting(result: RunResult<Stop>): Extract<RunResult<Stop>, { status: "suspended" }> {
  if (result.status !== "suspended") throw new Error(`the run is ${result.status}`);
  return result;
}

describe("the events of an agent that is a tool", () => {
  const streamed = (): { readonly client: ScriptedClient; readonly child: Agent } => {
    const reply = JSON.stringify(done);
    const client = new ScriptedClient([[{ text: reply.slice(0, 9) }, { text: reply.slice(9) }]]);
    const endpoint = new LLMEndpoint({ client, modelName: "m", apiName: "a" });
    return { client, child: modelled("child", [], { endpoint }) };
  };

  it("stream with the caller's, under the run they belong to", async () => {
    const { child } = streamed();
    const pieces: string[] = [];
    for await (const event of callerOf(child).stream(undefined, { runId: "r" })) {
      if (event.type === "message-delta" && event.runId === "r.1") pieces.push(event.delta);
    }
    expect(pieces.join("")).toBe(JSON.stringify(done));
    expect(pieces).toHaveLength(2);
  });

  it("are not made where nobody listens, and the model is not asked to stream", async () => {
    const client = new ScriptedClient([{ text: JSON.stringify(done) }]);
    const endpoint = new LLMEndpoint({ client, modelName: "m", apiName: "a" });
    await callerOf(modelled("child", [], { endpoint })).complete();
    expect(client.seen).toMatchObject([{ includeUsage: undefined }]);
  });

  it("reach a sink that joins while the child runs", async () => {
    const heard: RunEvent[] = [];
    let join: () => void = () => undefined;
    const start = tool({
      name: "start",
      description: "",
      input: Empty,
      output: Empty,
      run: () => {
        join();
        return Empty();
      },
    });
    const child = modelled("child", [call("start"), done], { tools: [start, stop] });
    const run = callerOf(child).start(undefined, { runId: "r" });
    join = () => void run.addSink((event) => heard.push(event));
    await run.finish();
    expect(heard[0]).toMatchObject({ runId: "r.1", type: "runtime", kind: "succeeded" });
  });

  it("name the caller and its run when the child starts, and so does its journal", async () => {
    const journal = memoryJournalStore();
    const heard: RunEvent[] = [];
    await callerOf(modelled("child", [done])).complete(undefined, {
      journal,
      runId: "r",
      sinks: [(event) => heard.push(event)],
    });
    const starts = heard.filter((event) => event.type === "run-lifecycle" && event.kind === "started");
    expect(starts).toMatchObject([
      { runId: "r", parentAgentName: null },
      { runId: "r.1", parentAgentName: "caller", parentRunId: "r" },
    ]);
    expect(starts[0]).not.toHaveProperty("parentRunId");
    const [opened] = parseJournal((await journal.read("r.1")) ?? []).records;
    expect(opened).toMatchObject({ type: "opened", parentRunId: "r", parentAgentName: "caller" });
  });
});

describe("what an agent that is a tool spends", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const busy = tool({ name: "busy", description: "", input: Empty, output: Empty, run: () => Empty() });
  const eager = (): Agent =>
    modelled("child", () => call("busy"), { tools: [busy], limits: { repeats: null } });

  it.each([
    { limit: "llmCalls" as const, allowed: 5 },
    { limit: "tokens" as const, allowed: 5_000 },
  ])("ends at what its caller has left of $limit", async ({ limit, allowed }) => {
    const parent = callerOf(eager(), { limits: { [limit]: allowed } });
    const error = await failureOf(parent.complete());
    expect(error).toMatchObject({ code: "core/limit-reached", limit, allowed });
    const report = failedRunOf(error)?.report;
    expect(report?.llmCalls).toBeGreaterThan(2);
    expect(limit === "llmCalls" ? report?.llmCalls : (report?.tokensIn ?? 0) - 1_000).toBeLessThanOrEqual(
      allowed,
    );
  });

  it("keeps to its own limits where they are lower", async () => {
    const child = eager().copy({ limits: { llmCalls: 2, repeats: null } });
    const { report, messages } = await callerOf(child).complete();
    expect(report.llmCalls).toBe(4);
    expect(messages.find(({ role }) => role === "error")?.content).toContain("`llmCalls` of 2");
  });

  it("has the limits that its caller has left when it goes on after a question", async () => {
    const ask = tool({
      name: "ask",
      description: "",
      input: Empty,
      output: [Str, Suspend],
      suspends: { request: z.string(), reply: Str },
      run: () => Suspend({ request: "?" }),
    });
    const child = modelled("child", ({ messages }) => call(messages.length < 3 ? "ask" : "busy"), {
      tools: [ask, busy],
      limits: { repeats: null },
    });
    const parent = callerOf(child, { limits: { llmCalls: 5 } });
    const { snapshot, report } = waiting(await parent.invoke());
    expect(report.llmCalls).toBe(2);
    const error = await failureOf(parent.resume(throughJson(snapshot), "yes"));
    // One call of the caller, four of the child, of which one was counted when it asked.
    expect(failedRunOf(error)?.report.llmCalls).toBe(5);
  });

  it.each([
    { why: "is cancelled", limits: {}, cancels: true },
    { why: "runs out of time", limits: { wallMs: 1_000 }, cancels: false },
  ])(
    "is in the report of a caller that $why meanwhile, and not in its snapshot",
    async ({ limits, cancels }) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      let hangs: () => void = () => undefined;
      const hanging = new Promise<void>((resolve) => {
        hangs = resolve;
      });
      const hang = tool({
        name: "hang",
        description: "",
        input: Empty,
        output: Empty,
        run: () => {
          hangs();
          return never();
        },
      });
      const child = modelled("child", [call("hang")], { tools: [hang] });
      const run = callerOf(child, { limits }).start();
      const finished = run.finish().catch((error: unknown) => ({ status: "failed", ...failedRunOf(error) }));
      await hanging;
      if (cancels) run.cancel("enough");
      else vi.advanceTimersByTime(1_000);
      const result = await finished;
      expect(result).toMatchObject({
        status: cancels ? "cancelled" : "failed",
        report: { llmCalls: 2 },
        snapshot: { counts: { llmCalls: 1 } },
      });
    },
  );
});

describe("the user of an agent that is a tool", () => {
  const asking = (): Agent =>
    new Agent({
      name: "asking",
      systemPrompt: "Ask.",
      endpoint: new MockLLMEndpoint(({ messages }) =>
        callers(messages).includes("prompt_user") ? done : call("prompt_user", { value: "Which street?" }),
      ),
      tools: [stop],
    });

  it("core 68: is asked where the host said, although the caller is autonomous", async () => {
    const { io, questions } = user("Basil Lane");
    const { report } = await callerOf(asking()).complete(undefined, { io });
    expect(questions).toEqual(["Which street?"]);
    expect(report.llmCalls).toBe(4);
  });

  it("core 68: is asked by a resumed run too, and through an autonomous agent in between", async () => {
    const { io, questions } = user("Basil Lane");
    const parent = (): Agent => callerOf(callerOf(asking()));
    const { snapshot } = waiting(await parent().invoke(undefined, { io: noUserIo }));
    const resumed = await parent().resume(throughJson(snapshot), "Basil Lane", { io });
    expect(resumed).toMatchObject({ status: "completed" });
    expect(questions).toEqual([]);
    await parent().complete(undefined, { io });
    expect(questions).toEqual(["Which street?"]);
  });

  it("interrupts the child, which asks how to go on, and the caller does not ask again", async () => {
    const { io, questions } = user("Carry on.");
    let interrupt: () => void = () => undefined;
    const start = tool({
      name: "start",
      description: "",
      input: Empty,
      output: Empty,
      run: () => {
        interrupt();
        return Empty();
      },
    });
    const child = modelled("child", [call("start"), done], { mode: "steerable", tools: [start, stop] });
    const run = callerOf(child, { mode: "steerable" }).start(undefined, { io });
    interrupt = () => {
      run.interrupt();
    };
    expect(await run.finish()).toMatchObject({ status: "completed" });
    expect(questions).toHaveLength(1);
  });

  it("is asked by the caller when the interrupted child may not ask", async () => {
    const { io, questions } = user("Carry on.");
    let interrupts = 1;
    let interrupt: () => void = () => undefined;
    const start = tool({
      name: "start",
      description: "",
      input: Empty,
      output: Empty,
      run: () => {
        if (interrupts > 0) interrupt();
        interrupts -= 1;
        return Empty();
      },
    });
    const child = modelled("child", ({ messages }) => (messages.length < 4 ? call("start") : done), {
      tools: [start, stop],
    });
    const parent = modelled(
      "caller",
      [call("child", { value: "Go." }), call("child", { value: "Go." }), done],
      {
        mode: "steerable",
        tools: [asTool(child, { name: "child" }), stop],
      },
    );
    const run = parent.start(undefined, { io });
    interrupt = () => {
      run.interrupt();
    };
    const result = await run.finish();
    expect(result).toMatchObject({ status: "completed" });
    expect(callers(result.messages)).toEqual(["prompt_user", "child", "stop"]);
    expect(questions).toHaveLength(1);
  });
});

describe("a question of an agent within an agent", () => {
  const dig: AnyTool = tool({
    name: "dig",
    description: "Dig.",
    input: Empty,
    output: [Str, Suspend],
    suspends: { request: z.object({ what: z.string() }), reply: Str },
    run: () => Suspend({ request: { what: "Where?" } }),
  });
  const garden = new Skill({
    name: "garden",
    description: "",
    instructions: "Mind the roses.",
    tools: [dig],
  });
  /** Loads a skill, and asks by a tool of it. */
  const gardener = (skill = garden): Agent =>
    modelled(
      "gardener",
      ({ messages }) => {
        const told = callers(messages);
        if (told.includes("dig")) return call("stop", { value: messages.at(-1)?.content ?? "" });
        return call(told.includes("garden") ? "dig" : "garden");
      },
      { skills: [skill] },
    );

  it.each([
    { why: "in a snapshot", journal: undefined },
    { why: "in a journal", journal: memoryJournalStore() },
  ])("waits $why, with the skill that was loaded", async ({ journal }) => {
    const top = (): Agent => callerOf(callerOf(gardener()));
    const asked = waiting(await top().invoke(undefined, { journal, runId: "r" }));
    expect(asked).toMatchObject({ toolName: "child", request: { what: "Where?" } });
    const resumed =
      journal === undefined
        ? await top().resume(throughJson(asked.snapshot), "Here.")
        : await resumeRun(journal, "r", top(), { reply: "Here." });
    expect(resumed).toMatchObject({ status: "completed" });
    expect(resumed.messages.map(({ content }) => content).join("\n")).toContain("Here.");
    if (journal !== undefined) expect((await journal.list()).toSorted()).toEqual(["r", "r.1", "r.1.1"]);
  });

  it("can still be answered after a reply that does not fit", async () => {
    for (const journal of [undefined, memoryJournalStore()]) {
      const asked = waiting(await callerOf(gardener()).invoke(undefined, { journal, runId: "r" }));
      const answer = (reply: unknown): Promise<RunResult<Stop>> =>
        journal === undefined
          ? callerOf(gardener()).resume(throughJson(asked.snapshot), reply)
          : resumeRun(journal, "r", callerOf(gardener()), { reply });
      expect(await failureOf(answer({ where: "Here." }))).toMatchObject({ code: "core/reply" });
      expect(await answer("Here.")).toMatchObject({ status: "completed" });
    }
  });

  it("is refused by a child whose skill has changed, by its name", async () => {
    const other = tool({ name: "weed", description: "", input: Empty, output: Empty, run: () => Empty() });
    const { snapshot } = waiting(await callerOf(gardener()).invoke());
    const changed = (): Agent => callerOf(gardener(garden.copy({ tools: [dig, other] })));
    const error = await failureOf(changed().resume(snapshot, "Here."));
    expect(error).toMatchObject({
      code: "core/agent-changed",
      differences: [
        { tool: "garden", change: "changed" },
        { tool: "weed", change: "added" },
      ],
    });
    expect(String(error)).toContain("`gardener`");
    const left = failedRunOf(error)?.snapshot;
    if (left === undefined) throw new Error("the run left no snapshot");
    expect(await changed().resume(throughJson(left), "Here.", { allowChanged: true })).toMatchObject({
      status: "completed",
    });
  });
});
