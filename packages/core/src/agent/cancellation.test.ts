import { getEventListeners } from "node:events";

import { describe, expect, it } from "vitest";

import {
  Agent,
  apiUserIo,
  CancelledError,
  Empty,
  ExternalCallCancelledError,
  MockLLMEndpoint,
  stop,
  StopAgent,
  Str,
  type AgentSettings,
  type MockEntry,
  type RunEvent,
  type ToolContext,
} from "../index.ts";
import { call, callers, deferred, failureOf, looseTool, never } from "./__fixtures__/runs.ts";

type Body = (context: ToolContext) => unknown;

/** A step of a run whose tool has begun, and is waited for. */
async function underWay(agent: Agent) {
  const run = agent.start();
  const begun = deferred();
  run.addSink((event) => {
    if (event.type === "runtime" && event.kind === "started") begun.resolve();
  });
  const stepping = run.step();
  await begun.promise;
  return { run, stepping };
}

/** A deterministic agent that runs these bodies in turn, for ever. */
function cycle(...bodies: readonly Body[]): Agent {
  return new Agent({
    name: "cycle",
    mode: "deterministic",
    defaultTools: bodies.map((body, index) =>
      looseTool({
        name: `step_${index}`,
        input: Empty,
        output: Str,
        run: (_input: unknown, context: ToolContext) => body(context),
      }),
    ),
  });
}

function modelDriven(script: readonly MockEntry[], settings: Partial<AgentSettings> = {}): Agent {
  return new Agent({
    name: "asking",
    mode: "autonomous",
    systemPrompt: "Go.",
    endpoint: new MockLLMEndpoint(script),
    tools: [stop],
    ...settings,
  });
}

const nothing = (): Str => Str({ value: "" });

describe("a run that is cancelled", () => {
  it("before it starts takes no step, and says that it started and stopped", async () => {
    const reason = new Error("too late");
    const events: RunEvent[] = [];
    let steps = 0;
    const agent = cycle(() => {
      steps += 1;
      return nothing();
    });
    const result = await agent.invoke("Go.", {
      signal: AbortSignal.abort(reason),
      sinks: [(event) => events.push(event)],
    });
    expect(result).toMatchObject({ status: "cancelled", reason, report: { steps: 0 } });
    expect(steps).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(["run-lifecycle", "message", "run-lifecycle"]);
    expect(events.at(-1)).toMatchObject({ kind: "stopped", status: "cancelled" });
  });

  it("instead of core 57: before it starts stays cancelled, since a run has its own signals", async () => {
    const run = cycle(nothing).start();
    run.cancel("changed my mind");
    expect(await run.finish()).toMatchObject({ status: "cancelled", reason: "changed my mind" });
  });

  it("core 56: by a tool that then returns keeps its message, and runs no other tool", async () => {
    const controller = new AbortController();
    const agent = cycle(
      () => {
        controller.abort();
        return nothing();
      },
      () => {
        throw new Error("must not run");
      },
    );
    const result = await agent.invoke(undefined, { signal: controller.signal });
    expect(result.status).toBe("cancelled");
    expect(callers(result.messages)).toEqual(["step_0"]);
  });

  it("while a tool ignores its signal is over at once, and what the tool does later changes nothing", async () => {
    const late = deferred<Str>();
    const { run, stepping } = await underWay(cycle(() => late.promise));
    run.cancel();
    const result = await stepping;
    expect(result).toMatchObject({ status: "cancelled" });
    late.resolve(nothing());
    await late.promise;
    expect(run.messages).toEqual([]);
    expect(await run.step()).toBe(result);
  });

  it("while a tool ignores its signal does not hear of that tool's failure", async () => {
    const late = deferred<Str>();
    const { run, stepping } = await underWay(cycle(() => late.promise));
    run.cancel();
    expect(await stepping).toMatchObject({ status: "cancelled" });
    late.reject(new Error("nobody waits for this"));
    await failureOf(late.promise);
  });

  it("while a tool listens to its signal lets it, and is cancelled whatever the tool throws of it", async () => {
    const reasons: unknown[] = [];
    const agent = cycle(async ({ signal }) => {
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          resolve();
        });
      });
      throw new Error("aborted");
    });
    const { run, stepping } = await underWay(agent);
    run.cancel("enough");
    expect(await stepping).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(reasons).toEqual(["enough"]);
  });

  it("in the first moments of a tool that then waits for ever is over", async () => {
    const controller = new AbortController();
    const agent = cycle(() => {
      controller.abort();
      return never();
    });
    expect(await agent.invoke(undefined, { signal: controller.signal })).toMatchObject({
      status: "cancelled",
    });
  });

  it("while the model is asked is over at once", async () => {
    const asked = deferred();
    const agent = modelDriven([
      () => {
        asked.resolve();
        return never();
      },
    ]);
    const run = agent.start();
    const finished = run.finish();
    await asked.promise;
    run.cancel();
    expect(await finished).toMatchObject({ status: "cancelled", report: { llmCalls: 0 } });
  });

  it("while the model is asked is over at once, with a model that answers in the same moment", async () => {
    const controller = new AbortController();
    const agent = modelDriven([
      () => {
        controller.abort();
        return call("stop", { value: "" });
      },
    ]);
    expect(await agent.invoke(undefined, { signal: controller.signal })).toMatchObject({
      status: "cancelled",
    });
  });

  it("while the user is asked is over at once, and the channel hears of it", async () => {
    const asked = deferred<AbortSignal>();
    const io = apiUserIo({
      requestInput: (_question, { signal }) => {
        asked.resolve(signal);
        return never();
      },
      notify: () => undefined,
    });
    const agent = modelDriven([call("prompt_user", { value: "Well?" })], { mode: "steerable" });
    const run = agent.start(undefined, { io });
    const finished = run.finish();
    const signal = await asked.promise;
    run.cancel();
    expect(await finished).toMatchObject({ status: "cancelled" });
    expect(signal.aborted).toBe(true);
  });

  it("by a timer ends also when its tools never wait", async () => {
    const result = await cycle(nothing).invoke(undefined, {
      signal: AbortSignal.timeout(1),
      limits: { steps: null },
    });
    expect(result).toMatchObject({ status: "cancelled", reason: { name: "TimeoutError" } });
  });

  it.each([
    { why: "StopAgent", error: () => new StopAgent("enough") },
    {
      why: "a cancelled call of another service",
      error: () => new ExternalCallCancelledError({ operation: "A search" }),
    },
  ])("by a tool that throws $why is cancelled, not failed, with nothing added", async ({ error }) => {
    const thrown = error();
    const agent = cycle(nothing, () => {
      throw thrown;
    });
    const result = await agent.invoke();
    expect(result).toMatchObject({ status: "cancelled", reason: thrown });
    expect(callers(result.messages)).toEqual(["step_0"]);
  });

  it("takes the first of several reasons", async () => {
    const { run, stepping } = await underWay(cycle(() => never()));
    run.cancel("first");
    run.cancel("second");
    expect(await stepping).toMatchObject({ reason: "first" });
  });

  it("without a reason has an AbortError as its reason", async () => {
    const { run, stepping } = await underWay(cycle(() => never()));
    run.cancel();
    expect(await stepping).toMatchObject({ reason: { name: "AbortError" } });
  });

  it("rejects from complete, with the result on the error", async () => {
    const error = await failureOf(cycle(nothing).complete(undefined, { signal: AbortSignal.abort("no") }));
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ code: "core/cancelled", cause: "no", result: { status: "cancelled" } });
  });
});

