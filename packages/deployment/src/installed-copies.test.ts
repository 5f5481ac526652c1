import { MockLLMEndpoint } from "@roboz/core";
import { beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { rolesOf, skillNamed } from "./__fixtures__/parts.ts";
import type * as deployment from "./index.ts";

type Deployment = typeof deployment;

/** Two copies of this package, as a program has them whose dependencies each installed their own. */
let one: Deployment;
let other: Deployment;

beforeAll(async () => {
  one = await import("./index.ts");
  vi.resetModules();
  other = await import("./index.ts");
});

/** An agent of one copy, with a child, a capability, a label and a choice of the other. */
function mixed() {
  const { Capability, DeployableAgent, SkillLabel, SkillLoading } = other;
  const label = SkillLabel("guide", { selectable: true });
  const capability = new Capability({ label, value: skillNamed("guide") });
  const settings = { systemPrompt: "Help.", agentEndpoint: new MockLLMEndpoint([]) };
  const child = new DeployableAgent({ ...settings, name: "child", attributes: { limit: 5 } });
  const agent = new one.DeployableAgent({
    ...settings,
    name: "a",
    capabilities: [capability],
    nestedAgents: [child],
  });
  agent.setCapabilitySelection({ guide: SkillLoading.AUTOMATIC });
  return { agent, child };
}

describe("two installed copies of this package", () => {
  it("are two", () => {
    expect(one.DeployableAgent).not.toBe(other.DeployableAgent);
  });

  it("take each other's agents, capabilities, labels and choices", () => {
    const { agent } = mixed();
    agent.validate();
    expect(agent.resolveCapabilities()).toEqual({ guide: "automatic" });
    expect([...agent.agentNames()]).toEqual(["a", "child"]);
    expect(rolesOf(agent.build().root).tools).toEqual(["child", "guide"]);
    expect(agent.externalDependencies()).toEqual([]);
  });

  it("see each other's attributes, and what is missing", () => {
    const { agent } = mixed();
    const requiredAttributes = { limit: z.number(), greeting: z.string() };
    agent.addNestedAgents(
      new other.DeployableAgent({
        name: "needing",
        capabilities: [
          new other.Capability({ label: other.ToolLabel("x"), requiredAttributes, build: () => [] }),
        ],
      }),
    );
    expect(() => {
      agent.validate();
    }).toThrow("has 2 problems");
    expect(agent.nestedAgents[0]?.attributes.get("limit")).toBe(5);
    expect(() => agent.nestedAgents[0]?.attributes.get("none")).toThrow("`child` has no attribute `none`");
  });

  it("copy each other's children", () => {
    const { agent, child } = mixed();
    const copy = agent.copy({ deep: true });
    expect(copy.nestedAgents[0]).not.toBe(child);
    expect(copy.nestedAgents[0]).toBeInstanceOf(other.DeployableAgent);
  });

  it("know each other's errors", () => {
    try {
      other.ToolLabel("");
      expect.unreachable();
    } catch (error) {
      expect(error).not.toBeInstanceOf(one.DeploymentError);
      expect(one.DeploymentError.is(error) && error.code).toBe("deployment/setting-value");
    }
  });
});
