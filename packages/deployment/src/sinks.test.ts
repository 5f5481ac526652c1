import {
  Empty,
  memoryJournalStore,
  MockLLMEndpoint,
  Stop,
  tool,
  type EventSink,
  type RunEvent,
} from "@roboz/core";
import { describe, expect, it } from "vitest";

import { definitionOf, loosely, stopNamed, thrownBy } from "./__fixtures__/parts.ts";
import { Capability } from "./capability.ts";
import type { DeployableAgent, DeployableAgentSettings } from "./deployable-agent.ts";
import { ToolLabel } from "./label.ts";

/** Notes whose events it hears, and under what name it does. */
function ears() {
  const heard: string[] = [];
  const under =
    (name: string): EventSink =>
    (event: RunEvent) => {
      if (event.type === "run-lifecycle" && event.kind === "started")
        heard.push(`${name} hears ${event.agentName}`);
    };
  return { heard, under };
}

/** An agent that ends at once. */
function ending(name: string, settings: Partial<DeployableAgentSettings<never>> = {}): DeployableAgent {
  const end = new Capability({ label: ToolLabel("end", { default: true }), value: stopNamed("end") });
  return definitionOf(name, { mode: "deterministic", capabilities: [end], ...settings });
}

/** An agent whose model calls these agents one after the other. */
function calling(name: string, ...nestedAgents: readonly DeployableAgent[]): DeployableAgent {
  const calls = nestedAgents.map((child) => ({ action: child.name, value: "Go.", rationale: "Because." }));
  return definitionOf(name, {
    mode: "autonomous",
    nestedAgents,
    capabilities: [new Capability({ label: ToolLabel("done"), value: stopNamed("done") })],
    agentEndpoint: new MockLLMEndpoint([...calls, { action: "done", rationale: "Because." }]),
  });
}

describe("the sinks of a build", () => {
  it("deployment 50: are the factory's first, then the caller's", async () => {
    const { heard, under } = ears();
    const { root, pipes } = ending("a").build({
      eventSinks: [under("caller")],
      eventSinkFactory: (name) => [under(`factory of ${name}`), under("second")],
    });
    expect(pipes.get("a")?.sinks).toHaveLength(3);
    await root.complete();
    expect(heard).toEqual(["factory of a hears a", "second hears a", "caller hears a"]);
  });

  it("hear every foreground agent once, each factory's its own alone", async () => {
    const { heard, under } = ears();
    const agent = calling("a", calling("b", ending("c")), ending("d"));
    const { root } = agent.build({
      eventSinks: [under("caller")],
      eventSinkFactory: (name) => [under(name)],
    });
    await root.complete();
    expect(heard).toEqual([
      "a hears a",
      "caller hears a",
      "b hears b",
      "caller hears b",
      "c hears c",
      "caller hears c",
      "d hears d",
      "caller hears d",
    ]);
  });

  it("hear background agents whose runs are written where the build says", async () => {
    const journal = memoryJournalStore();
    const ids: string[] = [];
    const hear: EventSink = ({ type, runId, agentName }) => {
      if (type === "run-lifecycle" && agentName === "b" && !ids.includes(runId)) ids.push(runId);
    };
    const agent = ending("a", { backgroundAgents: [ending("b")] });
    const { backgroundAgents } = agent.build({ backgroundJournal: journal, eventSinkFactory: () => [hear] });
    await backgroundAgents[0]?.check();
    await backgroundAgents[0]?.ended();
    expect(await journal.read(ids[0] ?? "")).toBeDefined();
    for (const backgroundJournal of ["x", {}, null])
      expect(thrownBy(() => loosely(agent, "build", { backgroundJournal }))).toMatchObject({
        code: "deployment/setting-type",
        setting: "backgroundJournal",
      });
  });

  it("finish what they keep of a run also where its agent has nested agents", async () => {
    const settled: string[] = [];
    const facts = { dataPath: "data", isListening: () => true };
    const sink: EventSink = Object.assign(() => undefined, {
      ...facts,
      settle: (runId: string) => {
        settled.push(runId);
        return Promise.resolve();
      },
    });
    const { root } = calling("a", ending("b")).build({
      eventSinkFactory: (name) => (name === "a" ? [sink] : []),
    });
    await root.complete(undefined, { runId: "r" });
    expect(settled).toContain("r");
  });

  it("hear an agent that is no part of the graph with the agent that calls it", async () => {
    const { heard, under } = ears();
    const outside = ending("outside").build().root;
    const ask = tool({
      name: "ask",
      description: "Ask another agent.",
      input: Empty,
      output: Stop,
      run: async (_input, { signal }) => {
        await outside.complete(undefined, { signal, sinks: [under("run")] });
        return Stop({ value: "asked" });
      },
    });
    const agent = definitionOf("a", {
      mode: "deterministic",
      nestedAgents: [ending("nested")],
      capabilities: [new Capability({ label: ToolLabel("ask", { default: true }), value: ask })],
    });
    await agent.build({ eventSinks: [under("caller")] }).root.complete();
    expect(heard).toEqual(["caller hears a", "run hears outside"]);
  });

  it("deployment 49: of the caller hear no background agent, and nothing nested in one", async () => {
    const { heard, under } = ears();
    const asked: string[] = [];
    const watcher = calling("watcher", ending("helper"));
    const agent = ending("a", { backgroundAgents: [watcher] });
    const { root, backgroundAgents, pipes } = agent.build({
      eventSinks: [under("caller")],
      eventSinkFactory: (name) => {
        asked.push(name);
        return [under(`factory of ${name}`)];
      },
    });
    expect(asked).toEqual(["a", "watcher", "helper"]);
    expect(["watcher", "helper"].map((name) => pipes.get(name)?.sinks.length)).toEqual([1, 1]);
    for (const background of backgroundAgents) await background.check();
    await root.complete();
    while (backgroundAgents.some(({ isRunning }) => isRunning)) await new Promise(setImmediate);
    expect(heard.sort()).toEqual([
      "caller hears a",
      "factory of a hears a",
      "factory of helper hears helper",
      "factory of watcher hears watcher",
    ]);
  });

  it("do not change when the caller's list does", () => {
    const sinks: EventSink[] = [];
    const { pipes } = ending("a").build({ eventSinks: sinks });
    sinks.push(() => undefined);
    expect(pipes.get("a")?.sinks).toEqual([]);
    expect(Object.isFrozen(pipes.get("a")?.sinks)).toBe(true);
  });

  it.each([
    { why: "a single sink", options: { eventSinks: () => undefined }, setting: "eventSinks" },
    { why: "a sink that is no function", options: { eventSinks: ["log"] }, setting: "eventSinks" },
    { why: "a list of factories", options: { eventSinkFactory: [] }, setting: "eventSinkFactory" },
    {
      why: "a factory that makes no list",
      options: { eventSinkFactory: () => "log" },
      setting: "eventSinkFactory",
    },
    { why: "an option that is not known", options: { sinks: [] }, setting: "sinks" },
    { why: "a list", options: [() => undefined], setting: "" },
  ])("are refused: $why", ({ options, setting }) => {
    expect(thrownBy(() => loosely(ending("a"), "build", options))).toMatchObject({
      code: "deployment/setting-type",
      setting,
    });
  });
});
