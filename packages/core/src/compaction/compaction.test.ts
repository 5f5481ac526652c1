import { describe, expect, it } from "vitest";
import { call, callers, deferred, failureOf } from "../agent/__fixtures__/runs.ts";
import { Agent } from "../agent/agent.ts";
import { compileAgent } from "../agent/compile.ts";
import { effectiveLimits } from "../agent/limits.ts";
import { ParentOf, parentKey } from "../agent/nesting.ts";
import { RunState } from "../agent/run-state.ts";
import { failedRunOf } from "../agent/failed-run.ts";
import { resumeRun } from "../agent/resume-run.ts";
import type { AgentSettings } from "../agent/settings.ts";
import { MockLLMEndpoint, MockProviderError, type MockEntry } from "../llm/mock.ts";
import { CoreError } from "../errors.ts";
import { LLMEndpointRoute } from "../llm/endpoint.ts";
import { replayRun } from "../replay/replay-run.ts";
import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { EventPipe } from "../runtime/pipe.ts";
import { stop } from "../tools/builtin/stop.ts";
import { tool } from "../tools/tool.ts";
import type { ToolContext } from "../tools/context.ts";
import { estimateConversationTokens } from "../truncation/view.ts";
import { Empty, Str } from "../values/builtin.ts";
import { contentObject, systemMessage, userMessage, type Message } from "../values/message.ts";
import type { MessageKind } from "../values/metadata.ts";
import { compactifyMessagesWhenNeeded } from "./compaction-tool.ts";
import type { CompactionSettings } from "./settings.ts";

const toolName = "compactify_messages_when_needed";
const max = 1_000;

/** A message of so many tokens. */
function sized(tokens: number, messageKind?: MessageKind): Message {
  const make = messageKind === "system_message" ? systemMessage : userMessage;
  return make("x".repeat(tokens * 4), messageKind === undefined ? {} : { messageKind });
}

/** Looks at a conversation outside of any run. */
async function look(
  messages: readonly Message[],
  script: readonly MockEntry[] = [],
  settings: Omit<CompactionSettings, "endpoint"> & { max?: number } = {},
) {
  const { max: maxContextTokens = max, ...rest } = settings;
  const endpoint = new MockLLMEndpoint(script, { maxContextTokens });
  const replaced: { from: number; to: number; messages: readonly Message[] }[] = [];
  const context: Partial<ToolContext> = {
    messages,
    replaceMessages: (range, put) => replaced.push({ ...range, messages: put }),
  };
  const compactor = compactifyMessagesWhenNeeded({ endpoint, ...rest });
  const status = await Reflect.apply(compactor.invoke, compactor, [Empty(), context]);
  endpoint.assertUsedUp();
  return { status, replaced, endpoint };
}

