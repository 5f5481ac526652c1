import type { AgentProblem } from "../errors.ts";
import type { LinkState, ToolState } from "../tools/state.ts";
import { jsonSchemaOf } from "../values/json-schema.ts";
import { typeGuardedBy, typeState, type AnyValueType } from "../values/value.ts";
import { absentParent, originOf, prerequisiteProblems, type SkillParts } from "./skill-rules.ts";

/** How a tool can be reached: by the model, by a link, in the cycle of defaults, or as the default that asks the model. */
export type ToolRole = "active" | "passive" | "default" | "prompter";

/** A tool as one agent has it: name and links as they were when the agent was constructed. */
export interface GraphNode {
  /** The tool's name; a later tool of the same name gets a number behind it. Stable across processes. */
  readonly key: string;
  readonly name: string;
  readonly tool: ToolState;
  readonly role: ToolRole;
  /** Whether the model may call it by name; a default may be both. */
  readonly isCallable: boolean;
  /** The skills that bring it: it is there when one of them is loaded. Null for a tool of the agent's own. */
  readonly skills: readonly string[] | null;
  /** The skills of which one has to be loaded before the model may call it; null for none. */
  readonly callableWith: readonly string[] | null;
  /** The skill that it loads; null for any other tool. */
  readonly loads: SkillParts | null;
  /** The links to follow when this tool has run, in the order of the agent's tools. */
  readonly children: readonly ChildLink[];
  /** The links that lead here. */
  readonly parents: readonly LinkState[];
}

/** A link as its parent sees it. */
export interface ChildLink {
  readonly child: GraphNode;
  readonly condition: LinkState["condition"];
}

/** An agent's tools and links, checked and indexed once. */
export interface ToolGraph {
  readonly nodes: readonly GraphNode[];
  readonly byKey: ReadonlyMap<string, GraphNode>;
  /** What the model may call, by name; some of it only when a skill is loaded. */
  readonly callable: ReadonlyMap<string, GraphNode>;
  /** The defaults in their order, the prompter last. */
  readonly defaults: readonly GraphNode[];
  /** The default that asks the model; none for a deterministic agent. */
  readonly prompter: GraphNode | undefined;
  /** The value types in use, by kind. */
  readonly types: ReadonlyMap<string, AnyValueType>;
}

/** What a graph is built of. */
export interface GraphParts {
  readonly tools: readonly ToolState[];
  readonly defaults: readonly ToolState[];
  readonly prompter: ToolState | undefined;
  /** The agent's skills, the auto-loaded ones last; the tools that load them are among `tools`. */
  readonly skills?: readonly SkillParts[] | undefined;
  /** The types that any agent knows, such as Str. */
  readonly builtinTypes: readonly AnyValueType[];
  /** The Stop that the agent's result is typed with. */
  readonly stopType: AnyValueType;
}

interface MutableNode extends GraphNode {
  readonly children: ChildLink[];
}

/** Builds and checks a graph. With problems, the graph is not fit to run. */
export function buildGraph(parts: GraphParts): {
  readonly graph: ToolGraph;
  readonly problems: readonly AgentProblem[];
} {
  const { tools, defaults, prompter, skills = [] } = parts;
  const own = [...tools, ...defaults, ...(prompter === undefined ? [] : [prompter])];
  const listed = [...new Set([...own, ...skills.flatMap((skill) => skill.tools)])];
  const problems: AgentProblem[] = prerequisiteProblems(skills);
  const nodes = nodesOf(listed, parts);
  const byId = new Map<string, MutableNode>();
  for (const node of nodes) {
    const other = byId.get(node.tool.id);
    if (other === undefined) byId.set(node.tool.id, node);
    else problems.push(duplicateId(other, node));
  }
  problems.push(...duplicateNames(nodes));
  for (const node of nodes) {
    for (const link of node.parents) {
      const parent = byId.get(link.parentId);
      const problem =
        parent === undefined
          ? unknownParent(node, link)
          : (misfit(parent, node, link) ?? absentParent(node, parent, skills));
      if (problem !== undefined) problems.push(problem);
      if (parent !== undefined) parent.children.push({ child: node, condition: link.condition });
    }
    if (node.role === "default") problems.push(...defaultProblems(node));
    problems.push(...stopProblems(node, parts.stopType));
  }
  problems.push(...ambiguousForks(nodes), ...endlessCycles(nodes));
  const { types, clashes } = typesOf(nodes, parts.builtinTypes);
  problems.push(...clashes);
  const graph: ToolGraph = {
    nodes,
    byKey: new Map(nodes.map((node) => [node.key, node])),
    callable: new Map(nodes.filter((node) => node.isCallable).map((node) => [node.name, node])),
    defaults: [...defaults, ...(prompter === undefined ? [] : [prompter])].flatMap(
      (tool) => byId.get(tool.id) ?? [],
    ),
    prompter: nodes.find(({ role }) => role === "prompter"),
    types,
  };
  return { graph, problems };
}

