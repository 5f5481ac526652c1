import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  Agent,
  apiUserIo,
  Empty,
  ExternalCallInterruptedError,
  failedRunOf,
  LLMAuthError,
  LLMContextLimitExceededError,
  LLMInsufficientFundsError,
  LLMProviderRequestError,
  LLMProviderUnavailableError,
  LLMRateLimitExceededError,
  MockLLMEndpoint,
  MockProviderError,
  Stop,
  stop,
  Str,
  Suspend,
  tool,
  value,
  type AgentSettings,
  type MockEntry,
  type RunEvent,
  type ToolContext,
  type UserIo,
} from "../index.ts";
import {
  call,
  callers,
  deferred,
  failureOf,
  looseTool,
  never,
  said,
  throughJson,
} from "./__fixtures__/runs.ts";

function steerable(script: readonly MockEntry[], settings: Partial<AgentSettings> = {}): Agent {
  return new Agent({
    name: "steered",
    systemPrompt: "Go.",
    automaticToolPrompt: false,
    endpoint: new MockLLMEndpoint(script),
    tools: [stop],
    ...settings,
  });
}

/** A user who gives these replies, and then says nothing ever again. */
function user(...replies: readonly string[]): { readonly io: UserIo; readonly questions: string[] } {
  const left = [...replies];
  const questions: string[] = [];
  const io = apiUserIo({
    requestInput: (question) => {
      questions.push(question);
      const reply = left.shift();
      return reply === undefined ? never() : Promise.resolve(Str({ value: reply }));
    },
    notify: () => undefined,
  });
  return { io, questions };
}

const stopped = call("stop", { value: "done" });
const refused = new MockProviderError("Invalid key", { statusCode: 401 });

