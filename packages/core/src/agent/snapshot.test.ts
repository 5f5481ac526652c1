import { describe, expect, it } from "vitest";

import {
  Agent,
  Empty,
  failedRunOf,
  Int,
  MockLLMEndpoint,
  stop,
  Stop,
  Str,
  tool,
  type CancelledRun,
  type RunResult,
  type RunSnapshot,
} from "../index.ts";
import { call, callers, failureOf, never, said, throughJson } from "./__fixtures__/runs.ts";

/** Counts down from a start that a default gives, in a cycle of three defaults; the middle one can be held up. */
function cycle(gate: { isOpen: boolean }) {
  const ran: string[] = [];
  const step = (name: string) =>
    tool({
      name,
      description: "",
      input: Empty,
      output: Str,
      run: () => {
        ran.push(name);
        return Str({ value: name });
      },
    });
  const held = tool({
    name: "held",
    description: "",
    input: Empty,
    output: Str,
    run: async () => {
      ran.push("held");
      if (!gate.isOpen) await never();
      return Str({ value: "held" });
    },
  });
  const last = tool({
    name: "last",
    description: "",
    input: Empty,
    output: [Str, Stop],
    run: (_input, { messages }) => (messages.length < 8 ? Str({ value: "last" }) : Stop({ value: "done" })),
  });
  const agent = new Agent({
    name: "cycle",
    mode: "deterministic",
    defaultTools: [step("first"), held, last],
  });
  return { agent, ran };
}

function cancelled(result: RunResult<Stop>): CancelledRun {
  if (result.status !== "cancelled") throw new Error(`the run is ${result.status}`);
  return result;
}

describe("a cancelled run's snapshot", () => {
  it("has the default that was under way run again, and no other", async () => {
    const gate = { isOpen: false };
    const { agent, ran } = cycle(gate);
    const run = agent.start();
    await run.step();
    const stepping = run.step();
    run.cancel();
    const { snapshot } = cancelled((await stepping) ?? (await run.finish()));
    expect(ran).toEqual(["first", "held"]);
    gate.isOpen = true;
    const resumed = await agent.resume(throughJson(snapshot));
    const undisturbed = await cycle(gate).agent.invoke();
    expect(said(resumed.messages)).toEqual(said(undisturbed.messages));
    expect(resumed.report).toMatchObject({ steps: undisturbed.report.steps });
  });

  it("asks the model again when its call was under way, not the defaults before it", async () => {
    let answers = 0;
    const endpoint = new MockLLMEndpoint(() => {
      answers += 1;
      return answers === 1 ? never() : call("stop", { value: "done" });
    });
    const before = tool({
      name: "before",
      description: "",
      input: Empty,
      output: Str,
      run: () => Str({ value: "b" }),
    });
    const agent = new Agent({
      name: "asking",
      mode: "autonomous",
      systemPrompt: "Go.",
      endpoint,
      tools: [stop],
      defaultTools: [before],
    });
    const run = agent.start();
    await run.step();
    const asking = run.step();
    run.cancel();
    const { snapshot } = cancelled((await asking) ?? (await run.finish()));
    const { messages, report } = await agent.resume(throughJson(snapshot));
    expect(callers(messages)).toEqual(["before", "stop"]);
    expect(report.llmCalls).toBe(1);
  });

  it("keeps the calls of one reply that have not run, and the one under way once", async () => {
    const gate = { isOpen: false };
    const note = tool({
      name: "note",
      description: "",
      input: Int,
      output: Int,
      run: async (given) => {
        if (given.value === 2 && !gate.isOpen) await never();
        return given;
      },
    });
    const agent = new Agent({
      name: "notes",
      mode: "autonomous",
      systemPrompt: "Note.",
      endpoint: new MockLLMEndpoint(({ messages }) =>
        messages.length === 1 ? call("note", { value: 1 }) : call("stop", { value: "" }),
      ),
      tools: [note, stop],
    });
    const first = agent.start();
    await first.step();
    const asked = throughJson(first.snapshot());
    // A provider's reply may hold several calls; this is how the rest of them stands in a snapshot.
    const calls = [2, 3].map((value) => ({ kind: "invoke", fields: call("note", { value }) }));
    const several: RunSnapshot = throughJson({ ...asked, position: { ...asked.position, calls } });
    const run = agent.restore(several);
    await run.step();
    const stepping = run.step();
    expect(run.messages).toHaveLength(4);
    run.cancel();
    const { snapshot } = cancelled((await stepping) ?? (await run.finish()));
    gate.isOpen = true;
    const resumed = await agent.resume(throughJson(snapshot));
    const undisturbed = await agent.resume(several);
    expect(said(resumed.messages)).toEqual(said(undisturbed.messages));
    expect(callers(resumed.messages)).toEqual(["note", "note", "note", "stop"]);
  });
});

