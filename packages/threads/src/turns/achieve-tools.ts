import { tool, value, type AnyTool } from "@roboz/core";
import * as z from "zod";

import { achievementSchemas, goalSchema, type AgentGoal } from "../wire/goals.ts";
import type { Caller } from "../store/caller.ts";

/** What a goal's achievement does outside, and who may ask for it. */
export interface GoalTargets {
  /** Whether a caller may have a goal achieved; asked before anything is stored. Everybody may by default. */
  readonly mayDeclare?: ((goal: AgentGoal, caller: Caller) => boolean | Promise<boolean>) | undefined;
  /**
   * Does what an achieved goal stands for, such as tagging a dataset. What it throws is shown to the model, which may try
   * again.
   *
   * @param key - The same for each attempt at the same call.
   */
  readonly achieve?:
    | ((goal: AgentGoal, achievement: Readonly<Record<string, unknown>>, key: string) => void | Promise<void>)
    | undefined;
  /** Whether an identifier is of something below a goal's dataset; by default it is. */
  readonly isWithin?: ((targetId: string, datasetId: string) => boolean | Promise<boolean>) | undefined;
}

/** A goal of the turn while a step works on it; kept when the step is. */
export interface TurnGoal {
  readonly ord: number;
  readonly goal: AgentGoal;
  /** The name of its achieve tool. */
  readonly toolName: string;
  status: string;
  achieveToolUseId: string | null;
  isChanged: boolean;
}

/** What the names of achieve tools begin with. */
export const achieveToolPrefix = "achieve_";

const achieved = value("goal_achieved", { status: z.literal("achieved") });

/** Names the achieve tools of goals: by the type, with a number where there are several. */
export function turnGoals(
  rows: readonly {
    readonly ord: number;
    readonly data: unknown;
    readonly status: string;
    readonly achieveToolUseId: string | null;
  }[],
): TurnGoal[] {
  const goals: TurnGoal[] = [];
  for (const { ord, data, status, achieveToolUseId } of rows) {
    const goal = goalSchema.parse(data);
    const others = goals.filter((one) => one.goal.goal_type === goal.goal_type).length;
    const name = `${achieveToolPrefix}${goal.goal_type}`;
    goals.push({
      ord,
      goal,
      toolName: others === 0 ? name : `${name}_${others + 1}`,
      status,
      achieveToolUseId,
      isChanged: false,
    });
  }
  return goals;
}

/** Nanoseconds are beyond what a `number` holds exactly, and the schema must say that they are integers. */
const nanoseconds = z.number().meta({ type: "integer" });

const inputs = {
  dataset_summary: z.object({ summary: z.string() }),
  dataset_triage: z.object({
    label_decisions: z.array(
      z.object({
        label: z.string(),
        applies: z.boolean(),
        justification: z.string(),
        confidence: z.number(),
      }),
    ),
  }),
  create_events: z.object({
    events: z.array(
      z.object({
        name: z.string(),
        start_time: nanoseconds,
        end_time: nanoseconds,
        description: z.string().optional(),
        tags: z.array(z.string()).optional(),
        target_id: z.string().optional(),
      }),
    ),
  }),
};

/**
 * The tool that achieves a goal; bound to its target, which the model cannot change.
 *
 * @param toolUseId - The call under way.
 */
export function achieveTool(goal: TurnGoal, targets: GoalTargets, toolUseId: () => string): AnyTool {
  return tool({
    name: goal.toolName,
    description: `Achieve this goal: ${describeGoal(goal.goal)}`,
    input: inputs[goal.goal.goal_type],
    output: achieved,
    run: async (given) => {
      const key = toolUseId();
      if (goal.status === "achieved") throw new Error("the goal is achieved already");
      goal.achieveToolUseId = key;
      goal.isChanged = true;
      const achievement = await checkedAchievement(goal.goal, { ...given }, targets);
      await targets.achieve?.(goal.goal, achievement, key);
      goal.status = "achieved";
      return achieved({ status: "achieved" });
    },
  });
}

