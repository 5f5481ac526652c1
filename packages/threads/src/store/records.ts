import { parseJson } from "../wire/json.ts";
import type { AgentThreadGoalRecord } from "../wire/goals.ts";
import { taskSchema, type AgentTask } from "../wire/tasks.ts";
import type { AgentThreadRecord } from "../wire/thread.ts";
import { continuationToken } from "./continuation.ts";
import { integer, text, textOrNull, type SqlRow } from "./database.ts";
import type { ThreadRow } from "./thread-row.ts";
import type { ThreadView } from "./thread-store.ts";
import { pendingClientTools, readMessages } from "./transcript.ts";

/** What a thread is read with. */
export interface RecordParts {
  readonly messages: boolean;
  /** Goals, tasks and the calls that wait for a client; false leaves them null. */
  readonly details: boolean;
  readonly pinnedAt?: string | null | undefined;
}

/** A thread as the wire has it. */
export async function threadRecord(
  view: ThreadView,
  row: ThreadRow,
  { messages, details, pinnedAt = null }: RecordParts,
): Promise<AgentThreadRecord> {
  const { threadId, logHead } = row;
  return {
    thread_id: threadId,
    org_id: row.orgId,
    created: row.created,
    created_by: row.createdBy,
    created_by_principal: row.principal,
    status: row.status,
    messages: messages ? await readMessages(view, threadId) : [],
    continuation_token: continuationToken(view.secret, threadId, { pos: logHead, base: logHead }),
    title: row.title,
    model_profile: row.modelProfile,
    visibility: row.visibility,
    origin: row.origin,
    pinned_at: pinnedAt,
    forked_from_thread_id: row.forkedFromThreadId,
    forked_from_message_sequence_num: row.forkedFromSeq,
    created_from_agent_id: row.createdFromAgentId,
    created_from_trigger_id: row.createdFromTriggerId,
    goals: details ? await readGoals(view, threadId) : null,
    tasks: details ? await readTasks(view, threadId) : null,
    message_count: row.messageCount,
    pending_client_tools: details ? await pendingOf(view, row) : null,
  };
}

/** The calls that a thread waits for; empty unless it does. */
export async function pendingOf(
  view: ThreadView,
  { threadId, status }: Pick<ThreadRow, "threadId" | "status">,
): ReturnType<typeof pendingClientTools> {
  return status === "client_tool_turn" ? pendingClientTools(view, threadId) : [];
}

/** The goals of a thread, the oldest first. */
export async function readGoals(view: ThreadView, threadId: string): Promise<AgentThreadGoalRecord[]> {
  const rows = await view.queries.rows("SELECT * FROM goals WHERE thread_id = $1 ORDER BY ord", threadId);
  return rows.map(goalOf);
}

/** A goal as the wire has it. */
function goalOf(row: SqlRow): AgentThreadGoalRecord {
  return {
    goal_type: text(row, "goal_type"),
    goal_data: objectOf(text(row, "goal_data")),
    status: text(row, "status"),
    message_sequence_num: integer(row, "declared_seq"),
    created: text(row, "created"),
    concluded_at: textOrNull(row, "concluded_at"),
    achieve_tool_use_id: textOrNull(row, "achieve_tool_use_id"),
  };
}

/** The tasks of a thread, by position. */
export async function readTasks(view: ThreadView, threadId: string): Promise<AgentTask[]> {
  const rows = await view.queries.rows(
    "SELECT data FROM tasks WHERE thread_id = $1 ORDER BY position, task_id",
    threadId,
  );
  return rows.map((row) => taskSchema.parse(parseJson(text(row, "data"))));
}

/** An object that is kept as JSON. */
export function objectOf(json: string): Record<string, unknown> {
  const parsed = parseJson(json);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new Error("What was kept as an object is none");
  return { ...parsed };
}
