import { Empty, MockLLMEndpoint, Stop, tool } from "@roboz/core";
import { describe, expect, it } from "vitest";

import { definitionOf, loosely, rolesOf, stopNamed, thrownBy, toolCapability } from "./__fixtures__/parts.ts";
import { Capability } from "./capability.ts";
import { ToolLabel } from "./label.ts";

const defaults = { default: true };

describe("a graph of agents", () => {
  it.each(["addNestedAgents", "addBackgroundAgents"] as const)(
    "deployment 45: refuses a child that is attached twice, by %s as well",
    (method) => {
      const child = definitionOf("child");
      const agent = definitionOf("a", { nestedAgents: [child] });
      agent[method](child);
      for (const use of [() => agent.build(), () => agent.agentNames({ includeBackground: false })]) {
        expect(thrownBy(use)).toMatchObject({
          code: "deployment/validation",
          problems: [{ code: "duplicate-name", agentNames: ["child"] }],
        });
      }
    },
  );

  it("refuses two agents of one name, however far apart", () => {
    const agent = definitionOf("a", {
      nestedAgents: [definitionOf("b", { backgroundAgents: [definitionOf("x")] })],
      backgroundAgents: [definitionOf("c", { nestedAgents: [definitionOf("x"), definitionOf("a")] })],
    });
    expect(thrownBy(() => agent.build())).toMatchObject({
      problems: [
        { code: "duplicate-name", agentNames: ["a"] },
        { code: "duplicate-name", agentNames: ["x"] },
      ],
    });
  });

  it("deployment 46: refuses a definition below itself, and shows the way round", () => {
    const agent = definitionOf("a");
    const child = definitionOf("b", { backgroundAgents: [definitionOf("c", { nestedAgents: [agent] })] });
    agent.addNestedAgents(child);
    expect(thrownBy(() => agent.build())).toMatchObject({
      code: "deployment/validation",
      problems: [{ code: "cycle", agentNames: ["a", "b", "c", "a"] }],
      message: "Agents lead back to themselves: `a` → `b` → `c` → `a`",
    });
    const self = definitionOf("self");
    self.addNestedAgents(self);
    expect(thrownBy(() => self.agentNames())).toMatchObject({
      problems: [{ code: "cycle", agentNames: ["self", "self"] }],
    });
  });

  it("refuses a child whose name no tool can have, before anything is built", () => {
    const agent = definitionOf("Root", { nestedAgents: [definitionOf("NoteTaker")] });
    expect(thrownBy(() => agent.build())).toMatchObject({
      problems: [{ code: "child-name", agentNames: ["NoteTaker"] }],
    });
    expect(definitionOf("Root").build().root.name).toBe("Root");
  });

  it("is walked without recursion, in time that grows with its size", () => {
    let agent = definitionOf("a_0");
    for (let depth = 1; depth < 20_000; depth += 1) {
      agent = definitionOf(`a_${depth}`, { nestedAgents: [agent] });
    }
    expect(agent.agentNames().size).toBe(20_000);
  });

  it("deployment 47: starts a nested agent's background agent by a default tool of the nested agent", async () => {
    let rounds = 0;
    const work = tool({
      name: "work",
      description: "Work twice.",
      input: Empty,
      output: [Empty, Stop],
      run: () => (++rounds > 1 ? Stop({ value: "Done." }) : Empty()),
    });
    const b = definitionOf("b", { mode: "deterministic", capabilities: [toolCapability("watch", defaults)] });
    const a = definitionOf("a", {
      mode: "deterministic",
      capabilities: [new Capability({ label: ToolLabel("work", defaults), value: work })],
      backgroundAgents: [b],
    });
    const root = definitionOf("root", {
      nestedAgents: [a],
      capabilities: [new Capability({ label: ToolLabel("end"), value: stopNamed("end") })],
      agentEndpoint: new MockLLMEndpoint([
        { action: "a", value: "Go.", rationale: "Because." },
        { action: "end", rationale: "Because." },
      ]),
    });
    const built = root.build();
    const [watcher] = built.backgroundAgents;
    expect(built.backgroundAgents.map(({ agent }) => agent.name)).toEqual(["b"]);
    expect(rolesOf(built.root)).toEqual({ tools: ["end", "a"], defaults: [] });
    await built.root.complete();
    expect(watcher?.isRunning).toBe(true);
    await watcher?.stop();
  });

  it("deployment 48: hands out background agents below nested ones first, then each with those below it", () => {
    const d = definitionOf("d", { backgroundAgents: [definitionOf("e")] });
    const root = definitionOf("root", {
      backgroundAgents: [definitionOf("f")],
      nestedAgents: [definitionOf("c", { backgroundAgents: [d] })],
    });
    expect(root.build().backgroundAgents.map(({ agent }) => agent.name)).toEqual(["d", "e", "f"]);
  });

  it("deployment 53: shows the parent's model a nested agent as a tool, after the parent's own", async () => {
    const child = definitionOf("child", { description: "Knows it all." });
    const agent = definitionOf("a", { nestedAgents: [child], capabilities: [toolCapability("own")] });
    const { tools } = await agent.build().root.describe();
    const active = tools.filter(({ type, name }) => type === "Active" && name !== "prompt_user");
    expect(active).toMatchObject([{ name: "own" }, { name: "child", description: "Knows it all." }]);
  });

  it("deployment 54: starts a background agent last among the default tools, unseen by the model", async () => {
    const agent = definitionOf("a", {
      backgroundAgents: [definitionOf("child", { description: "Secret." })],
      capabilities: [toolCapability("own", defaults), toolCapability("other")],
    });
    const { root } = agent.build();
    expect(rolesOf(root).defaults).toEqual(["own", "start_background_agent_child"]);
    const { tools } = await root.describe();
    expect(tools.at(-1)).toMatchObject({ type: "Default", name: "start_background_agent_child" });
    expect(root.systemPrompt).not.toContain("start_background_agent_child");
  });

  it("deployment 55: leaves background agents and what is nested in them out of the foreground", () => {
    const agent = definitionOf("a", {
      nestedAgents: [definitionOf("b", { nestedAgents: [definitionOf("c")] })],
      backgroundAgents: [definitionOf("d", { nestedAgents: [definitionOf("e")] })],
    });
    expect(agent.agentNames()).toEqual(new Set(["a", "b", "c", "d", "e"]));
    expect(agent.agentNames({ includeBackground: false })).toEqual(new Set(["a", "b", "c"]));
  });

  it("deployment 56: has the same foreground when a background agent is added that watches it", () => {
    const agent = definitionOf("a", { nestedAgents: [definitionOf("b")] });
    const watched = agent.agentNames({ includeBackground: false });
    const librarian = definitionOf("librarian");
    librarian.setAttributes({ watchedAgentNames: watched });
    agent.addBackgroundAgents(librarian);
    expect(agent.agentNames({ includeBackground: false })).toEqual(watched);
  });

  it("refuses options that it does not know", () => {
    expect(thrownBy(() => loosely(definitionOf("a"), "agentNames", false))).toMatchObject({
      code: "deployment/setting-type",
    });
  });
});