describe("a request that the provider refuses", () => {
  it("core 53: has the user asked, and the run go on", async () => {
    const { io, questions } = user("Try again.");
    const { messages, report } = await steerable([refused, stopped]).complete(undefined, { io });
    expect(questions).toHaveLength(1);
    expect(said(messages)).toEqual([
      "system: Go.",
      'user: {"caller":"prompt_user","value":"Try again."}',
      'assistant: {"action":"stop","rationale":"Because.","value":"done"}',
      'user: {"caller":"stop","value":"done"}',
    ]);
    expect(report).toMatchObject({ llmCalls: 1, steps: 2 });
  });

  it.each([
    { why: "credential", error: new LLMAuthError({ message: "hunter2", status: 401 }) },
    { why: "funds", error: new LLMInsufficientFundsError({ message: "hunter2", status: 402 }) },
    { why: "no more requests", error: new LLMRateLimitExceededError({ message: "hunter2", status: 429 }) },
    {
      why: "as long as this one",
      error: new LLMContextLimitExceededError({ message: "hunter2", status: 400 }),
    },
    { why: "refused the request", error: new LLMProviderRequestError({ message: "hunter2", status: 418 }) },
  ])("has the user asked also when a tool throws it, and told why: $why", async ({ why, error }) => {
    let calls = 0;
    const asks = tool({
      name: "asks",
      description: "",
      input: Empty,
      output: Str,
      run: () => {
        calls += 1;
        if (calls === 1) throw error;
        return Str({ value: "at last" });
      },
    });
    const { io, questions } = user("Again.");
    const agent = steerable([call("asks"), call("asks"), stopped], { tools: [asks, stop] });
    const { messages } = await agent.complete(undefined, { io });
    expect(questions).toEqual([expect.stringContaining(why)]);
    expect(questions[0]).toContain(`(status ${error.status})`);
    expect(questions[0]).not.toContain("hunter2");
    expect(callers(messages)).toEqual(["prompt_user", "asks", "stop"]);
  });

  it("core 53: leaves an autonomous run, whose error it is", async () => {
    const agent = steerable([refused], { mode: "autonomous" });
    const error = await failureOf(agent.complete());
    expect(error).toBeInstanceOf(LLMAuthError);
    expect(failedRunOf(error)?.messages).toHaveLength(1);
  });

  it("core 54: is not what an overloaded provider is, so the run fails and nobody is asked", async () => {
    const { io, questions } = user("Again.");
    const agent = steerable([new MockProviderError("Busy", { statusCode: 500 })]);
    const error = await failureOf(agent.complete(undefined, { io }));
    expect(error).toBeInstanceOf(LLMProviderUnavailableError);
    expect(questions).toEqual([]);
  });

  it("core 60: is not what a script that is used up is", async () => {
    const { io, questions } = user();
    await expect(steerable([]).complete(undefined, { io })).rejects.toMatchObject({
      code: "core/llm-unknown-provider",
    });
    expect(questions).toEqual([]);
  });

  it("has the run wait for the user where no channel is live, and go on with the reply", async () => {
    const make = (): Agent =>
      steerable([]).copy({
        endpoint: new MockLLMEndpoint(({ messages }) => (messages.length === 1 ? refused : stopped)),
      });
    const result = await make().invoke();
    if (result.status !== "suspended") throw new Error(result.status);
    expect(result).toMatchObject({ toolName: "prompt_user", request: { type: "user-question" } });
    expect(result.snapshot.pending).toMatchObject({ isRecovery: true });
    const resumed = await make().resume(throughJson(result.snapshot), "Again.");
    const { io } = user("Again.");
    expect(said(resumed.messages)).toEqual(said((await make().complete(undefined, { io })).messages));
  });

  it("asks with the agent's own tool where it has one, without events of that tool", async () => {
    const Asked = value("asked", { value: z.string() });
    const questions: string[] = [];
    const askBoss = tool({
      name: "ask_boss",
      description: "",
      input: Asked,
      output: [Str, Stop],
      run: ({ value: question }) => {
        questions.push(question);
        return Stop({ value: "A Stop from here does not end the run." });
      },
    });
    const events: RunEvent[] = [];
    const agent = steerable([refused, stopped], { promptUserTool: askBoss });
    const { output } = await agent.complete(undefined, { sinks: [(event) => events.push(event)] });
    expect(questions).toHaveLength(1);
    expect(output.value).toBe("done");
    expect(events.some((event) => event.type === "runtime" && event.data["tool"] === "ask_boss")).toBe(false);
  });

  it("fails the run with what the asking tool throws", async () => {
    const broken = new Error("nobody there");
    const askBoss = looseTool({
      name: "ask_boss",
      input: Str,
      output: Str,
      run: () => {
        throw broken;
      },
    });
    await expect(steerable([refused], { promptUserTool: askBoss }).complete()).rejects.toBe(broken);
  });

  it("fails the run when the asking tool's request is not what it declares", async () => {
    const askBoss = tool({
      name: "ask_boss",
      description: "",
      input: Str,
      output: [Str, Suspend],
      suspends: { request: z.object({ question: z.string() }), reply: Str },
      run: () => Suspend({ request: {} }),
    });
    await expect(steerable([refused], { promptUserTool: askBoss }).complete()).rejects.toMatchObject({
      code: "core/tool-output",
    });
  });

  it("begins a new cycle of defaults, with nothing handed on", async () => {
    const inputs: unknown[] = [];
    const first = tool({
      name: "first",
      description: "",
      input: Empty,
      output: Str,
      run: () => Str({ value: "1" }),
    });
    const second = looseTool({
      name: "second",
      input: Empty,
      output: Str,
      run: (given: unknown) => {
        inputs.push(given);
        return Str({ value: "2" });
      },
    });
    const { io } = user("Again.");
    const agent = steerable([refused, stopped], { defaultTools: [first, second] });
    const { messages } = await agent.complete(undefined, { io });
    expect(callers(messages)).toEqual(["first", "second", "prompt_user", "first", "second", "stop"]);
  });

  it("is asked about no more often than the run has steps", async () => {
    const io = apiUserIo({
      requestInput: () => Promise.resolve(Str({ value: "Again." })),
      notify: () => undefined,
    });
    const agent = steerable([]).copy({ endpoint: new MockLLMEndpoint(() => refused), limits: { steps: 4 } });
    const error = await failureOf(agent.complete(undefined, { io }));
    expect(error).toMatchObject({ code: "core/limit-reached", limit: "steps" });
    expect(callers(failedRunOf(error)?.messages ?? [])).toHaveLength(4);
  });

  it("drops the calls of the model's reply that had not run", async () => {
    const fails = looseTool({
      name: "fails",
      input: Empty,
      output: Str,
      run: () => {
        throw new LLMAuthError({ message: "no" });
      },
    });
    const endpoint = new MockLLMEndpoint([[call("fails"), call("fails")], stopped], { protocol: "tools" });
    const { io, questions } = user("Stop.");
    const { messages } = await steerable([], { endpoint, tools: [fails, stop] }).complete(undefined, { io });
    expect(questions).toHaveLength(1);
    expect(callers(messages)).toEqual(["prompt_user", "stop"]);
  });
});

