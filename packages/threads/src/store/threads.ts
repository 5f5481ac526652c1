import { stringifyJson } from "../wire/json.ts";
import type { AgentThreadRecord, ToolResultsReceipt, MessageReceipt } from "../wire/thread.ts";
import { refusalOf, type Caller, type ThreadAction } from "./caller.ts";
import { RobotoThreadReadOnlyException } from "../errors/http-exceptions.ts";
import { invalid, notFound } from "./errors.ts";
import { threadRecord } from "./records.ts";
import { threadRowOf, type ThreadRow } from "./thread-row.ts";
import type { ThreadTransaction, ThreadView } from "./thread-store.ts";
import { lockThread, ThreadWriter } from "./thread-writer.ts";
import { answerCall } from "./tool-calls.ts";
import { acceptTrigger, declareTools, type DeclaredTool, type SkillCopy, type Trigger } from "./trigger.ts";
import { cancelledEnd, closeTurn } from "./turn-end.ts";
import { requeueTurn } from "./turns.ts";
import { text } from "./database.ts";
import { pendingClientTools } from "./transcript.ts";

/** What a thread is started with. */
export interface ThreadStart {
  readonly caller: Caller;
  readonly orgId: string;
  /** Which of the server's agents runs the thread. */
  readonly agentKey: string;
  readonly modelProfile: string | null;
  readonly systemPrompt: string | null;
  readonly visibility: "private" | "org";
  /** `api`, or the outside surface that owns the thread. */
  readonly origin: string;
  /** As JSON. */
  readonly analysisScope: string | null;
  readonly availableSkills: readonly SkillCopy[] | null;
  readonly createdFromAgentId?: string | undefined;
  readonly createdFromTriggerId?: string | undefined;
}

/** Makes a thread without anything in it, in nobody's turn yet. */
async function createThread(transaction: ThreadTransaction, start: ThreadStart): Promise<ThreadWriter> {
  const { queries, newId, now } = transaction;
  const threadId = newId("ath");
  const { availableSkills: skills } = start;
  const [row] = await queries.rows(
    `INSERT INTO threads (thread_id, org_id, created, created_by, created_by_principal, status, model_profile, agent_key,
      system_prompt, visibility, origin, analysis_scope, available_skills, created_from_agent_id,
      created_from_trigger_id, last_activity, message_count, log_head, model_head, next_task_id)
      VALUES ($1, $2, $3, $4, $5, 'not_started', $6, $7, $8, $9, $10, $11, $12, $13, $14, $3, 0, 0, 0, 1)
      RETURNING *`,
    threadId,
    start.orgId,
    now(),
    start.caller.userId,
    start.caller.principal,
    start.modelProfile,
    start.agentKey,
    start.systemPrompt,
    start.visibility,
    start.origin,
    start.analysisScope,
    skills === null ? null : stringifyJson(skills),
    start.createdFromAgentId ?? null,
    start.createdFromTriggerId ?? null,
  );
  if (row === undefined) throw new Error("A thread that was just made is not there");
  return new ThreadWriter(transaction, threadRowOf(row));
}

/** Starts a thread: makes it, and queues its first turn. */
export async function startThread(
  transaction: ThreadTransaction,
  start: ThreadStart,
  trigger: Trigger,
): Promise<AgentThreadRecord> {
  const thread = await createThread(transaction, start);
  await acceptTrigger(transaction, thread, trigger);
  await thread.save();
  return threadRecord(transaction, await readThread(transaction, thread.threadId), {
    messages: true,
    details: true,
  });
}

/**
 * A thread, for a caller that may do this with it.
 *
 * @throws {@link RobotoNotFoundException}, {@link RobotoUnauthorizedException}
 */
export async function threadFor(
  view: ThreadView,
  threadId: string,
  caller: Caller,
  action: ThreadAction,
): Promise<ThreadRow> {
  const row = await readThread(view, threadId);
  const refusal = refusalOf(row, caller, action);
  if (refusal !== undefined) throw refusal;
  return row;
}

/** As `threadFor`, to change it. */
export async function lockThreadFor(
  transaction: ThreadTransaction,
  threadId: string,
  caller: Caller,
  action: ThreadAction,
): Promise<ThreadWriter> {
  const thread = await lockThread(transaction, threadId);
  const refusal = refusalOf(thread.row, caller, action);
  if (refusal !== undefined) throw refusal;
  return thread;
}

/** A thread, whoever asks. @throws {@link RobotoNotFoundException} */
export async function readThread({ queries }: ThreadView, threadId: string): Promise<ThreadRow> {
  const [row] = await queries.rows(
    "SELECT * FROM threads WHERE thread_id = $1 AND deleted_at IS NULL",
    threadId,
  );
  if (row === undefined) throw notFound("thread of this id");
  return threadRowOf(row);
}

