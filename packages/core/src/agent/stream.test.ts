import { describe, expect, it } from "vitest";

import { Agent, Empty, MockLLMEndpoint, stop, Stop, Str, tool, type RunEvent } from "../index.ts";
import { call, deferred, failureOf, looseTool, never } from "./__fixtures__/runs.ts";

const step = looseTool({ name: "step", input: Empty, output: Str, run: () => Str({ value: "" }) });
const endless = new Agent({ name: "endless", mode: "deterministic", defaultTools: [step] });

function stopping(): Agent {
  return new Agent({
    name: "stopping",
    mode: "autonomous",
    systemPrompt: "Go.",
    endpoint: new MockLLMEndpoint([call("stop", { value: "A value of more than twenty-four characters." })]),
    tools: [stop],
  });
}

describe("a stream of a run's events", () => {
  it("has every event in order, deltas too, and ends with the result", async () => {
    const heard: RunEvent[] = [];
    const stream = stopping().stream("Go.", { sinks: [(event) => heard.push(event)] });
    const streamed: RunEvent[] = [];
    let next = await stream.next();
    while (next.done !== true) {
      streamed.push(next.value);
      next = await stream.next();
    }
    expect(next.value).toMatchObject({ status: "completed", report: { llmCalls: 1 } });
    expect(streamed).toEqual(heard);
    expect(streamed.map(({ sequence }) => sequence)).toEqual(streamed.map((_event, index) => index + 1));
    expect(streamed.some(({ type }) => type === "message-delta")).toBe(true);
    expect(streamed.at(-1)).toMatchObject({ type: "run-lifecycle", kind: "stopped", status: "completed" });
  });

  it("does not begin before it is read", async () => {
    let calls = 0;
    const counting = looseTool({
      name: "counting",
      input: Empty,
      output: Stop,
      run: () => {
        calls += 1;
        return Stop();
      },
    });
    const agent = new Agent({ name: "lazy", mode: "deterministic", defaultTools: [counting] });
    const stream = agent.stream();
    await Promise.resolve();
    expect(calls).toBe(0);
    for await (const event of stream) expect(event.agentName).toBe("lazy");
    expect(calls).toBe(1);
  });

  it("cancels the run when the loop is left, and lets nothing happen after it", async () => {
    let ran = 0;
    const counting = looseTool({
      name: "counting",
      input: Empty,
      output: Str,
      run: () => {
        ran += 1;
        return Str({ value: "" });
      },
    });
    const agent = new Agent({ name: "left", mode: "deterministic", defaultTools: [counting] });
    const statuses: unknown[] = [];
    const stream = agent.stream(undefined, {
      sinks: [(event) => event.type === "run-lifecycle" && statuses.push(event.status)],
    });
    for await (const event of stream) if (event.type === "message") break;
    const after = ran;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(ran).toBe(after);
    expect(statuses).toEqual([undefined, "cancelled"]);
  });

  it("cancels a run whose tool ignores its signal when the loop is left", async () => {
    const stuck = looseTool({ name: "stuck", input: Empty, output: Str, run: () => never() });
    const agent = new Agent({ name: "stuck", mode: "deterministic", defaultTools: [stuck] });
    for await (const event of agent.stream()) if (event.type === "runtime") break;
    expect.assertions(0);
  });

  it("cancels the run when the loop's body throws", async () => {
    const statuses: unknown[] = [];
    const reading = async (): Promise<void> => {
      const stream = endless.stream(undefined, {
        sinks: [(event) => event.type === "run-lifecycle" && statuses.push(event.status)],
      });
      for await (const event of stream) if (event.type === "message") throw new Error("cannot show this");
    };
    await expect(reading()).rejects.toThrow("cannot show this");
    expect(statuses).toEqual([undefined, "cancelled"]);
  });

  it("ends with a cancelled result when the run's signal fires", async () => {
    const controller = new AbortController();
    const stream = endless.stream(undefined, { signal: controller.signal });
    let next = await stream.next();
    controller.abort("enough");
    while (next.done !== true) next = await stream.next();
    expect(next.value).toMatchObject({ status: "cancelled", reason: "enough" });
  });

  it("throws what failed the run, after its last event", async () => {
    const broken = new Error("broken");
    const fails = looseTool({
      name: "fails",
      input: Empty,
      output: Str,
      run: () => {
        throw broken;
      },
    });
    const agent = new Agent({ name: "failing", mode: "deterministic", defaultTools: [fails] });
    const events: RunEvent[] = [];
    const reading = async (): Promise<void> => {
      for await (const event of agent.stream()) events.push(event);
    };
    expect(await failureOf(reading())).toBe(broken);
    expect(events.at(-1)).toMatchObject({ kind: "stopped", status: "failed" });
  });

  it("ends with a suspended result", async () => {
    const agent = stopping().copy({
      mode: "steerable",
      endpoint: new MockLLMEndpoint([call("prompt_user", { value: "Who?" })]),
    });
    const stream = agent.stream();
    let next = await stream.next();
    while (next.done !== true) next = await stream.next();
    expect(next.value).toMatchObject({ status: "suspended", toolName: "prompt_user" });
  });

  it("gives events as they happen, not when the run is over", async () => {
    const gate = deferred<Str>();
    const waits = tool({
      name: "waits",
      description: "",
      input: Empty,
      output: Str,
      run: () => gate.promise,
    });
    const end = tool({
      name: "end",
      description: "",
      input: Str,
      output: Stop,
      chainedTo: waits,
      run: () => Stop(),
    });
    const agent = new Agent({ name: "waiting", mode: "deterministic", defaultTools: [waits], tools: [end] });
    const types: string[] = [];
    for await (const event of agent.stream()) {
      types.push(event.type);
      if (event.type === "runtime" && event.data["tool"] === "waits") gate.resolve(Str({ value: "" }));
    }
    expect(types[0]).toBe("run-lifecycle");
    expect(types.filter((type) => type === "message")).toHaveLength(2);
  });
});