describe("a conversation", () => {
  it.each([
    {
      why: "below the threshold is left alone",
      messages: [sized(799)],
      status: "ok",
      context: "799 / 1.0k (79.9%)",
      left: "1",
    },
    {
      why: "shed 111: of the system message alone is blocked, without a call",
      messages: [sized(900, "system_message")],
      status: "blocked",
      context: "900 / 1.0k (90.0%)",
      left: "0",
    },
    {
      why: "shed 112: whose beginning leaves a summary no room is blocked, without a call",
      messages: [sized(760, "system_message"), sized(60)],
      status: "blocked",
      context: "820 / 1.0k (82.0%)",
      left: "0",
    },
    {
      why: "that is nothing but what runs start with is blocked",
      messages: [
        sized(400, "system_message"),
        sized(300, "startup_context"),
        sized(100, "auto_load_banner"),
        sized(50, "auto_loaded_skill"),
      ],
      status: "blocked",
      context: "850 / 1.0k (85.0%)",
      left: "0",
    },
  ])("$why", async ({ messages, status, context, left }) => {
    const looked = await look(messages);
    expect(looked.status).toEqual({
      status,
      context,
      to_compaction: left,
      compactions: 0,
      compaction_summary: null,
    });
    expect(looked.replaced).toEqual([]);
    expect(looked.endpoint.requests).toEqual([]);
  });

  it("at the very threshold is replaced, all but what it began with, by one message with exactly these keys", async () => {
    const messages = [
      sized(100, "system_message"),
      sized(50, "startup_context"),
      userMessage("The task."),
      // No part of the beginning: something else came before it.
      sized(700, "startup_context"),
    ];
    const { status, replaced, endpoint } = await look(messages, [{ value: "Zusammenfassung: für zwei 😀" }]);
    expect(replaced).toMatchObject([{ from: 2, to: 4, messages: [{ role: "user" }] }]);
    const message = replaced[0]?.messages[0];
    expect(message).toMatchObject({ role: "user", messageKind: "compacted_context" });
    const content = message?.content ?? "";
    expect(content).toMatch(/^[\x20-\x7e]*$/);
    expect(content).toContain("f\\u00fcr zwei \\ud83d\\ude00");
    const { value, ...rest } = contentObject(content) ?? {};
    expect(value).toMatch(/Go on/);
    expect(rest).toEqual({
      caller: toolName,
      summary_markdown: "Zusammenfassung: für zwei 😀",
      percent_used_before: 85.3,
      threshold_percent: 80,
    });
    expect(status).toMatchObject({
      status: "compacted",
      compactions: 1,
      compaction_summary: "Zusammenfassung: für zwei 😀",
    });
    const left = estimateConversationTokens([
      ...messages.slice(0, 2),
      ...(message === undefined ? [] : [message]),
    ]);
    expect(status).toMatchObject({
      context: `${left} / 1.0k (${(left / 10).toFixed(1)}%)`,
      to_compaction: String(800 - left),
    });
    const [, source] = endpoint.requests[0]?.messages ?? [];
    expect(source?.content).toMatch(/^## user\n\nThe task\.\n\n## user\n\nx{2800}$/);
  });

  it("is not replaced by a summary that fits in characters, but not in the ASCII that it is sent as", async () => {
    const messages = [sized(300, "system_message"), sized(600)];
    const fits = await look(messages, [{ value: "e".repeat(1_200) }]);
    expect(fits.status).toMatchObject({ status: "compacted" });
    const grows = await look(messages, [{ value: "é".repeat(1_200) }]);
    expect(grows.status).toMatchObject({ status: "blocked", compactions: 0 });
    expect(grows.replaced).toEqual([]);
  });

  it("shed 113: is as it was after three overlong summaries", async () => {
    const long = { value: "y".repeat(4_000) };
    const { status, replaced, endpoint } = await look([sized(900)], [long, long, long]);
    expect(status).toMatchObject({ status: "blocked", compactions: 0, compaction_summary: null });
    expect(replaced).toEqual([]);
    expect(endpoint.requests).toHaveLength(3);
  });

  it("is summarised as the model is shown it", async () => {
    const hidden = userMessage("hidden", { truncation: { threshold: 0, severity: "remove" } });
    const { endpoint } = await look([hidden, sized(900)], [{ value: "short" }]);
    expect(endpoint.requests[0]?.messages[1]?.content).not.toContain("hidden");
  });

  it("of hidden messages alone beside a long beginning is blocked, without a call", async () => {
    const hidden = userMessage("hidden", { truncation: { threshold: 0, severity: "remove" } });
    expect((await look([sized(900, "system_message"), hidden])).status).toMatchObject({ status: "blocked" });
  });

  it("may fill more than the context when the threshold allows it, and is brought below the context", async () => {
    const { status } = await look([sized(1_300)], [{ value: "z".repeat(3_500) }], { thresholdPercent: 120 });
    expect(status).toMatchObject({ status: "compacted" });
    expect((await look([sized(1_100)], [], { thresholdPercent: 120 })).status).toMatchObject({
      status: "ok",
      context: "1.1k / 1.0k (110.0%)",
    });
  });

  it.each([
    { tokens: 999, text: "999 / 128k" },
    { tokens: 1_000, text: "1.0k / 128k" },
    { tokens: 99_949, text: "99.9k / 128k" },
    { tokens: 100_000, text: "100k / 128k" },
  ])("of $tokens tokens is said to use $text", async ({ tokens, text }) => {
    const messages = Array.from({ length: 20 }, () => sized(Math.floor(tokens / 20)));
    messages.push(sized(tokens - 20 * Math.floor(tokens / 20)));
    const { status } = await look(messages, [], { max: 128_000 });
    expect(Reflect.get(status, "context")).toContain(`${text} (`);
  });

  it("counts compactions of one tool, its copies too, and anew for a new tool", async () => {
    const endpoint = new MockLLMEndpoint(() => ({ value: "short" }), { maxContextTokens: max });
    const first = compactifyMessagesWhenNeeded({ endpoint });
    const context = { messages: [sized(900)] };
    expect(await first.invoke(Empty(), { ...aloneContext, ...context })).toMatchObject({ compactions: 1 });
    expect(
      await first.copy({ name: "other" }).invoke(Empty(), { ...aloneContext, ...context }),
    ).toMatchObject({
      compactions: 2,
    });
    const fresh = compactifyMessagesWhenNeeded({ endpoint });
    expect(await fresh.invoke(Empty(), { ...aloneContext, ...context })).toMatchObject({ compactions: 1 });
  });
});

const aloneContext: ToolContext = {
  messages: [],
  signal: new AbortController().signal,
  io: { isLive: false, ask: () => Promise.resolve(null), notify: () => undefined },
  once: async (key, effect) => effect(key),
  emit: () => undefined,
  replaceMessages: () => undefined,
};

function compactifyLoosely(settings: unknown): unknown {
  return Reflect.apply(compactifyMessagesWhenNeeded, undefined, [settings]);
}

/** The code of what `make` throws. */
function codeOf(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return CoreError.is(error) ? error.code : error;
  }
  return undefined;
}

