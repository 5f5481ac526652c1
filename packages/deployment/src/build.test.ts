import { Empty, Int, MockLLMEndpoint, Stop, tool, when, type RunEvent } from "@roboz/core";
import { describe, expect, it } from "vitest";

import {
  definitionAbove,
  definitionOf,
  rolesOf,
  skillCapability,
  skillNamed,
  stopNamed,
  thrownBy,
  toolCapability,
  toolNamed,
} from "./__fixtures__/parts.ts";
import type { AgentPipe } from "./agent-pipe.ts";
import { Capability } from "./capability.ts";
import { SkillLabel, ToolLabel } from "./label.ts";

const defaults = { default: true };

describe("a build", () => {
  it("deployment 51: starts nothing", async () => {
    const asked = new MockLLMEndpoint([]);
    const heard: RunEvent[] = [];
    const agent = definitionOf("a", {
      agentEndpoint: asked,
      nestedAgents: [definitionOf("b", { agentEndpoint: asked })],
      backgroundAgents: [definitionOf("c", { agentEndpoint: asked })],
    });
    const { backgroundAgents } = agent.build({ eventSinkFactory: () => [(event) => heard.push(event)] });
    await new Promise(setImmediate);
    expect(backgroundAgents.map(({ isRunning }) => isRunning)).toEqual([false]);
    expect([asked.requests, heard]).toEqual([[], []]);
  });

  it.each(["nestedAgents", "backgroundAgents"] as const)(
    "makes %s of 3,000 levels",
    { timeout: 60_000 },
    (kind) => {
      const { root, backgroundAgents, pipes } = definitionAbove(3000, kind).build();
      expect([root.name, pipes.size]).toEqual(["level_0", 3001]);
      expect(backgroundAgents.map(({ agent }) => agent.name)).toEqual(
        kind === "nestedAgents" ? [] : Array.from({ length: 3000 }, (_, index) => `level_${index + 1}`),
      );
    },
  );

  it("deployment 52: shares nothing with another one of the same definition", async () => {
    const seen: AgentPipe[] = [];
    const agent = definitionOf("a", {
      mode: "deterministic",
      capabilities: [
        new Capability({
          label: ToolLabel("x", defaults),
          build: ({ pipe }) => {
            seen.push(pipe);
            return [stopNamed("end")];
          },
        }),
      ],
      backgroundAgents: [
        definitionOf("b", { mode: "deterministic", capabilities: [toolCapability("y", defaults)] }),
      ],
    });
    const [one, two] = [agent.build(), agent.build()];
    expect(one.root).not.toBe(two.root);
    expect(one.backgroundAgents[0]).not.toBe(two.backgroundAgents[0]);
    expect(seen).toEqual([one.pipes.get("a"), two.pipes.get("a")]);
    expect(seen[0]).not.toBe(seen[1]);
    one.pipes.get("a")?.cancel("over");
    expect(one.pipes.get("a")?.signal.reason).toBe("over");
    expect(one.pipes.get("b")?.signal.aborted).toBe(false);
    expect(await one.root.invoke()).toMatchObject({ status: "cancelled", reason: "over" });
    expect(two.pipes.get("a")?.signal.aborted).toBe(false);
    await two.root.complete();
    for (const { backgroundAgents } of [one, two]) for (const one of backgroundAgents) await one.stop();
  });

  it("deployment 57: has a skill's tools once its action was called, then both chains of it", async () => {
    const look = tool({
      name: "look",
      description: "Look.",
      input: Empty,
      output: Int,
      run: () => Int({ value: 1 }),
    });
    const tell = tool({
      name: "tell",
      description: "Tell.",
      input: Int,
      output: Stop,
      chainedTo: when(look, () => true),
      run: ({ value }) => Stop({ value: `${value}` }),
    });
    const patch = toolNamed("patch");
    const tools = [look, tell, patch];
    const files = new Capability({ label: SkillLabel("files"), value: skillNamed("files", tools) });
    const call = (action: string) => ({ action, rationale: "Because." });
    const early = definitionOf("a", {
      capabilities: [files],
      agentEndpoint: new MockLLMEndpoint([call("look")]),
    });
    await expect(early.build().root.complete()).rejects.toThrow();

    const endpoint = new MockLLMEndpoint([call("files"), call("patch"), call("look")]);
    const late = definitionOf("a", { capabilities: [files], agentEndpoint: endpoint });
    expect((await late.build().root.complete()).output.value).toBe("1");
    endpoint.assertUsedUp();
  });

  it("deployment 58: runs the chain of a default, then the next default", async () => {
    const order: string[] = [];
    const noting = (name: string) => () => {
      order.push(name);
    };
    const begin = tool({
      name: "begin",
      description: "Begin.",
      input: Empty,
      output: Int,
      run: () => {
        noting("begin")();
        return Int({ value: 1 });
      },
    });
    const follow = tool({
      name: "follow",
      description: "Follow.",
      input: Int,
      output: Empty,
      chainedTo: begin,
      run: () => {
        noting("follow")();
        return Empty();
      },
    });
    const end = tool({
      name: "end",
      description: "End.",
      input: Empty,
      output: Stop,
      run: () => {
        noting("stop")();
        return Stop({ value: "done" });
      },
    });
    const agent = definitionOf("a", {
      mode: "deterministic",
      systemPrompt: "",
      agentEndpoint: undefined,
      capabilities: [
        new Capability({ label: ToolLabel("work", defaults), value: [begin, follow] }),
        new Capability({ label: ToolLabel("stop", defaults), value: end }),
      ],
    });
    expect((await agent.build().root.complete()).output.value).toBe("done");
    expect(order).toEqual(["begin", "follow", "stop"]);
  });

  it("holds agents to the rules of agents, and names the one that breaks them", () => {
    const child = definitionOf("child", { capabilities: [toolCapability("x"), skillCapability("y")] });
    child.addCapabilities(new Capability({ label: ToolLabel("again"), value: toolNamed("x") }));
    expect(thrownBy(() => definitionOf("a", { nestedAgents: [child] }).build())).toMatchObject({
      code: "core/agent-definition",
      agentName: "child",
    });
    expect(thrownBy(() => definitionOf("a", { mode: "deterministic" }).build())).toMatchObject({
      code: "core/agent-definition",
      agentName: "a",
    });
  });

  it("gives an agent its limits, as they were when it was built", async () => {
    const agent = definitionOf("a", {
      mode: "deterministic",
      limits: { steps: 1 },
      capabilities: [toolCapability("own", defaults)],
    });
    const { root } = agent.build();
    agent.limits = { steps: 2 };
    await expect(root.complete()).rejects.toMatchObject({ limit: "steps", allowed: 1 });
    expect(agent.copy().limits).toEqual({ steps: 2 });
    expect(Object.isFrozen(agent.limits)).toBe(true);
    agent.limits = Object.fromEntries([["stepz", 5]]);
    expect(thrownBy(() => agent.build())).toMatchObject({ code: "core/agent-definition", agentName: "a" });
    expect(() => agent.build()).toThrow("`limits.stepz` is no limit");
  });

  it("gives initial messages, and passes values on by identity", async () => {
    const own = toolNamed("own");
    const agent = definitionOf("a", {
      initialMessages: ["Read this first."],
      capabilities: [new Capability({ label: ToolLabel("own"), value: own })],
    });
    const { messages } = await agent.build().root.describe();
    expect(messages.map(({ content }) => content).join()).toContain("Read this first.");
    own.rename("renamed");
    expect(rolesOf(agent.build().root).tools).toEqual(["renamed"]);
  });
});
