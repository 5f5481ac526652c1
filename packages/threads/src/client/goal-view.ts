import type { z } from "zod";
import { RobotoResponseError } from "../errors/http-exceptions.ts";
import type { AgentToolResultContent, AgentToolUseContent } from "../wire/blocks.ts";
import {
  eventsAchievementSchema,
  goalSchema,
  summaryAchievementSchema,
  triageAchievementSchema,
  type AgentGoal,
  type AgentThreadGoalRecord,
} from "../wire/goals.ts";
import { problemsOf } from "../wire/problems.ts";
import type { HeldThread } from "./held-thread.ts";

/** What every result of a goal has beside what was achieved. */
interface GoalResultFacts {
  readonly status: AgentThreadGoalRecord["status"];
  readonly achieve_tool_use: AgentToolUseContent;
  readonly achieve_tool_result: AgentToolResultContent | null;
}

export type DatasetSummaryResult = GoalResultFacts & { readonly goal_type: "dataset_summary" } & z.output<
    typeof summaryAchievementSchema
  >;
export type DatasetTriageResult = GoalResultFacts & {
  readonly goal_type: "dataset_triage";
  /** The labels that apply, in the order of the goal's vocabulary. */
  readonly applied_labels: readonly string[];
} & z.output<typeof triageAchievementSchema>;
export type CreateEventsResult = GoalResultFacts & { readonly goal_type: "create_events" } & z.output<
    typeof eventsAchievementSchema
  >;

/** What an agent did about a goal, told apart by `goal_type`. */
export type AgentGoalResult = DatasetSummaryResult | DatasetTriageResult | CreateEventsResult;

/** The pair of an attempt at a goal, as far as its blocks are held. */
interface Attempt {
  readonly use: AgentToolUseContent | null;
  readonly result: AgentToolResultContent | null;
}

/** A goal of a thread, with what came of it looked up in the thread's messages. */
export class AgentThreadGoalView {
  readonly record: AgentThreadGoalRecord;
  readonly #held: HeldThread;
  #found: { readonly revision: number; readonly attempt: Attempt } | undefined;

  /** @internal Views come from `goals` of a thread. */
  constructor(record: AgentThreadGoalRecord, held: HeldThread) {
    this.record = record;
    this.#held = held;
  }

  get goal_type(): AgentThreadGoalRecord["goal_type"] {
    return this.record.goal_type;
  }

  get goal_data(): AgentThreadGoalRecord["goal_data"] {
    return this.record.goal_data;
  }

  get status(): AgentThreadGoalRecord["status"] {
    return this.record.status;
  }

  /** The user's message that declared the goal. */
  get message_sequence_num(): number {
    return this.record.message_sequence_num;
  }

  get created(): string {
    return this.record.created;
  }

  get concluded_at(): string | null {
    return this.record.concluded_at;
  }

  get achieve_tool_use_id(): string | null {
    return this.record.achieve_tool_use_id;
  }

  /**
   * The goal as it can be declared again.
   *
   * @throws {@link RobotoResponseError} when it is of a type that this release does not know.
   */
  toAgentGoal(): AgentGoal {
    const { goal_type, goal_data } = this.record;
    const parsed = goalSchema.safeParse({ ...goal_data, goal_type });
    if (parsed.success) return parsed.data;
    const message = `The goal cannot be declared again: ${problemsOf(parsed.error)}`;
    throw new RobotoResponseError({ message, cause: parsed.error });
  }

  /** The call that achieved the goal, or the last attempt; null without one, or while its message is not held. */
  get achieveToolUse(): AgentToolUseContent | null {
    return this.#attempt().use;
  }

  /** What that call answered; null until it is held. */
  get achieveToolResult(): AgentToolResultContent | null {
    return this.#attempt().result;
  }

  /** What the agent gave as the goal's result; null without a call, and when its arguments are none of this goal's. */
  get result(): AgentGoalResult | null {
    const { use: achieve_tool_use, result: achieve_tool_result } = this.#attempt();
    if (achieve_tool_use === null) return null;
    const facts = { status: this.status, achieve_tool_use, achieve_tool_result };
    switch (this.goal_type) {
      case "dataset_summary": {
        const parsed = summaryAchievementSchema.safeParse(achieve_tool_use.input);
        return parsed.success ? { goal_type: "dataset_summary", ...facts, ...parsed.data } : null;
      }
      case "dataset_triage": {
        const parsed = triageAchievementSchema.safeParse(achieve_tool_use.input);
        if (!parsed.success) return null;
        const applied_labels = this.#inOrder(
          parsed.data.label_decisions.flatMap(({ label, applies }) => (applies ? [label] : [])),
        );
        return { goal_type: "dataset_triage", ...facts, ...parsed.data, applied_labels };
      }
      case "create_events": {
        const parsed = eventsAchievementSchema.safeParse(achieve_tool_use.input);
        return parsed.success ? { goal_type: "create_events", ...facts, ...parsed.data } : null;
      }
      default:
        return null;
    }
  }

  #inOrder(labels: readonly string[]): readonly string[] {
    const vocabulary = this.goal_data["label_vocabulary"];
    if (typeof vocabulary !== "object" || vocabulary === null) return labels;
    return Object.keys(vocabulary).filter((label) => labels.includes(label));
  }

  /** Looked up again whenever something was applied: the blocks may come after the goal. */
  #attempt(): Attempt {
    const { revision } = this.#held;
    if (this.#found?.revision !== revision) this.#found = { revision, attempt: this.#lookUp() };
    return this.#found.attempt;
  }

  #lookUp(): Attempt {
    const id = this.achieve_tool_use_id;
    if (id === null) return { use: null, result: null };
    // Passes over the holes of a thread that was loaded without messages, however wide they are.
    const blocks = Object.values(this.#held.record.messages).flatMap(({ content }) => content);
    const use = blocks.find((block) => block.content_type === "tool_use" && block.tool_use_id === id);
    const result = blocks.find((block) => block.content_type === "tool_result" && block.tool_use_id === id);
    if (use?.content_type !== "tool_use") return { use: null, result: null };
    return { use, result: result?.content_type === "tool_result" ? result : null };
  }
}
