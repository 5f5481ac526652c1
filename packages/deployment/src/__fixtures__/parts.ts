import { Empty, MockLLMEndpoint, Skill, Stop, Str, tool, type Agent, type AnyTool } from "@roboz/core";

import { Capability } from "../capability.ts";
import { DeployableAgent, type DeployableAgentSettings } from "../deployable-agent.ts";
import { SkillLabel, ToolLabel, type SkillLabelOptions, type ToolLabelOptions } from "../label.ts";

/** A tool that does nothing, under a name. */
export function toolNamed(name: string, chainedTo?: AnyTool): AnyTool {
  return tool({
    name,
    description: `Does nothing, as ${name}.`,
    input: Empty,
    output: Str,
    ...(chainedTo === undefined ? {} : { chainedTo }),
    run: () => Str({ value: name }),
  });
}

/** A tool that ends the run. */
export function stopNamed(name: string): AnyTool {
  return tool({
    name,
    description: `Ends the run, as ${name}.`,
    input: Empty,
    output: Stop,
    run: () => Stop({ value: name }),
  });
}

/** What `make` throws; undefined when it does not. */
export function thrownBy(make: () => unknown): unknown {
  try {
    make();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A skill without tools, unless some are given. */
export function skillNamed(name: string, tools: readonly AnyTool[] = []): Skill {
  return new Skill({ name, description: `About ${name}.`, instructions: `Follow ${name}.`, tools });
}

/** A capability of one tool that bears the label's name. */
export function toolCapability(name: string, options?: ToolLabelOptions): Capability {
  return new Capability({ label: ToolLabel(name, options), value: toolNamed(name) });
}

/** A capability of one skill that bears the label's name. */
export function skillCapability(name: string, options?: SkillLabelOptions): Capability {
  return new Capability({ label: SkillLabel(name, options), value: skillNamed(name) });
}

/** An agent that can be built, driven by a model that is never asked. */
export function definitionOf(
  name: string,
  settings: Partial<DeployableAgentSettings<never>> = {},
): DeployableAgent {
  return new DeployableAgent<never>({
    name,
    systemPrompt: "Help.",
    agentEndpoint: new MockLLMEndpoint([]),
    ...settings,
  });
}

/** Constructs, or calls a method of, something with what the compiler would refuse. */
export function loosely(target: object, method: string, ...given: readonly unknown[]): unknown {
  const callable: unknown = Reflect.get(target, method);
  if (typeof callable !== "function") throw new TypeError(`\`${method}\` is no method`);
  return Reflect.apply(callable, target, given);
}

/** The names of a built agent's tools by role, in order; the prompters that every agent has left out. */
export function rolesOf(agent: Agent): Readonly<Record<"tools" | "defaults", readonly string[]>> {
  const nodes = agent.graph().nodes.filter(({ name }) => !["prompt_llm", "prompt_user"].includes(name));
  return {
    tools: nodes.filter(({ role }) => role !== "default").map(({ name }) => name),
    defaults: nodes.filter(({ role }) => role === "default").map(({ name }) => name),
  };
}

/** An agent with so many agents below it, each the only child of the one above. */
export function definitionAbove(
  levels: number,
  kind: "nestedAgents" | "backgroundAgents" = "nestedAgents",
): DeployableAgent {
  const mode = "deterministic";
  const capabilities = [toolCapability("x", { default: true })];
  let agent = definitionOf(`level_${levels}`, { mode, capabilities });
  for (let level = levels - 1; level >= 0; level -= 1)
    agent = definitionOf(`level_${level}`, { mode, capabilities, [kind]: [agent] });
  return agent;
}
