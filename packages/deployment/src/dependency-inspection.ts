import {
  dedupeExternalDependencies,
  externalDependenciesOf,
  type AnyTool,
  type ExternalDependency,
  type Skill,
} from "@roboz/core";

import type { AgentDefinition } from "./agent-definition.ts";
import { AgentPipe } from "./agent-pipe.ts";
import { contribute } from "./contribute.ts";
import { planOf, type PlannedAgent } from "./plan.ts";

/**
 * What the agents of a graph need from outside, whatever is selected: builders run, agents are not made. Each thing once,
 * breadth first.
 */
export function inspectDependencies(root: AgentDefinition): readonly ExternalDependency[] {
  const agents = [...planOf(root, "declared").values()];
  return dedupeExternalDependencies(agents.flatMap(agentNeeds));
}

function agentNeeds(planned: PlannedAgent): readonly ExternalDependency[] {
  const { mode, endpoint } = planned.settings;
  const parts = contribute(planned, new AgentPipe({ agentName: planned.name, sinks: [] }));
  return [
    ...(mode === "deterministic" ? [] : externalDependenciesOf(endpoint)),
    ...toolNeeds(parts.defaultTools),
    ...toolNeeds(parts.tools),
    ...skillNeeds(parts.skills),
    ...skillNeeds(parts.autoLoadedSkills),
  ];
}

function toolNeeds(tools: readonly AnyTool[]): readonly ExternalDependency[] {
  return tools.flatMap((tool) => tool.externalDependencies());
}

function skillNeeds(skills: readonly Skill[]): readonly ExternalDependency[] {
  return skills.flatMap(({ tools }) => toolNeeds(tools));
}
