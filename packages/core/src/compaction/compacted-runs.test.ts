import { describe, expect, it } from "vitest";
import { call, callers, deferred, failureOf } from "../agent/__fixtures__/runs.ts";
import { compileAgent } from "../agent/compile.ts";
import { effectiveLimits } from "../agent/limits.ts";
import { ParentOf, parentKey } from "../agent/nesting.ts";
import { RunState } from "../agent/run-state.ts";
import { failedRunOf } from "../agent/failed-run.ts";
import { resumeRun } from "../agent/resume-run.ts";
import { MockLLMEndpoint, MockProviderError } from "../llm/mock.ts";
import { replayRun } from "../replay/replay-run.ts";
import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { EventPipe } from "../runtime/pipe.ts";
import { stop } from "../tools/builtin/stop.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Str } from "../values/builtin.ts";
import { contentObject, userMessage, type Message } from "../values/message.ts";
import { aloneContext, done, plain, story, toolName, worker } from "./__fixtures__/worker.ts";
import { compactifyMessagesWhenNeeded } from "./compaction-tool.ts";

describe("a run", () => {
  it("is compacted between two turns of the model, which goes on from the summary", async () => {
    const { endpoint, agent } = worker(story);
    const { messages, report } = await agent.complete("The task.");
    endpoint.assertUsedUp();
    expect(messages.map(({ messageKind }) => messageKind)).toContain("compacted_context");
    expect(callers(messages)).toEqual([toolName, toolName, "stop"]);
    const asked = endpoint.requests.at(-1)?.messages ?? [];
    expect(asked.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(contentObject(asked[1]?.content ?? "")).toMatchObject({ summary_markdown: "Worked twice." });
    // The summary is a call of the model like others.
    expect(report.llmCalls).toBe(4);
    expect(report.tokensIn).toBeGreaterThan(1_000);
  });

  it("folds an earlier summary into the next one", async () => {
    const { endpoint, agent } = worker([
      ...story.slice(0, 3),
      call("work"),
      call("work"),
      { value: "Worked four times." },
      done,
    ]);
    const { messages } = await agent.complete();
    endpoint.assertUsedUp();
    expect(endpoint.requests[5]?.messages[1]?.content).toMatch(/^## user\n\n\{.*Worked twice\./);
    expect(messages.filter(({ messageKind }) => messageKind === "compacted_context")).toHaveLength(1);
    expect(messages.some(({ content }) => content.includes('"compactions":2'))).toBe(true);
  });

  it("shed 114: keeps its messages and its count when it is cancelled during the summary", async () => {
    const asked = deferred();
    const cancel = new AbortController();
    const { agent } = worker([
      ...story.slice(0, 2),
      () => {
        asked.resolve();
        return new Promise<string>(() => undefined);
      },
    ]);
    const run = agent.start(undefined, { signal: cancel.signal });
    const finished = run.finish();
    await asked.promise;
    const before = [...run.messages];
    cancel.abort();
    expect(await finished).toMatchObject({ status: "cancelled" });
    expect(run.messages).toHaveLength(before.length);
    expect(run.messages.every((message, index) => message === before[index])).toBe(true);
    const { agent: again } = worker([{ value: "Worked twice." }, done]);
    const result = await again.resume(run.snapshot());
    expect(result).toMatchObject({ status: "completed" });
    expect(result.messages.some(({ content }) => content.includes('"compactions":1'))).toBe(true);
  });

  it.each([
    { why: "a failure of the provider", entry: new MockProviderError("down", { statusCode: 500 }) },
    { why: "replies that are no summary", entry: "No.", times: 5 },
    { why: "time that is over", entry: () => new Promise<string>(() => undefined), timeoutMs: 1 },
  ])("goes on uncompacted after $why, with the failure shown", async ({ entry, times = 1, timeoutMs }) => {
    const failures = Array.from({ length: times }, () => entry);
    const { endpoint, agent } = worker([...story.slice(0, 2), ...failures, done], { timeoutMs });
    const { messages } = await agent.complete();
    endpoint.assertUsedUp();
    expect(callers(messages).filter((name) => name === "work")).toHaveLength(2);
    expect(messages.filter(({ role }) => role === "error")).toHaveLength(1);
  });

  it("asks the user after a refusal of the provider, and fails without one, its messages kept", async () => {
    const { agent } = worker([...story.slice(0, 2), new MockProviderError("no", { statusCode: 401 })]);
    const error = await failureOf(agent.invoke());
    expect(error).toMatchObject({ code: "core/llm-auth" });
    expect(callers(failedRunOf(error)?.messages ?? []).filter((name) => name === "work")).toHaveLength(2);
  });

  it("raises an interruption that came before it looked", async () => {
    const { agent } = worker([call("pause"), done], {}, { mode: "steerable" });
    const pause = tool({
      name: "pause",
      description: "Interrupted meanwhile.",
      input: Empty,
      output: Empty,
      run: () => {
        run.interrupt();
        return Empty();
      },
    });
    const asked: string[] = [];
    const io = {
      isLive: true,
      ask: (question: string) => {
        asked.push(question);
        return Promise.resolve(Str({ value: "Go on." }));
      },
      notify: () => undefined,
    };
    const run = agent.copy({ tools: [pause, stop] }).start(undefined, { io });
    expect(await run.finish()).toMatchObject({ status: "completed" });
    expect(asked).toEqual([expect.stringMatching(/Interrupted/)]);
  });

  it("ends when its summaries pass the limit of calls", async () => {
    const { agent } = worker(story);
    await expect(agent.invoke(undefined, { limits: { llmCalls: 2 } })).rejects.toMatchObject({
      code: "core/limit-reached",
      limit: "llmCalls",
    });
  });

  it("still notices that the model goes in circles", async () => {
    const { agent } = worker(
      Array.from({ length: 9 }, () => call("work")),
      { thresholdPercent: 1_000 },
    );
    await expect(agent.invoke()).rejects.toMatchObject({ code: "core/limit-reached", limit: "repeats" });
  });
});

describe("a run with a journal", () => {
  it("has the replacement in the record of the step that compacted it, and is resumed with it", async () => {
    const journal = memoryJournalStore();
    const { agent } = worker([...story.slice(0, 3), () => Promise.reject(new Error("crash"))]);
    await failureOf(agent.invoke("The task.", { journal, runId: "r" }));
    const { agent: again, endpoint } = worker([done]);
    const result = await resumeRun(journal, "r", again);
    expect(result).toMatchObject({ status: "completed" });
    expect(endpoint.requests[0]?.messages).toHaveLength(2);
    expect(result.messages.filter(({ messageKind }) => messageKind === "compacted_context")).toHaveLength(1);
  });

  it("does not pay for a summary again that it had when the process died before the step was recorded", async () => {
    const inner = memoryJournalStore();
    let dies = true;
    const journal: JournalStore = {
      ...inner,
      open: async (runId) => {
        const handle = await inner.open(runId);
        return {
          ...handle,
          append: (text) => {
            if (dies && text.includes("compacted_context")) return Promise.reject(new Error("power cut"));
            return handle.append(text);
          },
        };
      },
    };
    const { agent, endpoint } = worker(story.slice(0, 3));
    await failureOf(agent.invoke(undefined, { journal, runId: "r" }));
    endpoint.assertUsedUp();
    dies = false;
    const { agent: again, endpoint: second } = worker([done]);
    const result = await resumeRun(journal, "r", again);
    second.assertUsedUp();
    expect(result.messages.some(({ content }) => content.includes('"compactions":1'))).toBe(true);
  });

  it("is replayed without a model, with the same thresholds and summaries", async () => {
    const journal = memoryJournalStore();
    const { agent } = worker([
      ...story.slice(0, 3),
      call("work"),
      call("work"),
      { value: "Worked four times." },
      done,
    ]);
    await agent.complete("The task.", { journal, runId: "r" });
    for (const today of [agent, agent.copy({ compaction: true })]) {
      const { result, llmCalls } = await replayRun(journal, "r", today);
      expect(result).toMatchObject({ status: "completed" });
      expect(llmCalls).toBe(5);
    }
  });
});

it("looks at a conversation of 10,000 messages without reading it, and reads each once to compact it", async () => {
  let reads = 0;
  const counted = (message: Message): Message =>
    new Proxy(message, {
      get: (target, key, receiver): unknown => {
        if (key === "content") reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
  const endpoint = new MockLLMEndpoint(() => ({ value: "short" }), { maxContextTokens: 100_000 });
  const small = new MockLLMEndpoint(() => ({ value: "short" }), { maxContextTokens: 10_000 });
  const state = new RunState("r", compileAgent(plain(endpoint)));
  for (let index = 0; index < 10_000; index += 1) state.append(counted(userMessage(`message ${index}`)));
  const pipe = new EventPipe({ runId: "r", agentName: "worker" });
  const none = { journal: undefined, io: undefined, replay: undefined };
  const parts = { ...none, allowChanged: false, depth: 1, limits: effectiveLimits() };
  const context = {
    ...aloneContext,
    messages: state.live,
    replaceMessages: (range: { from: number; to: number }, put: readonly Message[]) => {
      state.replace(range, put);
    },
    [parentKey]: new ParentOf({ state, pipe, ...parts }),
  };
  // Each message is read when the view takes it in, once and for all.
  expect(state.view.tokenEstimate).toBe(30_000);
  reads = 0;
  for (let turn = 0; turn < 100; turn += 1)
    expect(await compactifyMessagesWhenNeeded({ endpoint }).invoke(Empty(), context)).toMatchObject({
      status: "ok",
    });
  expect(reads).toBe(0);
  const status = await compactifyMessagesWhenNeeded({ endpoint: small }).invoke(Empty(), context);
  expect(status).toMatchObject({ status: "compacted" });
  expect(reads).toBe(10_000);
  expect(state.messages).toHaveLength(1);
  expect(state.view.current()).toEqual(state.messages);
});
