import { integer, integerOrNull, text, textOrNull, type SqlRow } from "./database.ts";

/** A thread as the database has it. JSON is text. */
export interface ThreadRow {
  readonly threadId: string;
  readonly orgId: string;
  readonly created: string;
  readonly createdBy: string;
  readonly principal: string | null;
  readonly status: string;
  readonly title: string | null;
  readonly modelProfile: string | null;
  /** Which of the server's agents runs the thread. */
  readonly agentKey: string;
  readonly systemPrompt: string | null;
  readonly visibility: string;
  readonly origin: string | null;
  readonly analysisScope: string | null;
  /** Null for what the creator subscribes to; else the skills that were resolved at the start, with their bodies. */
  readonly availableSkills: string | null;
  readonly forkedFromThreadId: string | null;
  readonly forkedFromSeq: number | null;
  readonly createdFromAgentId: string | null;
  readonly createdFromTriggerId: string | null;
  readonly lastActivity: string;
  readonly messageCount: number;
  /** The position of the last entry of the log; 0 for none. */
  readonly logHead: number;
  readonly modelHead: number;
  readonly nextTaskId: number;
  /** Where the loop stands that asked the user something; the next message is its reply. */
  readonly question: string | null;
  /** What the loop keeps from turn to turn, such as the skills that are loaded. */
  readonly memory: string | null;
}

/** Reads a row of `threads`. */
export function threadRowOf(row: SqlRow): ThreadRow {
  return {
    threadId: text(row, "thread_id"),
    orgId: text(row, "org_id"),
    created: text(row, "created"),
    createdBy: text(row, "created_by"),
    principal: textOrNull(row, "created_by_principal"),
    status: text(row, "status"),
    title: textOrNull(row, "title"),
    modelProfile: textOrNull(row, "model_profile"),
    agentKey: text(row, "agent_key"),
    systemPrompt: textOrNull(row, "system_prompt"),
    visibility: text(row, "visibility"),
    origin: textOrNull(row, "origin"),
    analysisScope: textOrNull(row, "analysis_scope"),
    availableSkills: textOrNull(row, "available_skills"),
    forkedFromThreadId: textOrNull(row, "forked_from_thread_id"),
    forkedFromSeq: integerOrNull(row, "forked_from_seq"),
    createdFromAgentId: textOrNull(row, "created_from_agent_id"),
    createdFromTriggerId: textOrNull(row, "created_from_trigger_id"),
    lastActivity: text(row, "last_activity"),
    messageCount: integer(row, "message_count"),
    logHead: integer(row, "log_head"),
    modelHead: integer(row, "model_head"),
    nextTaskId: integer(row, "next_task_id"),
    question: textOrNull(row, "question"),
    memory: textOrNull(row, "memory"),
  };
}