describe("an interruption", () => {
  it("core 58: puts the notice before the user's reply, and the model is asked anew", async () => {
    const asked = deferred();
    const { io, questions } = user("Shorter, please.");
    const agent = steerable([
      () => {
        asked.resolve();
        return never();
      },
      stopped,
    ]);
    const run = agent.start(undefined, { io });
    const finished = run.finish();
    await asked.promise;
    run.interrupt();
    const { messages, status } = await finished;
    expect(status).toBe("completed");
    expect(questions).toHaveLength(1);
    expect(messages[1]).toMatchObject({ role: "user", messageKind: "interrupted_generation" });
    expect(messages[1]?.content).not.toContain("caller");
    expect(said(messages)[2]).toBe('user: {"caller":"prompt_user","value":"Shorter, please."}');
    expect(callers(messages)).toEqual(["prompt_user", "stop"]);
  });

  it("while a tool runs lets it finish, and interrupts the next model call", async () => {
    const { io, questions } = user("Go on.");
    const agent = steerable([stopped], {
      defaultTools: [
        looseTool({
          name: "first",
          input: Empty,
          output: Str,
          run: (_input: unknown, { messages }: ToolContext) => {
            if (messages.length === 1) run.interrupt();
            return Str({ value: "1" });
          },
        }),
      ],
    });
    const run = agent.start(undefined, { io });
    const { messages } = await run.finish();
    expect(questions).toHaveLength(1);
    expect(callers(messages)).toEqual(["first", "prompt_user", "first", "stop"]);
  });

  it("of a tool's own call has the user asked", async () => {
    let calls = 0;
    const search = looseTool({
      name: "search",
      input: Empty,
      output: Str,
      run: () => {
        calls += 1;
        if (calls === 1) throw new ExternalCallInterruptedError({ operation: "A search" });
        return Str({ value: "found" });
      },
    });
    const { io } = user("Again.");
    const agent = steerable([call("search"), call("search"), stopped], { tools: [search, stop] });
    expect(callers((await agent.complete(undefined, { io })).messages)).toEqual([
      "prompt_user",
      "search",
      "stop",
    ]);
  });

  it("core 59, an interruption without a user: leaves an autonomous run", async () => {
    const run = steerable([stopped], { mode: "autonomous" }).start();
    run.interrupt();
    await expect(run.finish()).rejects.toMatchObject({ code: "core/llm-call-interrupted" });
  });

  it("does not give the notice the identity of the reply that was cut off", async () => {
    const { io } = user("Go on.");
    const messages: RunEvent[] = [];
    const deltas: RunEvent[] = [];
    const agent = steerable(["no JSON, but a text of some length", stopped]);
    const run = agent.start(undefined, { io });
    run.addSink((event) => {
      if (event.type === "message-delta" && deltas.push(event) === 1) run.interrupt();
      if (event.type === "message") messages.push(event);
    });
    await run.finish();
    const cutOff = deltas[0]?.type === "message-delta" ? deltas[0].messageId : "";
    expect(cutOff).not.toBe("");
    expect(messages.filter((event) => event.type === "message" && event.messageId === cutOff)).toEqual([]);
  });
});
