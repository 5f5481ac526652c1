import { expect, it } from "vitest";

import { Agent, Empty, stop, Str, tool, type RunEvent } from "../index.ts";

it("sends what a tool emits to the run's sinks, with the run's own stamp", async () => {
  const events: RunEvent[] = [];
  const script = tool({
    name: "script",
    description: "",
    input: Empty,
    output: Str,
    run: (_input, { emit, runId }) => {
      emit({ type: "script-output", content: "one\n" });
      emit({ type: "runtime", kind: "retrying", level: "info", message: "Again", data: { at: 1 } });
      emit({ type: "runtime", kind: "succeeded", level: "info", message: "Done" });
      return Str({ value: runId ?? "" });
    },
  });
  const agent = new Agent({
    name: "a",
    mode: "deterministic",
    defaultTools: [script],
    tools: [stop.copy().chain(script)],
    sinks: [(event) => events.push(event)],
  });
  const { output } = await agent.complete(undefined, { runId: "r" });
  expect(output.value).toBe("r");
  const sent = events.filter((event) => !("data" in event) || event.data["tool"] === undefined);
  expect(sent.map(({ sequence: _, ...event }) => event)).toMatchObject([
    { type: "run-lifecycle", kind: "started" },
    { type: "script-output", content: "one\n", runId: "r", agentName: "a" },
    { type: "runtime", category: "tool", kind: "retrying", data: { at: 1 }, runId: "r" },
    { type: "runtime", category: "tool", kind: "succeeded", data: {} },
    { type: "message" },
    { type: "message" },
    { type: "run-lifecycle", kind: "stopped" },
  ]);
});

it("tells a tool how many steps were finished before its own, and nothing outside of a run", async () => {
  const seen: unknown[] = [];
  const look = tool({
    name: "look",
    description: "",
    input: Empty,
    output: Str,
    run: (_input, { step }) => {
      seen.push(step);
      return Str({ value: "x" });
    },
  });
  const again = tool({
    name: "again",
    description: "",
    input: Str,
    output: Str,
    chainedTo: look,
    run: (input, { step }) => {
      seen.push(step);
      return input;
    },
  });
  const agent = new Agent({
    name: "a",
    mode: "deterministic",
    defaultTools: [look],
    tools: [again, stop.copy().chain(again)],
  });
  await agent.complete();
  await look.invoke({});
  expect(seen).toEqual([0, 1, undefined]);
});
