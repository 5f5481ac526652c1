import { z } from "zod";
import { AgentGoalStatus, GoalType, open } from "./enums.ts";
import { identifierSchema } from "./identifier.ts";
import { instantSchema } from "./message.ts";
import { strictNanosecondsSchema } from "./nanoseconds.ts";

/** The most goals that one turn may have. */
export const maxGoals = 5;

/** How many characters a text has, those beyond the basic plane counted once. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) length += 1;
  return length;
}

const atMost = (max: number) =>
  z.string().refine((text) => lengthOf(text) <= max, `has at most ${max} characters`);
const prompt = atMost(4000).min(1);
const nonBlank = (text: string): boolean => text.trim() !== "";
const description = atMost(500).refine(nonBlank, "is not blank");
const vocabularyName = atMost(100).refine(nonBlank, "is not blank");

function vocabulary<K extends z.ZodType<string, string>>(name: K, min: number) {
  return z
    .record(name, description)
    .refine((entries) => Object.keys(entries).length >= min, `has at least ${min} entries`)
    .refine((entries) => Object.keys(entries).length <= 50, "has at most 50 entries");
}

export const datasetSummaryGoalSchema = z.object({
  goal_type: z.literal("dataset_summary"),
  dataset_id: identifierSchema,
  summary_format_spec_prompt: prompt.nullish(),
});
/** Have a dataset summarised. */
export type DatasetSummaryGoal = z.input<typeof datasetSummaryGoalSchema>;

export const datasetTriageGoalSchema = z.object({
  goal_type: z.literal("dataset_triage"),
  dataset_id: identifierSchema,
  label_vocabulary: vocabulary(z.string().regex(/^[a-zA-Z0-9_-]+$/), 1),
});
/** Have each label of a vocabulary (label to description, 1 to 50) decided for a dataset. */
export type DatasetTriageGoal = z.input<typeof datasetTriageGoalSchema>;

export const createEventsGoalSchema = z.object({
  goal_type: z.literal("create_events"),
  dataset_id: identifierSchema,
  event_vocabulary: vocabulary(vocabularyName, 1),
  tag_vocabulary: vocabulary(vocabularyName, 0).default({}),
  collection_id: identifierSchema.nullish(),
  event_focus_prompt: prompt.nullish(),
});
/** Have events of a vocabulary (name to description, 1 to 50) found in a dataset. */
export type CreateEventsGoal = z.input<typeof createEventsGoalSchema>;

/** What a turn must have achieved before it ends, told apart by `goal_type`. */
export const goalSchema = z.discriminatedUnion("goal_type", [
  datasetSummaryGoalSchema,
  datasetTriageGoalSchema,
  createEventsGoalSchema,
]);
export type AgentGoal = z.input<typeof goalSchema>;

export const summaryAchievementSchema = z.object({ summary: z.string().refine(nonBlank, "is not blank") });
export const labelDecisionSchema = z.object({
  label: z.string(),
  applies: z.boolean(),
  justification: z.string().refine(nonBlank, "is not blank"),
  confidence: z.number().min(0).max(1),
});
export type LabelDecision = z.output<typeof labelDecisionSchema>;
export const triageAchievementSchema = z.object({ label_decisions: z.array(labelDecisionSchema).min(1) });
export const foundEventSchema = z
  .object({
    name: z.string(),
    start_time: strictNanosecondsSchema,
    end_time: strictNanosecondsSchema,
    description: z.string().nullish(),
    tags: z.array(z.string()).default([]),
    target_id: z.string().nullish(),
  })
  .refine((event) => event.end_time >= event.start_time, {
    error: "ends before it starts",
    path: ["end_time"],
  });
/** An event that was found; its times are nanoseconds, both inclusive. */
export type FoundEvent = z.output<typeof foundEventSchema>;
export const eventsAchievementSchema = z.object({ events: z.array(foundEventSchema) });

/** What the achieve tool of each type of goal takes. */
export const achievementSchemas = {
  dataset_summary: summaryAchievementSchema,
  dataset_triage: triageAchievementSchema,
  create_events: eventsAchievementSchema,
} as const satisfies Record<GoalType, z.ZodType>;

/** A goal as a thread keeps it. `message_sequence_num` is the message that declared it. */
export const goalRecordSchema = z.object({
  goal_type: open(GoalType),
  goal_data: z.record(z.string(), z.unknown()),
  status: open(AgentGoalStatus),
  message_sequence_num: z.number(),
  created: instantSchema,
  /** Null while the goal is pending. */
  concluded_at: instantSchema.nullable().default(null),
  /** The call that achieved the goal; the last attempt when it failed or is pending; null without one. */
  achieve_tool_use_id: z.string().nullable().default(null),
});
export type AgentThreadGoalRecord = z.output<typeof goalRecordSchema>;
