import { describe, expect, it, vi } from "vitest";

import {
  Agent,
  Empty,
  failedRunOf,
  MockLLMEndpoint,
  stop,
  Stop,
  Str,
  tool,
  type AgentSettings,
  type RunEvent,
  type ToolContext,
} from "../index.ts";
import { call, failureOf, looseTool, never, said } from "./__fixtures__/runs.ts";

/** A tool that fails in this way as often as it is told to. */
function failing(failure: () => unknown, times = Infinity, more: object = {}) {
  let calls = 0;
  return looseTool({
    name: "fragile",
    input: Empty,
    output: Str,
    run: () => {
      calls += 1;
      if (calls <= times) return failure();
      return Str({ value: `call ${calls}` });
    },
    ...more,
  });
}

const throwing = (error: unknown) => (): never => {
  throw error;
};

function modelDriven(
  fragile: ReturnType<typeof failing>,
  script: readonly object[],
  settings: Partial<AgentSettings> = {},
) {
  const endpoint = new MockLLMEndpoint(script);
  const agent = new Agent({
    name: "failures",
    mode: "autonomous",
    systemPrompt: "Go.",
    automaticToolPrompt: false,
    endpoint,
    tools: [fragile, stop],
    ...settings,
  });
  return { agent, endpoint };
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

const stopped = call("stop", { value: "" });

describe("a tool's failure (AL-10)", () => {
  it.each([
    {
      why: "design row 3: an exception is shown to the model (instead of core 61)",
      failure: throwing(new RangeError("too far")),
      text: "RangeError: too far",
    },
    {
      why: "design row 3: a rejection is",
      failure: () => Promise.reject(new Error("late")),
      text: "Error: late",
    },
    { why: "design row 3: a thrown text is", failure: throwing("out of order"), text: "out of order" },
    {
      why: "design row 3: something else that is thrown is, without its content",
      failure: throwing(Object.create(null)),
      text: "something that is no error was thrown",
    },
    {
      why: "an error that fails again when it is looked at is shown as something",
      failure: throwing(
        Object.defineProperty(new Error("x"), "message", {
          get: () => {
            throw new Error("trap");
          },
        }),
      ),
      text: "something that is no error was thrown",
    },
  ])("$why", async ({ failure, text }) => {
    const { agent, endpoint } = modelDriven(failing(failure), [call("fragile"), stopped]);
    const { messages, report } = await agent.complete();
    expect(messages[2]).toMatchObject({
      role: "error",
      content: JSON.stringify({ caller: "fragile", error: text }),
      truncation: [
        { threshold: 0, severity: "light" },
        { threshold: 5, severity: "remove" },
      ],
    });
    expect(endpoint.requests[1]?.messages).toHaveLength(3);
    expect(report).toMatchObject({ steps: 2, llmCalls: 2 });
  });

  it.each([
    { as: "an error", failure: (text: string) => new Error(text) },
    { as: "a thrown text", failure: (text: string) => text },
  ])("shows no secret to the model, as $as", async ({ failure }) => {
    vi.stubEnv("WEATHER_API_KEY", "k-2718281828");
    const text = "403 of https://bob:pw-31415@example.com/?k=k-2718281828, Authorization: Bearer t-16180339";
    const { agent } = modelDriven(failing(throwing(failure(text))), [call("fragile"), stopped]);
    const { messages } = await agent.complete();
    expect(messages[2]?.content).toMatch(/403 of .*example\.com/);
    expect(messages[2]?.content).not.toMatch(/pw-31415|k-2718281828|t-16180339/);
    vi.unstubAllEnvs();
  });

  it("ends its chain, so that the model has its turn", async () => {
    const fragile = failing(throwing(new Error("no")));
    const child = looseTool({
      name: "child",
      input: Str,
      output: Stop,
      chainedTo: fragile,
      run: () => Stop(),
    });
    const { agent } = modelDriven(fragile, [call("fragile"), stopped], { tools: [fragile, child, stop] });
    const { messages } = await agent.complete();
    expect(said(messages).at(-1)).toBe('user: {"caller":"stop","value":""}');
  });

  it.each([1, 2, 3])("ends the run at the %i. in a row, with the tool's own error", async (toolFailures) => {
    const errors = [1, 2, 3].map((count) => new Error(`failure ${count}`));
    let count = 0;
    const fragile = failing(() => {
      throw errors[count++] ?? new Error("too many");
    });
    const script = Array.from({ length: toolFailures }, () => call("fragile"));
    const { agent, endpoint } = modelDriven(fragile, script, { limits: { toolFailures, repeats: null } });
    const error = await failureOf(agent.complete());
    expect(error).toBe(errors[toolFailures - 1]);
    expect(failedRunOf(error)?.messages.filter(({ role }) => role === "error")).toHaveLength(
      toolFailures - 1,
    );
    endpoint.assertUsedUp();
  });

  it("ends the run at the third in a row by default", async () => {
    const { agent } = modelDriven(
      failing(throwing(new Error("no"))),
      Array.from({ length: 3 }, () => call("fragile")),
    );
    const error = await failureOf(agent.complete());
    expect(failedRunOf(error)?.report).toMatchObject({ llmCalls: 3, steps: 2 });
  });

  it("is counted anew after a tool that succeeds", async () => {
    const fragile = failing(throwing(new Error("no")));
    const fine = tool({
      name: "fine",
      description: "",
      input: Empty,
      output: Str,
      run: () => Str({ value: "" }),
    });
    const rounds = Array.from({ length: 5 }, () => [call("fragile"), call("fragile"), call("fine")]).flat();
    const { agent } = modelDriven(fragile, [...rounds, stopped], { tools: [fragile, fine, stop] });
    expect((await agent.complete()).status).toBe("completed");
  });

  it("does not end the run when `toolFailures` is null", async () => {
    const script = Array.from({ length: 12 }, () => call("fragile"));
    const { agent } = modelDriven(failing(throwing(new Error("no"))), [...script, stopped], {
      limits: { toolFailures: null, repeats: null },
    });
    expect((await agent.complete()).report.steps).toBe(13);
  });

  it.each([
    { why: "toolErrors is throw, as core 61", settings: { toolErrors: "throw" as const } },
    {
      why: "the agent is deterministic",
      settings: { mode: "deterministic" as const, endpoint: undefined },
    },
  ])("ends the run at once when $why", async ({ settings }) => {
    const error = new Error("no");
    const fragile = failing(throwing(error));
    const { agent } = modelDriven(fragile, [call("fragile")], { ...settings, defaultTools: [fragile] });
    const failure = await failureOf(agent.complete());
    expect(failure).toBe(error);
    expect(failedRunOf(failure)?.report.steps).toBe(0);
  });

  it("of a value that its output does not declare ends the run, since no model can mend it", async () => {
    const { agent } = modelDriven(
      failing(() => Empty()),
      [call("fragile")],
    );
    await expect(agent.complete()).rejects.toMatchObject({ code: "core/tool-output", toolName: "fragile" });
  });

  it("with something that is no error fails the run with an error that has it as its cause", async () => {
    const { agent } = modelDriven(failing(throwing({ secret: 1 })), [call("fragile")], {
      toolErrors: "throw",
    });
    const error = await failureOf(agent.complete());
    expect(error).toMatchObject({ code: "core/run-failed", cause: { secret: 1 } });
    expect(failedRunOf(error)?.messages).toHaveLength(2);
  });

  it("with an error that cannot carry the run's state is the cause of one that can", async () => {
    const frozen = Object.freeze(new Error("frozen"));
    const { agent } = modelDriven(failing(throwing(frozen)), [call("fragile")], { toolErrors: "throw" });
    const error = await failureOf(agent.complete());
    expect(error).toMatchObject({ code: "core/run-failed", cause: frozen });
    expect(failedRunOf(error)).toBeDefined();
  });

  it("with an error that other runs share leaves each run its own state", async () => {
    const shared = new Error("shared");
    const only = new Agent({
      name: "only",
      mode: "deterministic",
      defaultTools: [failing(throwing(shared))],
    });
    const errors = await Promise.all(
      ["a", "b", "c"].map((text) => failureOf(only.invoke(text, { runId: text }))),
    );
    expect(errors.map((error) => failedRunOf(error)?.report.runId)).toEqual(["a", "b", "c"]);
    expect(errors).toMatchObject([{ message: "shared" }, { cause: shared }, { cause: shared }]);
  });

  it("with an error that has a field `run` of its own leaves that field alone", async () => {
    const error = Object.assign(new Error("mine"), { run: "mine" });
    const { agent } = modelDriven(failing(throwing(error)), [call("fragile")], { toolErrors: "throw" });
    const failure = await failureOf(agent.complete());
    expect(error.run).toBe("mine");
    expect(failedRunOf(error)).toBeUndefined();
    expect(failedRunOf(failure)?.messages).toHaveLength(2);
  });
});

describe("failedRunOf", () => {
  it.each([
    { why: "an error that ended no run", error: new Error("x") },
    { why: "no error", error: { run: { messages: [], report: {}, snapshot: {} } } },
    { why: "an error with a `run` of another kind", error: Object.assign(new Error("x"), { run: null }) },
  ])("gives nothing for $why", ({ error }) => {
    expect(failedRunOf(error)).toBeUndefined();
  });
});

describe("a tool with retries", () => {
  it("is called again before the model hears of it, and reports each time", async () => {
    const events: RunEvent[] = [];
    const fragile = failing(throwing(new TypeError("secret")), 2, { retries: 2 });
    const { agent } = modelDriven(fragile, [call("fragile"), stopped]);
    const { messages, report } = await agent.complete(undefined, { sinks: [(event) => events.push(event)] });
    expect(said(messages)[2]).toBe('user: {"caller":"fragile","value":"call 3"}');
    const retries = events.flatMap((event) =>
      event.type === "runtime" && event.kind === "retrying" ? [event] : [],
    );
    expect(retries).toMatchObject([
      {
        category: "tool",
        level: "warning",
        data: { tool: "fragile", attempt: 2, max_attempts: 3, error_type: "TypeError" },
      },
      { data: { attempt: 3 } },
    ]);
    expect(JSON.stringify(retries)).not.toContain("secret");
    expect(report.steps).toBe(2);
  });

  it("is shown to the model with its last failure when no attempt succeeded", async () => {
    let attempt = 0;
    const fragile = failing(
      () => {
        attempt += 1;
        throw new Error(`attempt ${attempt}`);
      },
      Infinity,
      { retries: 3 },
    );
    const { agent } = modelDriven(fragile, [call("fragile"), stopped]);
    const { messages } = await agent.complete();
    expect(messages[2]?.content).toContain("attempt 4");
  });

  it("is called again also for a failure with nothing", async () => {
    const { agent } = modelDriven(failing(throwing(undefined), 1, { retries: 1 }), [
      call("fragile"),
      stopped,
    ]);
    expect(said((await agent.complete()).messages)[2]).toContain("call 2");
  });

  it("is not called again when it gave up the run", async () => {
    const controller = new AbortController();
    let calls = 0;
    const fragile = failing(
      () => {
        calls += 1;
        controller.abort();
        throw new Error("given up");
      },
      Infinity,
      { retries: 5 },
    );
    const { agent } = modelDriven(fragile, [call("fragile")]);
    expect(await agent.invoke(undefined, { signal: controller.signal })).toMatchObject({
      status: "cancelled",
    });
    expect(calls).toBe(1);
  });
});

describe("a tool with a time limit", () => {
  const slow = (more: object) =>
    looseTool({
      name: "fragile",
      input: Empty,
      output: Str,
      timeoutMs: 1,
      run: (_input: unknown, { signal }: ToolContext) => never().finally(() => signal),
      ...more,
    });

  it("fails with a timeout when it does not keep it, whether it listens or not", async () => {
    const { agent } = modelDriven(slow({}), [call("fragile"), stopped]);
    const { messages } = await agent.complete();
    expect(messages[2]?.content).toContain("ToolTimeoutError: `fragile` did not finish within 1 ms");
  });

  it("has its signal fire then, with the timeout as the reason, and what it throws of it is the timeout", async () => {
    const reasons: unknown[] = [];
    const run = async (_input: unknown, { signal }: ToolContext): Promise<never> => {
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      reasons.push(signal.reason);
      throw new Error("aborted");
    };
    const { agent } = modelDriven(slow({ run }), [call("fragile")], { toolErrors: "throw" });
    await expect(agent.complete()).rejects.toMatchObject({ code: "core/tool-timeout", timeoutMs: 1 });
    expect(reasons).toMatchObject([{ code: "core/tool-timeout" }]);
  });

  it("is called again after it, and what the late attempt does to history does not count", async () => {
    const contexts: ToolContext[] = [];
    const run = async (_input: unknown, context: ToolContext): Promise<Str> => {
      contexts.push(context);
      if (contexts.length === 1) await never();
      expect(() => {
        contexts[0]?.replaceMessages({ from: 0, to: 1 }, []);
      }).toThrow("after the step");
      return Str({ value: "second" });
    };
    const { agent } = modelDriven(slow({ run, retries: 1 }), [call("fragile"), stopped]);
    expect(said((await agent.complete()).messages).slice(0, 3)).toEqual([
      "system: Go.",
      'assistant: {"action":"fragile","rationale":"Because."}',
      'user: {"caller":"fragile","value":"second"}',
    ]);
  });

  it.each([Infinity, 2 ** 31])("of %d ms sets no timer, which would fire at once", async (timeoutMs) => {
    const before = timers();
    const run = (): Promise<Str> => Promise.resolve(Str({ value: `${timers() - before} timers` }));
    const { agent } = modelDriven(slow({ run, timeoutMs }), [call("fragile"), stopped]);
    expect(said((await agent.complete()).messages)[2]).toContain("0 timers");
  });

  it("that works at once keeps it", async () => {
    const { agent } = modelDriven(slow({ run: () => Str({ value: "at once" }) }), [call("fragile"), stopped]);
    expect(said((await agent.complete()).messages)[2]).toContain("at once");
  });

  it("lets go of its clock when the run is cancelled", async () => {
    const { agent } = modelDriven(slow({ timeoutMs: 1_000_000 }), [call("fragile")]);
    const before = timers();
    const run = agent.start();
    await run.step();
    const stepping = run.step();
    expect(timers()).toBe(before + 1);
    run.cancel();
    await stepping;
    expect(timers()).toBe(before);
  });
});
