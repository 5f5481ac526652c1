import type { GraphNode, ToolRole } from "../chains/graph.ts";
import {
  dedupeExternalDependencies,
  externalDependenciesOf,
  type ExternalDependency,
} from "../dependencies/external-dependency.ts";
import { toolDependencies } from "../tools/dependencies.ts";
import type { CompiledAgent } from "./compiled.ts";

/** What an agent needs from outside: its model first, then what its default tools need, then the others. */
export function agentDependencies(agent: CompiledAgent): readonly ExternalDependency[] {
  const order: readonly (readonly ToolRole[])[] = [["prompter"], ["default"], ["active", "passive"]];
  const nodes = order.flatMap((roles) => agent.graph.nodes.filter(({ role }) => roles.includes(role)));
  return dedupeExternalDependencies(nodes.flatMap((node) => dependenciesOf(agent, node)));
}

/** What one tool of an agent needs; the tool that asks the model needs the agent's endpoint. */
export function dependenciesOf(
  { model }: CompiledAgent,
  { role, tool }: GraphNode,
): readonly ExternalDependency[] {
  return role === "prompter" ? externalDependenciesOf(model?.endpoint) : toolDependencies(tool);
}
