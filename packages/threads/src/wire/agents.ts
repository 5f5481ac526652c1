import { z } from "zod";
import { TemplateVariableType, open, ThreadVisibility } from "./enums.ts";
import { identifierSchema } from "./identifier.ts";
import { instantSchema } from "./message.ts";
import { analysisScopeSchema } from "./scope.ts";

export const templateVariableSchema = z.object({
  name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.]*$/),
  type: open(TemplateVariableType).default("string"),
  description: z.string().nullable().default(null),
  required: z.boolean().default(true),
  default: z.string().nullable().default(null),
  collection_content_type: z.string().nullable().default(null),
});
/** A name that a template's texts hold as `{{ name }}`. */
export type TemplateVariable = z.output<typeof templateVariableSchema>;

const givenVariableSchema = templateVariableSchema
  .extend({ type: z.enum(TemplateVariableType).default("string") })
  .refine(({ required, default: value }) => required || value !== null, {
    error: "an optional variable has a default",
    path: ["default"],
  })
  .refine(
    ({ type, collection_content_type }) => collection_content_type === null || type === "collection_id",
    {
      error: "goes with variables of type `collection_id`",
      path: ["collection_content_type"],
    },
  );

/** A request to start a thread whose texts hold placeholders; what it must be after they are filled in is checked then. */
const requestTemplateSchema = z.record(z.string(), z.unknown());

export const agentRecordSchema = z.object({
  agent_id: z.string(),
  org_id: z.string(),
  name: z.string(),
  description: z.string().nullable().default(null),
  request_template: requestTemplateSchema,
  variables: z.array(templateVariableSchema).default([]),
  created: instantSchema,
  created_by: z.string(),
  modified: instantSchema,
  modified_by: z.string(),
});
/** A template from which threads are launched. */
export type AgentRecord = z.output<typeof agentRecordSchema>;

const agentFields = {
  name: identifierSchema,
  description: z.string().nullish(),
  request_template: requestTemplateSchema,
  variables: z.array(givenVariableSchema).default([]),
};

export const createAgentRequestSchema = z.object(agentFields);
export type CreateAgentRequest = z.input<typeof createAgentRequestSchema>;

/** What is left out stays as it is; a `description` of null clears it. */
export const updateAgentRequestSchema = z.object({
  name: agentFields.name.optional(),
  description: agentFields.description,
  request_template: requestTemplateSchema.optional(),
  variables: z.array(givenVariableSchema).optional(),
});
export type UpdateAgentRequest = z.input<typeof updateAgentRequestSchema>;

export const launchAgentRequestSchema = z.object({
  values: z.record(z.string(), z.string()).default({}),
  visibility: z.enum(ThreadVisibility).default("org"),
  analysis_scope: analysisScopeSchema.nullish(),
});
export type LaunchAgentRequest = z.input<typeof launchAgentRequestSchema>;
