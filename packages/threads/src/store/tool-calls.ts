import { integer, text } from "./database.ts";
import type { ThreadTransaction, ThreadView } from "./thread-store.ts";
import type { ThreadWriter } from "./thread-writer.ts";

/** Who asked for a call. Those of a client wait for its answer. */
export type CallKind = "server" | "client" | "chain" | "default" | "skill" | "achieve";

/** A call of a tool that a message has. */
export interface NewCall {
  readonly toolUseId: string;
  readonly name: string;
  readonly kind: CallKind;
  readonly turnId: string;
  readonly input: Record<string, unknown> | null;
  readonly rawRequest?: Record<string, unknown> | null | undefined;
  readonly isIdempotent: boolean;
}

/** What came of a call. */
export interface CallResult {
  readonly toolUseId: string;
  readonly name: string;
  readonly status: string;
  readonly runtimeMs: number;
  readonly output: Record<string, unknown> | null;
}

/** A call that has no result. */
export interface OpenCall {
  readonly toolUseId: string;
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly isIdempotent: boolean;
  /** Where it stands. */
  readonly seq: number;
  readonly block: number;
}

/** Adds a call to a message, not begun. */
export async function addCall(
  { queries }: ThreadTransaction,
  thread: ThreadWriter,
  seq: number,
  { toolUseId, name, kind, turnId, input, rawRequest = null, isIdempotent }: NewCall,
): Promise<number> {
  await queries.run(
    `INSERT INTO tool_calls (thread_id, tool_use_id, turn_id, name, kind, state, seq, idempotent, attempt)
      VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, 0)`,
    thread.threadId,
    toolUseId,
    turnId,
    name,
    kind,
    seq,
    isIdempotent ? 1 : 0,
  );
  return thread.addBlock(seq, {
    content_type: "tool_use",
    tool_name: name,
    tool_use_id: toolUseId,
    input,
    raw_request: rawRequest,
  });
}

/** Notes that a call is about to be carried out: after a crash nobody knows what came of it. */
export async function beginCall(
  { queries, now }: ThreadTransaction,
  threadId: string,
  toolUseId: string,
): Promise<void> {
  await queries.run(
    `UPDATE tool_calls SET state = 'running', attempt = attempt + 1, started = $3
      WHERE thread_id = $1 AND tool_use_id = $2 AND state <> 'done'`,
    threadId,
    toolUseId,
    now(),
  );
}

/** The calls of a turn that have no result, in the order in which they were made. */
export async function openCalls({ queries }: ThreadView, turnId: string): Promise<OpenCall[]> {
  const rows = await queries.rows(
    `SELECT c.tool_use_id, c.name, c.kind, c.state, c.idempotent, b.seq, b.block FROM tool_calls c JOIN blocks b
      ON b.thread_id = c.thread_id AND b.tool_use_id = c.tool_use_id AND b.type = 'tool_use'
      WHERE c.turn_id = $1 AND c.state <> 'done' ORDER BY b.seq, b.block`,
    turnId,
  );
  return rows.map((row) => ({
    toolUseId: text(row, "tool_use_id"),
    name: text(row, "name"),
    kind: text(row, "kind"),
    state: text(row, "state"),
    isIdempotent: integer(row, "idempotent") === 1,
    seq: integer(row, "seq"),
    block: integer(row, "block"),
  }));
}

/** The message that takes results: the last one, while it is the system's and open; else a new one. */
export async function openResults(
  { queries }: ThreadTransaction,
  thread: ThreadWriter,
  turnId: string,
): Promise<number> {
  const last = thread.messageCount - 1;
  const [row] = await queries.rows(
    "SELECT role, status FROM messages WHERE thread_id = $1 AND seq = $2",
    thread.threadId,
    last,
  );
  const isOpen = row !== undefined && text(row, "role") === "roboto" && text(row, "status") === "generating";
  return isOpen ? last : thread.addMessage("roboto", "generating", { turnId });
}

/** Adds a call's result; the message is complete when no call of the turn is open any more. */
export async function answerCall(
  transaction: ThreadTransaction,
  thread: ThreadWriter,
  turnId: string,
  { toolUseId, name, status, runtimeMs, output }: CallResult,
): Promise<number> {
  const seq = await openResults(transaction, thread, turnId);
  await thread.addBlock(seq, {
    content_type: "tool_result",
    tool_name: name,
    tool_use_id: toolUseId,
    runtime_ms: runtimeMs,
    status,
    raw_response: output,
  });
  await transaction.queries.run(
    "UPDATE tool_calls SET state = 'done', finished = $3 WHERE thread_id = $1 AND tool_use_id = $2",
    thread.threadId,
    toolUseId,
    transaction.now(),
  );
  const open = await openCalls(transaction, turnId);
  if (open.length === 0) await thread.setMessageStatus(seq, "completed");
  return seq;
}