function nodesOf(
  listed: readonly ToolState[],
  { tools, defaults, prompter, skills = [] }: GraphParts,
): MutableNode[] {
  const inTools = new Set(tools);
  const inDefaults = new Set(defaults);
  const inSkills = new Map<ToolState, string[]>();
  for (const { name, tools: brought } of skills)
    for (const tool of new Set(brought)) inSkills.set(tool, [...(inSkills.get(tool) ?? []), name]);
  const loaders = new Map(skills.map((skill) => [skill.wrapper, skill]));
  const seen = new Map<string, number>();
  return listed.map((tool) => {
    const count = (seen.get(tool.name) ?? 0) + 1;
    seen.set(tool.name, count);
    const isPassive = tool.links.length > 0;
    const role =
      tool === prompter ? "prompter" : inDefaults.has(tool) ? "default" : isPassive ? "passive" : "active";
    const brought = inTools.has(tool) ? null : (inSkills.get(tool) ?? null);
    return {
      key: count === 1 ? tool.name : `${tool.name}#${count}`,
      name: tool.name,
      tool: { ...tool },
      role,
      isCallable: (inTools.has(tool) || brought !== null) && !isPassive,
      skills: role === "default" ? null : brought,
      callableWith: brought,
      loads: loaders.get(tool) ?? null,
      children: [],
      parents: [...tool.links],
    };
  });
}

function duplicateId(first: GraphNode, second: GraphNode): AgentProblem {
  const isOneName = first.name === second.name;
  return {
    code: "duplicate-id",
    toolNames: isOneName ? [first.name] : [first.name, second.name],
    message: `\`${first.name}\`${isOneName ? "" : ` and \`${second.name}\``} share one identity, as all tools of one factory do; give one a new identity with copy({ name })`,
  };
}

function duplicateNames(nodes: readonly GraphNode[]): AgentProblem[] {
  const byName = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    if (node.role !== "passive") byName.set(node.name, [...(byName.get(node.name) ?? []), node]);
  }
  return [...byName].flatMap(([name, named]) => {
    if (named.length === 1) return [];
    const hasSkill = named.some(({ skills, loads }) => skills !== null || loads !== null);
    const what = hasSkill
      ? `\`${name}\` is the name of ${named.map(originOf).join(" and of ")}`
      : `${named.length} tools are named \`${name}\``;
    return [
      {
        code: "duplicate-name" as const,
        toolNames: [name],
        message: `${what}; only chained tools may share a name, so rename one, or copy({ name }) it`,
      },
    ];
  });
}

function unknownParent(node: GraphNode, link: LinkState): AgentProblem {
  return {
    code: "unknown-parent",
    toolNames: [node.name, link.parentName],
    message: `\`${node.name}\` is chained to \`${link.parentName}\`, which this agent does not have; add it to \`tools\` (a copy has an identity of its own)`,
  };
}

/** What a tool hands on to its children: every output but Stop and Suspend, plus the reply that becomes its output. */
function handedOn(tool: ToolState): readonly AnyValueType[] {
  const handed = tool.outputs.filter((type) => !isOf(type, "stop") && !isOf(type, "suspend"));
  const { suspends } = tool;
  return suspends === undefined || suspends.resume !== undefined ? handed : [...handed, suspends.reply];
}

function isOf(type: AnyValueType, family: string): boolean {
  return typeState(type)?.family === family;
}

/** Why a link cannot stand, in the compiler's own sentences. */
function misfit(parent: GraphNode, child: GraphNode, { condition }: LinkState): AgentProblem | undefined {
  const toolNames = [parent.name, child.name];
  const handed = handedOn(parent.tool);
  if (handed.some((type) => isOf(type, "invoke"))) {
    return {
      code: "invoke-parent",
      toolNames,
      message: `\`${parent.name}\` may return Invoke, which names the next tool itself, so \`${child.name}\` cannot be chained to it`,
    };
  }
  if (handed.length === 0)
    return {
      code: "always-stops",
      toolNames,
      message: `\`${parent.name}\` always stops, so \`${child.name}\` would never run`,
    };
  // A value type's own `is` tells, without running it, for which outputs it is true.
  const guarded = typeGuardedBy(condition);
  const followed = guarded === undefined ? handed : handed.flatMap((type) => picked(type, guarded));
  const fitting = followed.filter((type) => type.lineage.includes(child.tool.input.kind));
  if (fitting.length === followed.length && fitting.length > 0) return undefined;
  if (followed.length === 0 || (fitting.length === 0 && guarded === undefined))
    return {
      code: "misfit",
      toolNames,
      message: `\`${parent.name}\` returns nothing that \`${child.name}\` accepts`,
    };
  if (guarded !== undefined)
    return {
      code: "misfit",
      toolNames,
      message: `\`${parent.name}\` is followed for a value that \`${child.name}\` does not accept`,
    };
  // A plain condition may leave out what does not fit; that is checked when it is followed.
  if (condition !== undefined) return undefined;
  return {
    code: "uncovered-output",
    toolNames,
    message: `\`${parent.name}\` may return a value that \`${child.name}\` does not accept; link it with when()`,
  };
}

