import type { Agent, AnyTool } from "@roboz/core";

import type { AgentTask, AgentTaskBoundary } from "../wire/tasks.ts";
import { achieveTool, goalsPrompt, type GoalTargets } from "./achieve-tools.ts";
import { clientTool, modelName } from "./client-tool.ts";
import { skillTool } from "./skill-tool.ts";
import { taskToolNames, taskTools, type TaskBook } from "./task-tools.ts";
import { buildTurnAgent, toolNamesOf, type ThreadAgent } from "./thread-agent.ts";
import type { TurnFacts } from "./turn-facts.ts";

/** The call under way, as the turn's own tools have to know it. */
export interface CurrentCall {
  readonly toolUseId: () => string;
  readonly boundary: () => AgentTaskBoundary;
}

/** A turn's agent, with the tools that the turn adds to it. */
export interface TurnAgent {
  readonly agent: Agent;
  readonly tasks: TaskBook;
  /** What a tool of the model is called in the thread: a client's by the name that it was declared with. */
  readonly nameInThread: (name: string) => string;
  readonly isClientTool: (name: string) => boolean;
  /** Whether a call of the tool may be made again after a crash. */
  readonly isIdempotent: (name: string) => boolean;
  /** Whether all that a call does is kept with its result. */
  readonly isOwn: (name: string) => boolean;
}

/** Builds the agent of a turn. */
export function turnAgent(
  given: ThreadAgent,
  facts: TurnFacts,
  targets: GoalTargets,
  call: CurrentCall,
): TurnAgent {
  const own = toolNamesOf(given);
  const tasks = taskBook(facts.tasks, call.boundary);
  const goalTools = facts.goals.map((goal) => achieveTool(goal, targets, call.toolUseId));
  const load = skillTool(facts.skills);
  const planning = given.tasks === false ? [] : taskTools(tasks);
  const ownTools: AnyTool[] = [...goalTools, ...(load === undefined ? [] : [load]), ...planning];
  const taken = new Set([...own, ...ownTools.map(({ name }) => name)]);
  const names = new Map<string, string>();
  const carriedOut = new Set(given.clientTools ?? []);
  const declaredTools = facts.clientTools.filter(({ name }) => !carriedOut.has(name));
  const clientTools = declaredTools.map((declared) => {
    const name = modelName(declared.name, taken);
    taken.add(name);
    names.set(name, declared.name);
    return clientTool(declared, name, () => facts.answers.get(call.toolUseId()));
  });
  const ownNames = new Set([...goalTools.map(({ name }) => name), "load_skill", ...taskToolNames]);
  const idempotent = new Set(given.idempotentTools ?? []);
  return {
    agent: buildTurnAgent(given, {
      tools: [...clientTools, ...ownTools],
      prompts: [facts.row.systemPrompt ?? "", goalsPrompt(facts.goals)],
    }),
    tasks,
    nameInThread: (name) => names.get(name) ?? name,
    isClientTool: (name) => names.has(name),
    isIdempotent: (name) => idempotent.has(name) || ownNames.has(name) || names.has(name),
    isOwn: (name) => ownNames.has(name) || names.has(name),
  };
}

function taskBook(tasks: readonly AgentTask[], boundary: () => AgentTaskBoundary): TaskBook {
  let next = Math.max(0, ...tasks.map(({ task_id }) => task_id)) + 1;
  return {
    tasks: [...tasks],
    isChanged: false,
    boundary,
    takeId: () => {
      next += 1;
      return next - 1;
    },
  };
}
