import { stringifyJson } from "../wire/json.ts";
import type { AgentThreadRecord } from "../wire/thread.ts";
import type { Caller } from "./caller.ts";
import { text } from "./database.ts";
import { invalid } from "./errors.ts";
import { threadRecord } from "./records.ts";
import type { ThreadRow } from "./thread-row.ts";
import type { ThreadTransaction } from "./thread-store.ts";
import { threadFor } from "./threads.ts";
import type { SkillCopy } from "./trigger.ts";

/**
 * Copies a thread up to a message, that one too, to a private thread of the caller's.
 *
 * @param skills - The available skills that the caller may see; null for what the caller subscribes to.
 * @throws {@link RobotoInvalidRequestException} for a message that is not there or not at its end.
 */
export async function forkThread(
  transaction: ThreadTransaction,
  source: ThreadRow,
  {
    caller,
    seq,
    skills,
  }: { readonly caller: Caller; readonly seq: number; readonly skills: readonly SkillCopy[] | null },
): Promise<AgentThreadRecord> {
  const { queries, newId, now } = transaction;
  const [message] = await queries.rows(
    "SELECT status FROM messages WHERE thread_id = $1 AND seq = $2",
    source.threadId,
    seq,
  );
  if (message === undefined) throw invalid(`The thread has no message ${seq}`);
  if (!["completed", "failed", "cancelled"].includes(text(message, "status")))
    throw invalid(`Message ${seq} is still being written; fork at an earlier one, or wait`);
  const threadId = newId("ath");
  await queries.run(
    `INSERT INTO threads (thread_id, org_id, created, created_by, created_by_principal, status, title, model_profile,
      agent_key, system_prompt, visibility, origin, analysis_scope, available_skills, forked_from_thread_id,
      forked_from_seq, last_activity, message_count, log_head, model_head, next_task_id)
      SELECT $1, org_id, $2, $3, $4, 'user_turn', title, model_profile, agent_key, system_prompt, 'private', 'api',
        analysis_scope, $5, thread_id, $6, $2, $7, 0, model_head, 1 FROM threads WHERE thread_id = $8`,
    threadId,
    now(),
    caller.userId,
    caller.principal,
    skills === null ? null : stringifyJson(skills),
    seq,
    seq + 1,
    source.threadId,
  );
  await queries.run(
    `INSERT INTO messages (thread_id, seq, role, status, created, turn_id, blocks)
      SELECT $1, seq, role, status, created, NULL, blocks FROM messages WHERE thread_id = $2 AND seq <= $3`,
    threadId,
    source.threadId,
    seq,
  );
  await queries.run(
    `INSERT INTO blocks (thread_id, seq, block, type, data, tool_use_id)
      SELECT $1, seq, block, type, data, tool_use_id FROM blocks WHERE thread_id = $2 AND seq <= $3`,
    threadId,
    source.threadId,
    seq,
  );
  // What the model was shown when the message was the last one.
  await queries.run(
    `INSERT INTO model_messages (thread_id, n, seq, since_seq, data)
      SELECT $1, n, seq, since_seq, data FROM model_messages
      WHERE thread_id = $2 AND seq <= $3 AND since_seq <= $3 AND (until_seq IS NULL OR until_seq > $3)`,
    threadId,
    source.threadId,
    seq,
  );
  await queries.run(
    `INSERT INTO goals (thread_id, ord, turn_id, goal_type, goal_data, status, declared_seq, created, concluded_at,
      achieve_tool_use_id)
      SELECT $1, ord, NULL, goal_type, goal_data, status, declared_seq, created, concluded_at, achieve_tool_use_id
      FROM goals WHERE thread_id = $2 AND declared_seq <= $3 AND status <> 'pending'`,
    threadId,
    source.threadId,
    seq,
  );
  const row = await threadFor(transaction, threadId, caller, "read");
  return threadRecord(transaction, row, { messages: true, details: true });
}
