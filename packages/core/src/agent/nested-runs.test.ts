import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  Agent,
  asTool,
  Empty,
  LLMEndpoint,
  memoryJournalStore,
  MockLLMEndpoint,
  resumeRun,
  stop,
  Stop,
  Str,
  Suspend,
  tool,
  value,
  type EventSink,
  type RunEvent,
} from "../index.ts";
import { ScriptedClient } from "../llm/__fixtures__/scripted-client.ts";
import { call, failureOf, never } from "./__fixtures__/runs.ts";

/** A deterministic agent of one tool that ends it. */
function echo(run: (text: Str) => Stop | Promise<Stop> = ({ value: text }) => Stop({ value: text })): Agent {
  const say = tool({ name: "say", description: "", input: Str, output: Stop, run });
  return new Agent({ name: "echo", mode: "deterministic", defaultTools: [say] });
}

/** An agent that hands its input to a child and stops with what comes back. */
function host(child: ReturnType<typeof asTool>, sinks: readonly EventSink[] = []): Agent {
  return new Agent({
    name: "host",
    mode: "deterministic",
    defaultTools: [child],
    tools: [stop.copy().chain(child)],
    sinks,
  });
}

describe("the runs of an agent that is a tool", () => {
  it('instead of core 99: have pipes and numbers of their own ("one agent can have any number of runs at once", design.md section 3)', async () => {
    const events: RunEvent[] = [];
    await host(asTool(echo()), [(event) => events.push(event)]).complete("hi", { runId: "r" });
    const own = (runId: string): readonly number[] =>
      events.filter((event) => event.runId === runId).map(({ sequence }) => sequence);
    for (const runId of ["r", "r.1"]) expect(own(runId)).toEqual(own(runId).map((_number, at) => at + 1));
    expect(new Set(events.map(({ agentName }) => agentName))).toEqual(new Set(["host", "echo"]));
    expect(own("r").length + own("r.1").length).toBe(events.length);
  });

  it("have names of their own when one step starts several", async () => {
    const ids = new Set<string>();
    const child = asTool(echo());
    const both = tool({
      name: "both",
      description: "",
      input: Str,
      output: [Str, Suspend],
      suspends: { request: z.string(), reply: Str },
      run: async (text, context) => {
        await child.invoke(text, context);
        return child.invoke(text, context);
      },
    });
    const agent = host(both, [({ runId }) => ids.add(runId)]);
    await agent.complete("hi", { runId: "r" });
    expect([...ids]).toEqual(["r", "r.1", "r.1-2"]);
  });

  it("go on from their journal when the step that called them was cut off", async () => {
    const journal = memoryJournalStore();
    let calls = 0;
    const start = tool({
      name: "start",
      description: "",
      input: Str,
      output: Str,
      run: (text) => {
        calls += 1;
        return text;
      },
    });
    const child = (wait: boolean): Agent => {
      const finish = tool({
        name: "finish",
        description: "",
        input: Str,
        output: Stop,
        chainedTo: start,
        run: (text) => (wait ? never() : Stop({ value: text.value })),
      });
      return new Agent({ name: "child", mode: "deterministic", defaultTools: [start], tools: [finish] });
    };
    const controller = new AbortController();
    const sinks: readonly EventSink[] = [
      (event) => {
        const isFinishing = event.type === "runtime" && event.data["tool"] === "finish";
        if (!isFinishing) return;
        queueMicrotask(() => {
          controller.abort();
        });
      },
    ];
    const cut = await host(asTool(child(true))).invoke("hi", {
      journal,
      runId: "r",
      signal: controller.signal,
      sinks,
    });
    expect(cut.status).toBe("cancelled");
    const result = await resumeRun(journal, "r", host(asTool(child(false))));
    expect(result).toMatchObject({ status: "completed", output: { value: "hi" } });
    expect(calls).toBe(1);
  });

  it("that are in a journal cannot go on without it", async () => {
    const ask = tool({
      name: "ask",
      description: "",
      input: Str,
      output: [Str, Suspend],
      suspends: { request: z.string(), reply: Str },
      run: () => Suspend({ request: "?" }),
    });
    const child = new Agent({ name: "child", mode: "deterministic", defaultTools: [ask] });
    const agent = host(asTool(child));
    const result = await agent.invoke("hi", { journal: memoryJournalStore(), runId: "r" });
    if (result.status !== "suspended") throw new Error("the run did not wait");
    const error = await failureOf(agent.resume(result.snapshot, "yes"));
    expect(error).toMatchObject({ code: "core/snapshot" });
    expect(error).toHaveProperty("message", expect.stringContaining("resume with that journal"));
  });

  it("fail the tool when they end with what it does not declare", async () => {
    const Table = value("table", { table: z.int() });
    const child = asTool(echo(), { name: "book", output: Table });
    const done = tool({
      name: "done",
      description: "",
      input: Table,
      output: Stop,
      chainedTo: child,
      run: () => Stop(),
    });
    const agent = new Agent({ name: "a", mode: "deterministic", defaultTools: [child], tools: [done] });
    expect(await failureOf(agent.invoke("hi"))).toMatchObject({
      code: "core/tool-output",
      toolName: "book",
    });
  });

  it("count what they cost once, also when they waited in between", async () => {
    const replies = [call("prompt_user", { value: "?" }), call("stop", { value: "done" })];
    const endpoint = new LLMEndpoint({
      apiName: "service",
      modelName: "model",
      stream: false,
      prices: { inputPerMillion: 1, outputPerMillion: 1 },
      client: new ScriptedClient(
        replies.map((reply) => ({
          text: JSON.stringify(reply),
          usage: { tokenInput: 2_000_000, tokenOutput: 0 },
        })),
      ),
    });
    const agent = host(asTool(new Agent({ name: "child", systemPrompt: "Go.", endpoint, tools: [stop] })));
    const first = await agent.invoke("hi");
    if (first.status !== "suspended") throw new Error("the run did not wait");
    expect(first.report).toMatchObject({ llmCalls: 1, costUsd: 2 });
    const second = await agent.resume(first.snapshot, "yes");
    expect(second).toMatchObject({ status: "completed", report: { llmCalls: 2, costUsd: 4 } });
  });
});

it("an agent without a run around it runs as a tool on its own", async () => {
  const child = asTool(echo(), {
    name: "alone",
    description: "Says it again.",
    input: z.object({ text: z.string() }),
  });
  expect(child.description).toBe("Says it again.");
  const taken = asTool(
    new Agent({
      name: "b",
      mode: "autonomous",
      systemPrompt: "Go.",
      endpoint: new MockLLMEndpoint([call("stop", { value: "ok" })]),
      tools: [stop],
    }),
    { input: Empty },
  );
  expect(await taken.invoke(Empty())).toEqual({ value: "ok" });
});