async function checkedAchievement(
  goal: AgentGoal,
  given: unknown,
  targets: GoalTargets,
): Promise<Readonly<Record<string, unknown>>> {
  const parsed = achievementSchemas[goal.goal_type].safeParse(given);
  if (!parsed.success) {
    const said = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new Error(said.join("; "));
  }
  const { data } = parsed;
  if (goal.goal_type === "dataset_triage" && "label_decisions" in data) {
    checkLabels(
      Object.keys(goal.label_vocabulary),
      data.label_decisions.map(({ label }) => label),
    );
  }
  if (goal.goal_type === "create_events" && "events" in data) {
    const tags = Object.keys(goal.tag_vocabulary ?? {});
    for (const event of data.events) {
      if (!Object.hasOwn(goal.event_vocabulary, event.name))
        throw new Error(`\`${event.name}\` is no event of the vocabulary`);
      const tag = event.tags.find((one) => !tags.includes(one));
      if (tag !== undefined) throw new Error(`\`${tag}\` is no tag of the vocabulary`);
      await checkTarget(event.target_id, goal.dataset_id, targets);
    }
  }
  return data;
}

function checkLabels(vocabulary: readonly string[], decided: readonly string[]): void {
  const missing = vocabulary.filter((label) => !decided.includes(label));
  const wrong = decided.filter(
    (label, index) => !vocabulary.includes(label) || decided.indexOf(label) < index,
  );
  if (missing.length > 0) throw new Error(`labels without a decision: ${missing.join(", ")}`);
  if (wrong.length > 0) throw new Error(`labels that are unknown, or decided twice: ${wrong.join(", ")}`);
}

async function checkTarget(
  targetId: string | null | undefined,
  datasetId: string,
  { isWithin }: GoalTargets,
): Promise<void> {
  if (targetId === null || targetId === undefined) throw new Error("an event needs a `target_id`");
  if (!/^(?:ds|fl|tp|mp)_/.test(targetId))
    throw new Error(`\`${targetId}\` is none of a dataset, file, topic or message path`);
  if ((await isWithin?.(targetId, datasetId)) === false)
    throw new Error(`\`${targetId}\` does not belong to \`${datasetId}\``);
}

/** A goal as the model is told of it. */
function describeGoal(goal: AgentGoal): string {
  switch (goal.goal_type) {
    case "dataset_summary":
      return `summarise the dataset ${goal.dataset_id}.${said(goal.summary_format_spec_prompt)}`;
    case "dataset_triage":
      return `decide for each label whether it applies to the dataset ${goal.dataset_id}: ${listed(goal.label_vocabulary)}`;
    case "create_events":
      return `find events in the dataset ${goal.dataset_id}: ${listed(goal.event_vocabulary)}. Tags: ${listed(goal.tag_vocabulary ?? {})}.${said(goal.event_focus_prompt)}`;
  }
}

function said(prompt: string | null | undefined): string {
  return prompt === null || prompt === undefined ? "" : ` ${prompt}`;
}

function listed(vocabulary: Readonly<Record<string, string>>): string {
  return Object.entries(vocabulary)
    .map(([name, description]) => `${name} (${description})`)
    .join(", ");
}

/** What the model is told of the goals of its turn. */
export function goalsPrompt(goals: readonly TurnGoal[]): string {
  if (goals.length === 0) return "";
  const lines = goals.map(({ goal, toolName }) => `- with \`${toolName}\`: ${describeGoal(goal)}`);
  return `This turn has goals. Call the tool of each goal before you end the turn:\n${lines.join("\n")}`;
}

/** What the model is told when it ends a turn too early. */
export function reprompt(goals: readonly TurnGoal[]): string {
  const open = goals.filter(({ status }) => status === "pending").map(({ toolName }) => `\`${toolName}\``);
  return `You ended the turn, and these goals are not achieved. Call their tools now: ${open.join(", ")}.`;
}