describe("a failed run's snapshot", () => {
  it.each([1, 2, 3, 4, 5])("goes on from the limit of %i steps as if there had been none", async (steps) => {
    const { agent } = cycle({ isOpen: true });
    const error = await failureOf(agent.invoke(undefined, { limits: { steps } }));
    const snapshot = snapshotOf(error);
    expect(snapshot.counts.steps).toBe(steps);
    const resumed = await agent.resume(throughJson(snapshot), undefined, { limits: { steps: null } });
    const undisturbed = await cycle({ isOpen: true }).agent.invoke();
    expect(said(resumed.messages)).toEqual(said(undisturbed.messages));
    expect({ ...resumed.report, runId: "", toolMs: {} }).toEqual({
      ...undisturbed.report,
      runId: "",
      toolMs: {},
    });
  });

  it("runs the tool again that failed it", async () => {
    const state = { isBroken: true };
    const fragile = tool({
      name: "fragile",
      description: "",
      input: Empty,
      output: Stop,
      run: () => {
        if (state.isBroken) throw new Error("broken");
        return Stop({ value: "mended" });
      },
    });
    const agent = new Agent({ name: "once", mode: "deterministic", defaultTools: [fragile] });
    const snapshot = snapshotOf(await failureOf(agent.invoke()));
    await expect(agent.resume(snapshot)).rejects.toThrow("broken");
    state.isBroken = false;
    expect(await agent.resume(snapshot)).toMatchObject({ status: "completed", output: { value: "mended" } });
  });

  it("has a step whose message made a strict sink fail, once", async () => {
    const first = tool({
      name: "first",
      description: "",
      input: Empty,
      output: Str,
      run: () => Str({ value: "1" }),
    });
    const end = tool({
      name: "end",
      description: "",
      input: Str,
      output: Stop,
      chainedTo: first,
      run: ({ value }) => Stop({ value }),
    });
    const agent = new Agent({
      name: "strict",
      mode: "deterministic",
      defaultTools: [first],
      tools: [end],
      strictSinks: true,
    });
    const sink = (event: { readonly type: string }): void => {
      if (event.type === "message") throw new Error("disk full");
    };
    const snapshot = snapshotOf(await failureOf(agent.invoke(undefined, { sinks: [sink] })));
    const { messages } = await agent.resume(throughJson(snapshot));
    expect(callers(messages)).toEqual(["first", "end"]);
  });
});

describe("a snapshot taken while a step is under way", () => {
  it("is the state before that step", async () => {
    const gate = { isOpen: false };
    const { agent } = cycle(gate);
    const run = agent.start();
    await run.step();
    const before = throughJson(run.snapshot());
    const stepping = run.step();
    // Time alone goes on during a step.
    const during = throughJson(run.snapshot());
    expect(during).toEqual({
      ...before,
      counts: { ...before.counts, wallMs: during.counts.wallMs },
    });
    run.cancel();
    await stepping;
    const after = throughJson(run.snapshot());
    const { toolMs, wallMs } = after.counts;
    expect(after).toEqual({ ...before, counts: { ...before.counts, toolMs, wallMs } });
  });

  it("by a sink that hears of a message, has the step that made it", async () => {
    const gate = { isOpen: true };
    const { agent } = cycle(gate);
    const run = agent.start();
    const taken: RunSnapshot[] = [];
    run.addSink((event) => {
      if (event.type === "message") taken.push(throughJson(run.snapshot()));
    });
    const { messages } = await run.finish();
    expect(taken).toHaveLength(messages.length);
    for (const snapshot of taken) {
      const resumed = await agent.resume(snapshot);
      expect(said(resumed.messages)).toEqual(said(messages));
    }
  });
});

describe("a snapshot of a run that has ended", () => {
  it("gives the same result again, without another step", async () => {
    const { agent, ran } = cycle({ isOpen: true });
    const run = agent.start();
    const ended = await run.finish();
    const count = ran.length;
    const again = await agent.resume(throughJson(run.snapshot()));
    expect(again).toEqual(ended);
    expect(ran).toHaveLength(count);
  });
});

function snapshotOf(error: unknown): RunSnapshot {
  const run = failedRunOf(error);
  if (run === undefined) throw new Error("no run failed");
  return run.snapshot;
}
