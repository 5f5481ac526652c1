import type { ToolRole } from "../chains/graph.ts";
import { endpointFacts } from "../llm/endpoint.ts";
import { printableLine } from "../runtime/sinks/printable.ts";
import { systemMessage, type Message } from "../values/message.ts";
import type { CompiledAgent } from "./compiled.ts";
import { dependenciesOf } from "./dependencies.ts";
import type { AgentMode } from "./modes.ts";
import { autoLoadedMessages, openingMessages } from "./opening.ts";

/** How a tool of an agent can be reached, as a table says it. */
export type ToolType = "Prompter" | "Active" | "Passive" | "Default";

/** A tool of a described agent. */
export interface ToolDescription {
  /**
   * `"Prompter"` asks the model, `"Active"` tools are called by it, `"Passive"` ones follow others, and `"Default"` ones
   * run when no chain goes on.
   */
  readonly type: ToolType;
  readonly name: string;
  readonly description: string;
  /** The tools it is chained to. */
  readonly parents: readonly { readonly name: string; readonly isConditional: boolean }[];
  /** The identifiers of what it needs from outside, such as `model:openai:gpt`; each once. */
  readonly dependencies: readonly string[];
  /** The skills it comes with, when one of them is loaded; empty for a tool of the agent's own. */
  readonly skills: readonly string[];
}

/** An agent as it is before it runs. */
export interface AgentDescription {
  readonly name: string;
  readonly description: string;
  readonly mode: AgentMode;
  /** The model that is asked now; null for a deterministic agent. */
  readonly model: { readonly apiName: string; readonly modelName: string } | null;
  /** The prompter first, then active, passive and default tools, each in the agent's own order. */
  readonly tools: readonly ToolDescription[];
  /** What every conversation starts with: the system prompt, the initial messages, and the auto-loaded skills. */
  readonly messages: readonly Message[];
}

const types = { prompter: "Prompter", active: "Active", passive: "Passive", default: "Default" } as const;
const order: readonly ToolRole[] = ["prompter", "active", "passive", "default"];

/** Describes an agent without running it: no event, no file written, no model called. */
export async function describeAgent(agent: CompiledAgent): Promise<AgentDescription> {
  const { name, description, mode, model, graph } = agent;
  const prompt = agent.systemPrompt();
  const facts = model === undefined ? null : endpointFacts(model.endpoint);
  const nodes = order.flatMap((role) => graph.nodes.filter((node) => node.role === role));
  return {
    name,
    description,
    mode,
    model: facts === null ? null : { apiName: facts.apiName, modelName: facts.modelName },
    tools: nodes.map((node) => ({
      type: types[node.role],
      name: node.name,
      description: node.tool.description,
      parents: node.parents.map(({ parentName, condition }) => ({
        name: parentName,
        isConditional: condition !== undefined,
      })),
      skills: node.skills ?? [],
      dependencies: dependenciesOf(agent, node).map(({ dependencyId }) => dependencyId),
    })),
    messages: [
      ...(prompt === "" ? [] : [systemMessage(prompt, { messageKind: "system_message" })]),
      ...(await openingMessages(agent.initialMessages)),
      ...autoLoadedMessages(agent.skills),
    ],
  };
}

/** An agent's description as plain text: a table of its tools, and one of the messages its conversations start with. */
export function describeTable({ name, description, mode, model, tools, messages }: AgentDescription): string {
  const asked = model === null ? "" : `, asks ${model.modelName} at ${model.apiName}`;
  const about = printableLine(description);
  return [
    printableLine(`${name}: ${mode}${asked}`),
    ...(about === "" ? [] : [about]),
    "",
    ...table(tools, [
      { head: "Type", text: ({ type }) => type },
      { head: "Name", text: (tool) => tool.name },
      { head: "Description", text: (tool) => tool.description },
      { head: "Chained to", text: ({ parents }) => parents.map(parentText).join(", ") },
      { head: "Skill", text: ({ skills }) => skills.join(", ") },
      { head: "Needs", text: ({ dependencies }) => dependencies.join(", ") },
    ]),
    ...(messages.length === 0 ? [] : [""]),
    ...table(messages, [
      { head: "Role", text: ({ role }) => role },
      { head: "Kind", text: ({ messageKind = "" }) => messageKind },
      { head: "Content", text: ({ content }) => content },
    ]),
    "",
  ].join("\n");
}

function parentText({ name, isConditional }: ToolDescription["parents"][number]): string {
  return isConditional ? `${name} (when)` : name;
}

interface Column<Row> {
  readonly head: string;
  readonly text: (row: Row) => string;
}

/** Aligned columns, or nothing without rows; a column that is empty throughout is left out. */
function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): readonly string[] {
  if (rows.length === 0) return [];
  const used = columns.flatMap(({ head, text }) => {
    const widest = Math.max(...rows.map((row) => cell(text(row)).length));
    return widest === 0 ? [] : [{ head, text, width: Math.max(head.length, widest) }];
  });
  const line = (texts: readonly string[]): string => texts.join("  ").trimEnd();
  return [
    line(used.map(({ head, width }) => head.padEnd(width))),
    line(used.map(({ width }) => "-".repeat(width))),
    ...rows.map((row) => line(used.map(({ text, width }) => cell(text(row)).padEnd(width)))),
  ];
}

/** At most 60 characters of the text, on one line. */
function cell(text: string): string {
  return printableLine(text).replace(/^(.{59}).{2,}$/u, "$1…");
}
