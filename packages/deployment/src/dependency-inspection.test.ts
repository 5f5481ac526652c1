import {
  DependencyFailure,
  Empty,
  ExecutableDependency,
  factory,
  LLMEndpoint,
  MockLLMEndpoint,
  Str,
  type AnyTool,
  type ChatClient,
  type ExternalDependency,
} from "@roboz/core";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { definitionOf, skillNamed, thrownBy, toolNamed } from "./__fixtures__/parts.ts";
import { Capability } from "./capability.ts";
import { DeployableAgent } from "./deployable-agent.ts";
import { SkillLabel, SkillLoading, ToolLabel } from "./label.ts";

/** A tool that needs a program. */
function needing(program: string, name = `run_${program}`): AnyTool {
  return using({ externalDependencies: () => [new ExecutableDependency(program)] }, name);
}

/** A tool that is bound to a context. */
function using(context: unknown, name: string): AnyTool {
  const make = factory<unknown>()({
    name,
    description: "Run something.",
    input: Empty,
    output: Str,
    run: () => Str({ value: "done" }),
  });
  return make(context);
}

/** A capability of tools. */
function toolsOf(name: string, tools: readonly AnyTool[], options = {}): Capability {
  return new Capability({ label: ToolLabel(name, options), build: () => tools });
}

/** A capability of a skill with one tool. */
function skillOf(name: string, tool: AnyTool, options = {}): Capability {
  return new Capability({ label: SkillLabel(name, options), value: skillNamed(name, [tool]) });
}

/** A model whose client must never be made. */
function untouched(modelName: string) {
  const client = vi.fn((): ChatClient => {
    throw new Error("a client was made");
  });
  return { client, endpoint: new LLMEndpoint({ apiName: "api", modelName, maxContextTokens: 1000, client }) };
}

function ids(agent: DeployableAgent): readonly string[] {
  return agent.externalDependencies().map(({ dependencyId }) => dependencyId);
}

describe("what a deployment needs from outside", () => {
  it("deployment 59: has what a capability needs that is left out", () => {
    const agent = definitionOf("a", { capabilities: [toolsOf("x", [needing("rg")], { selectable: true })] });
    agent.setCapabilitySelection({});
    expect(ids(agent)).toContain("executable:rg");
    expect(agent.capabilitySelection).toEqual({});
  });

  it("deployment 60: cannot be told while a capability that is left out misses an attribute, although it can be built", () => {
    const agent = definitionOf("a", {
      capabilities: [
        new Capability({
          label: ToolLabel("x", { selectable: true }),
          requiredAttributes: { limit: z.number() },
          build: () => [toolNamed("x")],
        }),
      ],
    });
    agent.setCapabilitySelection({});
    agent.build();
    expect(thrownBy(() => agent.externalDependencies())).toMatchObject({
      code: "deployment/validation",
      problems: [{ attributeName: "limit" }],
    });
  });

  it("deployment 61: does not mind alternatives that share a tool name", () => {
    const agent = definitionOf("a", {
      capabilities: [
        toolsOf("fast", [needing("rg", "search")], { selectable: true }),
        toolsOf("plain", [needing("grep", "search")], { selectable: true }),
      ],
    });
    expect(thrownBy(() => agent.build())).toMatchObject({ code: "core/agent-definition" });
    expect(ids(agent)).toEqual(expect.arrayContaining(["executable:rg", "executable:grep"]));
  });

  it("deployment 62: has no model of a deterministic agent, unless a tool uses it", () => {
    const { endpoint } = untouched("small");
    const agent = new DeployableAgent({
      name: "a",
      mode: "deterministic",
      agentEndpoint: endpoint,
      capabilities: [toolsOf("x", [toolNamed("x")], { default: true })],
    });
    expect(ids(agent)).toEqual([]);
    agent.addCapabilities(toolsOf("ask", [using(endpoint, "ask")]));
    expect(agent.externalDependencies()).toEqual([endpoint]);
    agent.mode = "steerable";
    expect(agent.externalDependencies()).toEqual([endpoint]);
  });

  it("deployment 63: has one entry for what parent and child need, the parent's", () => {
    const [mine, childs] = [new ExecutableDependency("rg"), new ExecutableDependency("rg")];
    const needs = (own: ExternalDependency): AnyTool =>
      using({ externalDependencies: () => [own] }, "search");
    const agent = new DeployableAgent({
      name: "a",
      capabilities: [toolsOf("x", [needs(mine)])],
      nestedAgents: [new DeployableAgent({ name: "child", capabilities: [toolsOf("x", [needs(childs)])] })],
    });
    const found = agent.externalDependencies();
    expect(found).toHaveLength(1);
    expect(found[0]).toBe(mine);
  });

  it("deployment 64: is told without making a client or checking anything", async () => {
    const { client, endpoint } = untouched("large");
    const check = vi.fn(() => Promise.resolve(DependencyFailure.fromError(new Error("checked"))));
    const service: ExternalDependency = {
      dependencyId: "service:search",
      kind: "network_service",
      redactedMetadata: () => ({}),
      check,
    };
    const agent = new DeployableAgent({
      name: "a",
      agentEndpoint: endpoint,
      capabilities: [toolsOf("x", [using(service, "search")])],
    });
    expect(ids(agent)).toEqual([endpoint.dependencyId, "service:search"]);
    await new Promise(setImmediate);
    expect(client).not.toHaveBeenCalled();
    expect(check).not.toHaveBeenCalled();
  });

  it("comes in order: model, defaults, tools, skills on demand, automatic skills; then the agents below", () => {
    const { endpoint } = untouched("large");
    const agent = new DeployableAgent({
      name: "a",
      agentEndpoint: endpoint,
      capabilities: [
        skillOf("loaded", needing("five"), { loading: SkillLoading.AUTOMATIC }),
        skillOf("manual", needing("four")),
        toolsOf("tools", [needing("three")]),
        toolsOf("defaults", [needing("two")], { default: true }),
      ],
      backgroundAgents: [
        new DeployableAgent({ name: "c", capabilities: [toolsOf("x", [needing("seven")])] }),
      ],
      nestedAgents: [new DeployableAgent({ name: "b", capabilities: [toolsOf("x", [needing("six")])] })],
    });
    expect(ids(agent)).toEqual([
      endpoint.dependencyId,
      ...["two", "three", "four", "five", "six", "seven"].map((name) => `executable:${name}`),
    ]);
  });

  it("runs every builder once, with a pipe that nobody hears", () => {
    const build = vi.fn(({ pipe }: { readonly pipe: { readonly sinks: readonly unknown[] } }) => [
      toolNamed(`x_${pipe.sinks.length}`),
    ]);
    const agent = definitionOf("a", {
      agentEndpoint: new MockLLMEndpoint([]),
      capabilities: [new Capability({ label: ToolLabel("x"), build })],
    });
    agent.externalDependencies();
    expect(build).toHaveBeenCalledOnce();
    expect(build.mock.results[0]).toMatchObject({ value: [{ name: "x_0" }] });
  });
});