/** Which of a type's values a guard lets through: all of its own and its subtypes', or those of a subtype it guards. */
function picked(type: AnyValueType, guarded: AnyValueType): AnyValueType[] {
  if (type.lineage.includes(guarded.kind)) return [type];
  return guarded.lineage.includes(type.kind) ? [guarded] : [];
}

function defaultProblems(node: GraphNode): AgentProblem[] {
  const toolNames = [node.name];
  const problems: AgentProblem[] = [];
  if (node.parents.length > 0) {
    problems.push({
      code: "default-with-parents",
      toolNames,
      message: `The default tool \`${node.name}\` is chained to other tools; a default starts a chain, so give it as one, or chain a copy`,
    });
  }
  if (node.tool.outputs.some((type) => isOf(type, "invoke"))) {
    problems.push({
      code: "default-returns-invoke",
      toolNames,
      message: `The default tool \`${node.name}\` may return Invoke; let a tool chained to it do that`,
    });
  }
  return problems;
}

function stopProblems(node: GraphNode, stopType: AnyValueType): AgentProblem[] {
  const other = node.tool.outputs.find((type) => isOf(type, "stop") && !type.lineage.includes(stopType.kind));
  return other === undefined
    ? []
    : [
        {
          code: "stop-type",
          toolNames: [node.name],
          message: `\`${node.name}\` may end the run with \`${other.kind}\`, but the agent's output is \`${stopType.kind}\``,
        },
      ];
}

/** Tools that are always followed by more than one other: whatever they hand on, the run cannot go on. */
function ambiguousForks(nodes: readonly GraphNode[]): AgentProblem[] {
  return nodes.flatMap((parent) => {
    const names = parent.children.flatMap(({ child, condition }) =>
      condition === undefined ? child.name : [],
    );
    if (names.length < 2) return [];
    return [
      {
        code: "ambiguous-fork" as const,
        toolNames: [parent.name, ...new Set(names)],
        message: `\`${parent.name}\` is always followed by ${names.map((name) => `\`${name}\``).join(" and ")}, but only one tool can be next; link each once, under conditions of which at most one is true`,
      },
    ];
  });
}

/** Cycles of links without a condition, of tools that cannot stop: once entered, nothing leads out. */
function endlessCycles(nodes: readonly GraphNode[]): AgentProblem[] {
  const done = new Set<GraphNode>();
  const problems: AgentProblem[] = [];
  for (const root of nodes) {
    // A way kept in a list, since a chain may be longer than the call stack is deep.
    const way: { readonly node: GraphNode; readonly left: GraphNode[] }[] = [];
    const placeOf = new Map<GraphNode, number>();
    const enter = (node: GraphNode): void => {
      if (done.has(node)) return;
      placeOf.set(node, way.length);
      way.push({ node, left: alwaysNext(node) });
    };
    enter(root);
    for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
      const next = at.left.shift();
      if (next === undefined) {
        way.pop();
        placeOf.delete(at.node);
        done.add(at.node);
        continue;
      }
      const start = placeOf.get(next);
      if (start === undefined) enter(next);
      else problems.push(endlessCycle(way.slice(start).map(({ node }) => node.name)));
    }
  }
  return problems;
}

/** Where a tool leads whatever it returns; nowhere when it may stop. */
function alwaysNext({ tool, children }: GraphNode): GraphNode[] {
  if (tool.outputs.some((type) => isOf(type, "stop"))) return [];
  return children.flatMap(({ child, condition }) => (condition === undefined ? child : []));
}

function endlessCycle(names: readonly string[]): AgentProblem {
  const way = [...names, ...names.slice(0, 1)].map((name) => `\`${name}\``).join(" → ");
  return {
    code: "endless-cycle",
    toolNames: names,
    message: `${way} is a cycle that no condition can leave; put one of its links under when(), or let one of its tools return Stop`,
  };
}

function isSameSchema(one: AnyValueType, other: AnyValueType): boolean {
  return JSON.stringify(jsonSchemaOf(one)) === JSON.stringify(jsonSchemaOf(other));
}

function typesOf(
  nodes: readonly GraphNode[],
  builtinTypes: readonly AnyValueType[],
): { types: Map<string, AnyValueType>; clashes: AgentProblem[] } {
  const types = new Map(builtinTypes.map((type) => [type.kind, type]));
  const owner = new Map<string, string>();
  const clashes: AgentProblem[] = [];
  for (const { name, tool } of nodes) {
    for (const type of [
      tool.input,
      ...tool.outputs,
      ...(tool.suspends === undefined ? [] : [tool.suspends.reply]),
    ]) {
      const known = types.get(type.kind);
      if (known === undefined) {
        types.set(type.kind, type);
        owner.set(type.kind, name);
      } else if (known !== type && !isSameSchema(known, type)) {
        const others = owner.get(type.kind);
        const toolNames = others === undefined || others === name ? [name] : [others, name];
        clashes.push({
          code: "kind-clash",
          toolNames,
          message: `\`${name}\` uses a value type \`${type.kind}\` whose fields differ from another one of that kind; give one of them another kind`,
        });
      }
    }
  }
  return { types, clashes };
}