describe("a run that has ended", () => {
  it("cannot be cancelled any more", async () => {
    const run = modelDriven([call("stop", { value: "done" })]).start();
    const result = await run.finish();
    run.cancel();
    run.interrupt();
    expect(await run.finish()).toBe(result);
    expect(result.status).toBe("completed");
  });

  it("no longer listens to its signal", async () => {
    const { signal } = new AbortController();
    const endpoint = modelDriven([call("stop", { value: "" })]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    const run = endpoint.start(undefined, { signal });
    await run.step();
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await run.finish();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("that never started has not listened", () => {
    const { signal } = new AbortController();
    cycle(nothing).start(undefined, { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("fails again with the same error", async () => {
    const broken = new Error("broken");
    const run = cycle(() => {
      throw broken;
    }).start();
    expect(await failureOf(run.finish())).toBe(broken);
    expect(await failureOf(run.finish())).toBe(broken);
    expect(await failureOf(run.step())).toBe(broken);
  });
});

describe("a run that is stepped", () => {
  it("refuses a step while another is under way, and goes on with that one", async () => {
    const gate = deferred<Str>();
    const run = cycle(() => gate.promise).start();
    const first = run.step();
    await expect(run.step()).rejects.toMatchObject({ code: "core/run-busy" });
    await expect(run.finish()).rejects.toMatchObject({ code: "core/run-busy" });
    gate.resolve(nothing());
    expect(await first).toBeUndefined();
    expect(callers(run.messages)).toEqual(["step_0"]);
  });

  it("refuses the step that one of its own tools asks for", async () => {
    const refusals: unknown[] = [];
    const run = cycle(async () => {
      refusals.push(await failureOf(run.step()));
      return nothing();
    }).start();
    await run.step();
    expect(refusals).toMatchObject([{ code: "core/run-busy" }]);
  });
});
