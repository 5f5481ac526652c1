import { z } from "zod";
import { clientToolResultSchema, clientToolSpecSchema } from "./client-tools.ts";
import { AgentThreadStatus, ThreadVisibility } from "./enums.ts";
import { goalSchema, maxGoals } from "./goals.ts";
import { AgentMessage, givenMessageSchema } from "./message.ts";
import { analysisScopeSchema, viewingContextSchema } from "./scope.ts";
import { invokeSkillSchema, maxAvailableSkills } from "./skills.ts";

/** A list that may be left out or null, which is the same as an empty one. */
function listOf<S extends z.ZodType>(entry: S, max?: number) {
  const list = z.array(entry);
  return (max === undefined ? list : list.max(max)).nullish().transform((list) => list ?? []);
}

/** What a start and a later message have in common. */
const turnFields = {
  client_context: viewingContextSchema.nullish(),
  client_tools: z.array(clientToolSpecSchema).nullish(),
  analysis_scope: analysisScopeSchema.nullish(),
  goals: listOf(goalSchema, maxGoals),
  invoke_skills: listOf(invokeSkillSchema),
};

/** Reads `context`, which `client_context` was called before. */
function withClientContext(body: unknown): unknown {
  if (typeof body !== "object" || body === null || !("context" in body)) return body;
  const { context, ...others } = body;
  return { ...others, client_context: ("client_context" in body ? body.client_context : null) ?? context };
}

const trigger = "something is to be answered: a message, a goal or a skill to invoke";
const blank = "the text of a user's message is not blank";

type GivenMessage = z.output<typeof givenMessageSchema>;

function isBlank(message: GivenMessage): boolean {
  return AgentMessage.textOf(message).trim() === "";
}

function hasText({ content }: GivenMessage): boolean {
  return content.some(({ content_type }) => content_type === "text");
}

const startFields = z
  .object({
    messages: listOf(
      givenMessageSchema.refine(({ role }) => role !== "roboto", {
        error: "messages that start a thread have the role `user` or `assistant`",
        path: ["role"],
      }),
    ),
    system_prompt: z.string().nullish(),
    model_profile: z.string().nullish(),
    /** Null has it derived from the caller's subscriptions each turn; empty is none at all. */
    available_skills: z
      .array(invokeSkillSchema)
      .max(maxAvailableSkills)
      .refine(
        (skills) => new Set(skills.map(({ skill_id }) => skill_id)).size === skills.length,
        "names each skill once",
      )
      .nullish(),
    visibility: z
      .enum(ThreadVisibility)
      .nullish()
      .transform((visibility) => visibility ?? "private"),
    ...turnFields,
  })
  .superRefine(({ messages, goals, invoke_skills }, context) => {
    const say = (message: string, path: PropertyKey[] = []): void => {
      context.addIssue({ code: "custom", message, path });
    };
    if (messages.length + goals.length + invoke_skills.length === 0) say(trigger);
    for (const [index, message] of messages.entries()) {
      if (message.role === "user" && isBlank(message)) say(blank, ["messages", index]);
    }
    const last = messages.at(-1);
    if (last === undefined || invoke_skills.length > 0) return;
    if (goals.length > 0) {
      if (!messages.some(hasText)) say("one of the messages beside goals holds text", ["messages"]);
    } else if (last.role !== "user") {
      say("the last message is a user's: there is nothing to answer", ["messages"]);
    }
  });
/** The body of a start, see {@link startThreadRequestSchema}. */
export type StartAgentThreadRequest = z.input<typeof startFields>;

/**
 * The body of a start: at least one message, goal or skill to invoke. Seeded history is of users and assistants, and ends
 * with a user's message unless goals or skills trigger the turn.
 */
export const startThreadRequestSchema = z.preprocess<unknown, typeof startFields, StartAgentThreadRequest>(
  withClientContext,
  startFields,
);

const messageFields = z
  .object({
    message: givenMessageSchema
      .refine(({ role }) => role === "user", {
        error: "a message that is sent has the role `user`",
        path: ["role"],
      })
      .refine(({ content }) => content.length > 0, { error: "is not empty", path: ["content"] })
      .refine(({ content }) => content.every(({ content_type }) => content_type === "text"), {
        error: "holds only text; results of tools are submitted by themselves",
        path: ["content"],
      })
      .refine((message) => !isBlank(message), { error: blank, path: ["content"] })
      .nullish()
      .transform((message) => message ?? null),
    ...turnFields,
  })
  .refine(
    ({ message, goals, invoke_skills }) => message !== null || goals.length > 0 || invoke_skills.length > 0,
    trigger,
  );
/** The body of a message, see {@link sendMessageRequestSchema}. */
export type SendMessageRequest = z.input<typeof messageFields>;

/** The body of a message: a user's text, goals or skills to invoke, one of them at least. */
export const sendMessageRequestSchema = z.preprocess<unknown, typeof messageFields, SendMessageRequest>(
  withClientContext,
  messageFields,
);

export const submitToolResultsRequestSchema = z.object({
  tool_results: z.array(clientToolResultSchema).min(1),
  client_tools: z.array(clientToolSpecSchema).nullish(),
});
export type SubmitToolResultsRequest = z.input<typeof submitToolResultsRequestSchema>;

export const forkRequestSchema = z.object({ message_sequence_num: z.int32() });
export type ForkThreadRequest = z.input<typeof forkRequestSchema>;

export const pinRequestSchema = z.object({ pinned: z.boolean() });
export type PinThreadRequest = z.input<typeof pinRequestSchema>;

export const visibilityRequestSchema = z.object({ visibility: z.enum(ThreadVisibility) });
export type SetVisibilityRequest = z.input<typeof visibilityRequestSchema>;

/** The most characters that a search looks for. */
const maxSearchChars = 1000;

/** Filters of a search; those given must all hold. */
export const searchThreadsRequestSchema = z.object({
  status: z.enum(AgentThreadStatus).nullish(),
  created_by: z.string().nullish(),
  visibility: z.enum(ThreadVisibility).nullish(),
  agent_id: z.string().nullish(),
  trigger_id: z.string().nullish(),
  subject_id: z.string().nullish(),
  /** Part of the title or of a message's text, in any case. */
  text: z.string().max(maxSearchChars).nullish(),
  pinned: z.boolean().nullish(),
  page_token: z.string().nullish(),
  page_size: z.int().min(1).max(200).nullish(),
});
export type SearchThreadsRequest = z.input<typeof searchThreadsRequestSchema>;