describe("settings", () => {
  const endpoint = new MockLLMEndpoint([]);
  const wrong: readonly { why: string; settings: object }[] = [
    { why: "a threshold of 0", settings: { thresholdPercent: 0 } },
    { why: "an endless threshold", settings: { thresholdPercent: Infinity } },
    { why: "a threshold that is no number", settings: { thresholdPercent: NaN } },
    { why: "a negative time", settings: { timeoutMs: -1 } },
    { why: "an endless time", settings: { timeoutMs: Infinity } },
    { why: "blank instructions to go on", settings: { continuation: " " } },
    { why: "a function as the endpoint", settings: { endpoint: () => endpoint } },
    { why: "a name that is none", settings: { threshold: 80 } },
  ];
  it.each(wrong)("are refused by the tool with $why", ({ settings }) => {
    expect(codeOf(() => compactifyLoosely({ endpoint, ...settings }))).toBe("core/tool-definition");
  });
  it.each(wrong)("are refused by an agent with $why", ({ settings }) => {
    const construct = (): unknown => Reflect.construct(Agent, [{ ...plain(endpoint), compaction: settings }]);
    expect(codeOf(construct)).toBe("core/agent-definition");
  });
  it("need an endpoint for the tool, and settings at all", () => {
    for (const settings of [{}, null, "80"])
      expect(codeOf(() => compactifyLoosely(settings))).toBe("core/tool-definition");
  });
  it("are not for a deterministic agent, which may have the tool", () => {
    const tick = tool({ name: "tick", description: "", input: Empty, output: Empty, run: () => Empty() });
    const clockwork = { name: "clockwork", mode: "deterministic" as const };
    expect(() => new Agent({ ...clockwork, endpoint, defaultTools: [tick], compaction: true })).toThrow(
      /defaultTools/,
    );
    const defaultTools = [tick, compactifyMessagesWhenNeeded({ endpoint })];
    const names = new Agent({ ...clockwork, defaultTools }).graph().nodes.map(({ name }) => name);
    expect(names).toContain(toolName);
  });
  it("switched off add no tool, and left out neither", () => {
    const names = (compaction?: boolean) =>
      new Agent({ ...plain(endpoint), compaction }).graph().nodes.map(({ name }) => name);
    expect(names(false)).toEqual(names());
    expect(names(true).filter((name) => !names().includes(name))).toEqual([toolName]);
  });
  it("show what the tool needs from outside: its model", () => {
    const route = new LLMEndpointRoute(() => endpoint);
    expect(new Agent({ ...plain(endpoint), compaction: { endpoint: route } }).externalDependencies()).toEqual(
      [],
    );
  });
});

/** Works, with long results, until the model stops it. */
function plain(endpoint: MockLLMEndpoint): AgentSettings {
  const work = tool({
    name: "work",
    description: "Work.",
    input: Empty,
    output: Str,
    run: () => Str({ value: "result ".repeat(240) }),
  });
  return {
    name: "worker",
    mode: "autonomous",
    systemPrompt: "Work.",
    automaticToolPrompt: false,
    endpoint,
    tools: [work, stop],
  };
}

const done = call("stop", { value: "done" });
/** Two results, a summary, and the end. */
const story: readonly MockEntry[] = [call("work"), call("work"), { value: "Worked twice." }, done];

function worker(
  script: readonly MockEntry[],
  compaction: CompactionSettings = {},
  more: Partial<AgentSettings> = {},
) {
  const endpoint = new MockLLMEndpoint(script, { maxContextTokens: max });
  return { endpoint, agent: new Agent({ ...plain(endpoint), compaction, ...more }) };
}

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
