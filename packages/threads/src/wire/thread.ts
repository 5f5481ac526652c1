import { z } from "zod";
import { toolResultContentSchema, toolUseContentSchema, withContentType } from "./blocks.ts";
import { AgentThreadStatus, open, ThreadOrigin, ThreadVisibility } from "./enums.ts";
import { goalRecordSchema } from "./goals.ts";
import { instantSchema, messageSchema } from "./message.ts";
import { taskSchema } from "./tasks.ts";

/** A call of a client tool that nobody has answered yet. */
export const pendingClientToolSchema = z.object({
  tool_use_id: z.string(),
  tool_name: z.string(),
  input: z.record(z.string(), z.unknown()).nullable().default(null),
  message_sequence_num: z.number(),
});
export type PendingClientTool = z.output<typeof pendingClientToolSchema>;

const threadFields = z.object({
  thread_id: z.string(),
  org_id: z.string(),
  created: instantSchema,
  created_by: z.string(),
  /** What drove the start, as `type:id`; null on old threads. */
  created_by_principal: z.string().nullable().default(null),
  status: open(AgentThreadStatus),
  /** Empty also when they were not loaded. */
  messages: z.array(messageSchema).default([]),
  /** The position from which the next delta is asked for. */
  continuation_token: z.string(),
  title: z.string().nullable().default(null),
  model_profile: z.string().nullable().default(null),
  visibility: open(ThreadVisibility).default("private"),
  /** Null is the same as `api`. */
  origin: open(ThreadOrigin).nullable().default(null),
  /** The calling user's pin; only listing and searching fill it. */
  pinned_at: instantSchema.nullable().default(null),
  forked_from_thread_id: z.string().nullable().default(null),
  forked_from_message_sequence_num: z.number().nullable().default(null),
  created_from_agent_id: z.string().nullable().default(null),
  created_from_trigger_id: z.string().nullable().default(null),
  /** Null when they were not loaded, empty when there are none. */
  goals: z.array(goalRecordSchema).nullable().default(null),
  /** Null when they were not loaded, empty when there are none. */
  tasks: z.array(taskSchema).nullable().default(null),
  message_count: z.number().nullable().default(null),
  /** Null when the server does not say; empty unless the thread waits for client tools. */
  pending_client_tools: z.array(pendingClientToolSchema).nullable().default(null),
});

/** Older names of fields, and what they are called now. */
const aliases = [
  ["session_id", "thread_id"],
  ["chat_id", "thread_id"],
  ["forked_from_session_id", "forked_from_thread_id"],
] as const;

function withCurrentNames(record: unknown): unknown {
  if (typeof record !== "object" || record === null) return record;
  const renamed: Record<string, unknown> = { ...record };
  for (const [older, current] of aliases) renamed[current] ??= renamed[older];
  return renamed;
}

/** A thread as the server gives it; fields by their older names are read too. */
export const threadRecordSchema = z.preprocess(withCurrentNames, threadFields);
export type AgentThreadRecord = z.output<typeof threadRecordSchema>;

/** What happened in a thread after a position. */
export const threadDeltaSchema = z.object({
  /** Changed messages by their index; each has only its new blocks, and its present status. */
  messages_by_idx: z.record(z.string().regex(/^(?:0|[1-9]\d{0,8})$/), messageSchema).default({}),
  continuation_token: z.string(),
  /** Null is unchanged, as for `title`. */
  status: open(AgentThreadStatus).nullable().default(null),
  title: z.string().nullable().default(null),
  /** Null is unchanged; an array, an empty one too, takes the place of what was held. */
  goals: z.array(goalRecordSchema).nullable().default(null),
  tasks: z.array(taskSchema).nullable().default(null),
  /** Whether another page can be had at once; until the last one there is no status, title, goals or tasks. */
  has_more: z.boolean().default(false),
  pending_client_tools: z.array(pendingClientToolSchema).nullable().default(null),
});
export type AgentThreadDelta = z.output<typeof threadDeltaSchema>;

/** Something a thread is about, such as a dataset. */
export const threadSubjectSchema = z.object({
  association_id: z.string(),
  note: z.string().nullable().default(null),
});
export type AgentThreadSubject = z.output<typeof threadSubjectSchema>;

/** The unsanitised pair of one call of a tool. */
export const toolDetailSchema = z.object({
  tool_use: z.preprocess(withContentType, toolUseContentSchema),
  tool_result: z.preprocess(withContentType, toolResultContentSchema.nullable().default(null)),
});
export type AgentToolDetailResponse = z.output<typeof toolDetailSchema>;

export const modelProfileSchema = z.object({
  id: z.string(),
  label: z.string(),
  description: z.string().nullable().default(null),
  is_default: z.boolean().default(false),
});
export type ModelProfileResponse = z.output<typeof modelProfileSchema>;

/** What sending a message answers; the number is null when no message was stored. */
export const messageReceiptSchema = z.object({
  message_sequence_num: z.number().nullable().default(null),
  status: open(AgentThreadStatus),
});
export type MessageReceipt = z.output<typeof messageReceiptSchema>;

/** What submitting results answers: the calls that are still unanswered. */
export const toolResultsReceiptSchema = z.object({
  status: open(AgentThreadStatus),
  remaining: z.array(z.string()).default([]),
});
export type ToolResultsReceipt = z.output<typeof toolResultsReceiptSchema>;
