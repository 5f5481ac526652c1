import type { GraphNode, ToolGraph } from "../chains/graph.ts";
import { compileActions, type ActionSet } from "../llm/completion/validate.ts";

/** What of an agent's graph a run has: the agent's own tools, and those of the skills it has loaded. */
export interface Reach {
  /** The skills loaded. */
  readonly skills: ReadonlySet<string>;
  /** Whether a tool is there; undefined where all are. */
  readonly isThere: ((node: GraphNode) => boolean) | undefined;
  /** What the model may call, by name. */
  readonly callable: ReadonlyMap<string, GraphNode>;
  /** The same for the model; compiled when it is first asked for. */
  readonly actions: ActionSet;
}

/** Gives what a run has when it has loaded these skills; made once for each set of them. */
export type ReachOf = (skills: ReadonlySet<string>) => Reach;

/** How many sets of skills are kept compiled for one agent. */
const mostKept = 100;

/** Indexes a graph by the skills that are loaded. */
export function reachesOf(graph: ToolGraph): ReachOf {
  const names = graph.nodes.flatMap(({ loads }) => (loads === null ? [] : loads.name));
  const kept = new Map<string, Reach>();
  return (skills) => {
    const key = names.filter((name) => skills.has(name)).join(" ");
    let reach = kept.get(key);
    if (reach === undefined) {
      if (kept.size >= mostKept) kept.clear();
      kept.set(key, (reach = makeReach(graph, new Set(skills))));
    }
    return reach;
  };
}

function makeReach(graph: ToolGraph, skills: ReadonlySet<string>): Reach {
  const isLoaded = (needed: readonly string[] | null): boolean =>
    needed === null || needed.some((name) => skills.has(name));
  const hasSkills = graph.nodes.some((node) => node.skills !== null);
  const callable = new Map([...graph.callable].filter(([, node]) => isLoaded(node.callableWith)));
  let actions: ActionSet | undefined;
  return {
    skills,
    isThere: hasSkills ? (node) => isLoaded(node.skills) : undefined,
    callable,
    get actions() {
      return (actions ??= compileActions(
        [...callable.values()].map(({ tool }) => tool),
        // What is loaded when the run starts need not be offered; the model may call it all the same.
        new Set(
          [...callable.values()].flatMap(({ name, loads }) => (loads?.isAutoLoaded === true ? name : [])),
        ),
      ));
    },
  };
}
