import { z } from "zod";
import { open, SkillAccessibility, SkillListScope } from "./enums.ts";
import { identifierSchema, versionNumberSchema } from "./identifier.ts";
import { instantSchema } from "./message.ts";

/** The most skills that may be made available to a thread. */
export const maxAvailableSkills = 100;

/** Names a skill, and a version of it; the highest one when it is left out. */
export const invokeSkillSchema = z.object({
  skill_id: identifierSchema,
  version: versionNumberSchema.nullish(),
});
export type InvokeSkillSpec = z.input<typeof invokeSkillSchema>;
/** A skill that the model may load by itself. */
export type AvailableSkillSpec = InvokeSkillSpec;

export const skillNameSchema = z
  .string()
  .max(120)
  .regex(/^[A-Za-z0-9_-]+$/);

export const skillSchema = z.object({
  skill_id: z.string(),
  org_id: z.string(),
  accessibility: open(SkillAccessibility),
  name: z.string(),
  tags: z.array(z.string()).default([]),
  created: instantSchema,
  created_by: z.string(),
  modified: instantSchema,
});
export type SkillRecord = z.output<typeof skillSchema>;

export const skillVersionSchema = z.object({
  skill_id: z.string(),
  version: z.number(),
  description: z.string(),
  body: z.string(),
  relevant_topics: z.array(z.string()).default([]),
  created: instantSchema,
  modified: instantSchema,
});
export type SkillVersionRecord = z.output<typeof skillVersionSchema>;

/** Without `ai_version` a skill is seen and not invoked by the model. */
export const skillSubscriptionSchema = z.object({
  user_id: z.string(),
  skill_id: z.string(),
  ai_version: z.number().nullable().default(null),
  subscribed: instantSchema,
});
export type SkillSubscriptionRecord = z.output<typeof skillSubscriptionSchema>;

export const skillSummarySchema = z.object({
  skill: skillSchema,
  latest_version: skillVersionSchema.nullable().default(null),
  subscription: skillSubscriptionSchema.nullable().default(null),
});
export type SkillSummary = z.output<typeof skillSummarySchema>;

const versionFields = {
  description: z.string().max(500),
  body: z.string(),
  relevant_topics: z.array(z.string()).default([]),
};

export const createSkillRequestSchema = z.object({
  name: skillNameSchema,
  accessibility: z.enum(SkillAccessibility).default("private"),
  tags: z.array(z.string()).default([]),
  ...versionFields,
});
export type CreateSkillRequest = z.input<typeof createSkillRequestSchema>;

/** What is left out stays as it is. */
export const updateSkillRequestSchema = z.object({
  name: skillNameSchema.optional(),
  accessibility: z.enum(SkillAccessibility).optional(),
  tags: z.array(z.string()).optional(),
});
export type UpdateSkillRequest = z.input<typeof updateSkillRequestSchema>;

export const createSkillVersionRequestSchema = z.object(versionFields);
export type CreateSkillVersionRequest = z.input<typeof createSkillVersionRequestSchema>;

/** What is left out stays as it is. */
export const updateSkillVersionRequestSchema = z.object({
  description: z.string().max(500).optional(),
  body: z.string().optional(),
  relevant_topics: z.array(z.string()).optional(),
});
export type UpdateSkillVersionRequest = z.input<typeof updateSkillVersionRequestSchema>;

export const subscribeSkillRequestSchema = z.object({ ai_version: versionNumberSchema.nullish() });
export type SubscribeSkillRequest = z.input<typeof subscribeSkillRequestSchema>;

export const skillListScopeSchema = z.enum(SkillListScope);
