import type { GraphNode, ToolGraph, ToolRole } from "./graph.ts";

/** A tool of a drawn graph. */
export interface AgentGraphNode {
  /** The tool's name; a later tool of the same name gets a number behind it. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly role: ToolRole;
  /** The kind of value it takes. */
  readonly input: string;
  /** The kinds of value it may return. */
  readonly outputs: readonly string[];
  /** The skills that bring it; left out for a tool of the agent's own. */
  readonly skills?: readonly string[] | undefined;
}

/** A link of a drawn graph. */
export interface AgentGraphEdge {
  readonly from: string;
  readonly to: string;
  /** `"chain"` for a declared link; `"call"` from the prompter to each tool the model may call. */
  readonly kind: "chain" | "call";
  /** Whether it depends on the output; of a call, whether a skill has to be loaded before. */
  readonly isConditional: boolean;
}

/** An agent's tools and links as data. */
export interface AgentGraph {
  readonly agentName: string;
  readonly nodes: readonly AgentGraphNode[];
  readonly edges: readonly AgentGraphEdge[];
}

/** A checked graph as plain data. */
export function graphData(agentName: string, graph: ToolGraph): AgentGraph {
  const prompter = graph.nodes.find(({ role }) => role === "prompter");
  const calls =
    prompter === undefined
      ? []
      : [...graph.callable.values()].map(({ key, callableWith }) => ({
          from: prompter.key,
          to: key,
          kind: "call" as const,
          isConditional: callableWith !== null,
        }));
  return {
    agentName,
    nodes: graph.nodes.map(nodeData),
    edges: [
      ...calls,
      ...graph.nodes.flatMap(({ key, children }) =>
        children.map(({ child, condition }) => ({
          from: key,
          to: child.key,
          kind: "chain" as const,
          isConditional: condition !== undefined,
        })),
      ),
    ],
  };
}

function nodeData({ key, name, role, tool, skills }: GraphNode): AgentGraphNode {
  return {
    key,
    name,
    description: tool.description,
    role,
    input: tool.input.kind,
    outputs: tool.outputs.map(({ kind }) => kind),
    ...(skills === null ? undefined : { skills }),
  };
}

/**
 * Draws a graph as a Mermaid flowchart: active tools as boxes, passive ones rounded, defaults as stadiums, the prompter
 * as a hexagon; a conditional link is dotted, a call by the model a thin line with an open end.
 */
export function toMermaid(graph: AgentGraph): string {
  const place = new Map(graph.nodes.map(({ key }, index) => [key, `t${index}`]));
  const id = (key: string): string => place.get(key) ?? key;
  return [
    "flowchart TD",
    ...graph.nodes.map(({ key, role }) => `  ${id(key)}${shapes[role](key)}:::${role}`),
    ...graph.edges.map(
      ({ from, to, kind, isConditional }) =>
        `  ${id(from)} ${kind === "call" ? "---o" : isConditional ? "-. when .->" : "-->"} ${id(to)}`,
    ),
    "  classDef active fill:#dbeafe,stroke:#1d4ed8,color:#111827",
    "  classDef passive fill:#f3f4f6,stroke:#6b7280,color:#111827",
    "  classDef default fill:#dcfce7,stroke:#15803d,color:#111827",
    "  classDef prompter fill:#fef3c7,stroke:#b45309,color:#111827",
    "",
  ].join("\n");
}

const shapes: Readonly<Record<ToolRole, (label: string) => string>> = {
  active: (label) => `["${label}"]`,
  passive: (label) => `("${label}")`,
  default: (label) => `(["${label}"])`,
  prompter: (label) => `{{"${label}"}}`,
};
