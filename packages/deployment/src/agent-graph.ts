import type { AgentDefinition } from "./agent-definition.ts";
import { quoted, type GraphProblem } from "./errors.ts";

/** All definitions of a graph, breadth first: each before its nested children, and those before its background children. */
export function breadthFirst(root: AgentDefinition): readonly AgentDefinition[] {
  const found = new Set([root]);
  for (const { nestedAgents, backgroundAgents } of found) {
    for (const child of [...nestedAgents, ...backgroundAgents]) found.add(child);
  }
  return [...found];
}

/** The names in a graph, with or without background agents and what is below them. */
export function namesIn(root: AgentDefinition, includeBackground: boolean): Set<string> {
  const found = new Set([root]);
  for (const { nestedAgents, backgroundAgents } of found) {
    for (const child of nestedAgents) found.add(child);
    if (includeBackground) for (const child of backgroundAgents) found.add(child);
  }
  return new Set([...found].map(({ name }) => name));
}

/** How tools are named, and so nested and background agents. */
const toolName = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** A definition on the way down from the root, with the children that are still to be looked at. */
interface Visit {
  readonly definition: AgentDefinition;
  readonly left: AgentDefinition[];
}

/** Cycles, names that cannot be a tool's, and names that several places of the graph have; foreground and background count alike. */
export function graphProblems(root: AgentDefinition): readonly GraphProblem[] {
  const problems: GraphProblem[] = [];
  const places = new Map([[root.name, 1]]);
  const seen = new Set([root]);
  const path: Visit[] = [visit(root)];
  /** How deep the definitions of the path stand. */
  const depths = new Map([[root, 0]]);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const child = top.left.shift();
    if (child === undefined) {
      path.pop();
      depths.delete(top.definition);
      continue;
    }
    const above = depths.get(child);
    if (above !== undefined) {
      problems.push(cycle([...path.slice(above).map(({ definition }) => definition.name), child.name]));
      continue;
    }
    places.set(child.name, (places.get(child.name) ?? 0) + 1);
    if (seen.has(child)) continue;
    seen.add(child);
    depths.set(child, path.length);
    path.push(visit(child));
  }
  const misnamed = [...seen].filter((one) => one !== root && !toolName.test(one.name));
  problems.push(...misnamed.map(({ name }) => badChildName(name)));
  const repeated = [...places].filter(([, count]) => count > 1);
  return [...problems, ...repeated.map(([agentName, count]) => duplicate(agentName, count))];
}

function visit(definition: AgentDefinition): Visit {
  return { definition, left: [...definition.nestedAgents, ...definition.backgroundAgents] };
}

function cycle(agentNames: readonly string[]): GraphProblem {
  const way = agentNames.map(quoted).join(" → ");
  return { code: "cycle", agentNames, message: `Agents lead back to themselves: ${way}` };
}

function badChildName(agentName: string): GraphProblem {
  const message = `${quoted(agentName)} is a tool of the agent above it, and so has to be named in lower snake case, such as \`note_taker\``;
  return { code: "child-name", agentNames: [agentName], message };
}

function duplicate(agentName: string, count: number): GraphProblem {
  const message = `${quoted(agentName)} stands for ${count} agents of the graph; each needs a name, and a definition, of its own`;
  return { code: "duplicate-name", agentNames: [agentName], message };
}