/** Refuses to write to a thread of another surface. */
export function checkWritable({ origin, principal }: ThreadRow, caller: Caller, isResult = false): void {
  if (origin === null || origin === "api") return;
  const isSurface = principal === caller.principal && !caller.principal.startsWith("user:");
  if (isResult && isSurface) return;
  throw new RobotoThreadReadOnlyException({
    status: 403,
    message: `The thread belongs to \`${origin}\` and is read-only here; fork it to go on with it`,
  });
}

/** Takes a message, goals or skills for a thread that waits for its user. `save`s it. */
export async function sendToThread(
  transaction: ThreadTransaction,
  thread: ThreadWriter,
  trigger: Trigger,
): Promise<MessageReceipt> {
  if (thread.status === "roboto_turn")
    throw invalid("The thread is working; wait for its turn to end, or cancel it");
  if (thread.status === "client_tool_turn")
    throw invalid("The thread waits for the results of client tools; submit them, or cancel the turn");
  const seq = await acceptTrigger(transaction, thread, trigger);
  await thread.save();
  return { message_sequence_num: seq, status: thread.status };
}

/** What a client says came of a call. */
export interface SubmittedResult {
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly runtime_ms: number;
  readonly status: "success" | "error" | "declined";
  readonly output: Record<string, unknown> | null;
}

/** Takes results of client tools, all of them or none; with the last one the turn goes on. `save`s the thread. */
export async function submitResults(
  transaction: ThreadTransaction,
  thread: ThreadWriter,
  results: readonly SubmittedResult[],
  clientTools: readonly DeclaredTool[],
): Promise<ToolResultsReceipt> {
  if (results.length === 0) throw invalid("`tool_results` is empty; submit at least one result");
  if (thread.status !== "client_tool_turn") throw invalid("The thread waits for no results of client tools");
  const turnId = await activeTurn(transaction, thread.threadId);
  if (turnId === undefined) throw invalid("The thread waits for no results of client tools");
  const pending = new Map(
    (await pendingClientTools(transaction, thread.threadId)).map((use) => [use.tool_use_id, use]),
  );
  for (const { tool_use_id, tool_name } of results) {
    const use = pending.get(tool_use_id);
    if (use === undefined)
      throw invalid(`\`${tool_use_id}\` is no call that waits for a result, or is answered twice`);
    if (use.tool_name !== tool_name)
      throw invalid(`\`${tool_use_id}\` is a call of \`${use.tool_name}\`, not of \`${tool_name}\``);
    pending.delete(tool_use_id);
  }
  for (const { tool_use_id, tool_name, runtime_ms, status, output } of results) {
    await answerCall(transaction, thread, turnId, {
      toolUseId: tool_use_id,
      name: tool_name,
      runtimeMs: runtime_ms,
      status,
      output,
    });
  }
  await declareTools(transaction, thread.threadId, turnId, clientTools);
  const remaining = [...pending.keys()];
  if (remaining.length === 0) {
    await requeueTurn(transaction, turnId);
    await thread.setStatus("roboto_turn");
  }
  await thread.save();
  return { status: thread.status, remaining };
}

/** Ends the turn under way, if there is one. `save`s the thread. */
export async function cancelTurn(transaction: ThreadTransaction, thread: ThreadWriter): Promise<void> {
  const turnId = await activeTurn(transaction, thread.threadId);
  if (turnId === undefined) return;
  await closeTurn(transaction, thread, turnId, cancelledEnd);
  await thread.save();
}

/** The turn of a thread that is queued, running or waits for a client. */
async function activeTurn({ queries }: ThreadView, threadId: string): Promise<string | undefined> {
  const [row] = await queries.rows(
    "SELECT turn_id FROM turns WHERE thread_id = $1 AND state IN ('queued', 'running', 'waiting_client')",
    threadId,
  );
  return row === undefined ? undefined : text(row, "turn_id");
}

/** Deletes a thread for everybody; its forks stay. */
export async function deleteThread(transaction: ThreadTransaction, thread: ThreadWriter): Promise<void> {
  const { queries, now } = transaction;
  const turnId = await activeTurn(transaction, thread.threadId);
  if (turnId !== undefined) await closeTurn(transaction, thread, turnId, cancelledEnd);
  await thread.save();
  await queries.run("UPDATE threads SET deleted_at = $2 WHERE thread_id = $1", thread.threadId, now());
  for (const table of ["messages", "blocks", "thread_log", "model_messages", "feedback", "pins", "subjects"])
    await queries.run(`DELETE FROM ${table} WHERE thread_id = $1`, thread.threadId);
}
