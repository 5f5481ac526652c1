import { integer } from "./database.ts";
import type { ThreadTransaction } from "./thread-store.ts";
import type { ThreadWriter } from "./thread-writer.ts";
import { answerCall, openCalls } from "./tool-calls.ts";

/** How a turn ends that does not come to its regular end. */
export interface TurnEnd {
  readonly state: "failed" | "cancelled";
  /** What the message's error block says. */
  readonly errorCode: string;
  readonly problem: string;
}

/** What a cancelled turn says. */
export const cancelledEnd: TurnEnd = {
  state: "cancelled",
  errorCode: "cancelled",
  problem: "The turn was cancelled.",
};

/**
 * Ends a turn before its regular end: the open message says why, each open call has an error result, pending goals have
 * failed, and it is the user's turn. `save` the thread afterwards.
 */
export async function closeTurn(
  transaction: ThreadTransaction,
  thread: ThreadWriter,
  turnId: string,
  end: TurnEnd,
): Promise<void> {
  const { queries, now } = transaction;
  const isFailed = end.state === "failed";
  const wasOpen = await endOpenMessages(transaction, thread, end);
  for (const { toolUseId, name } of await openCalls(transaction, turnId)) {
    await answerCall(transaction, thread, turnId, {
      toolUseId,
      name,
      status: "error",
      runtimeMs: 0,
      output: {
        error: isFailed ? "The turn failed before this call was answered." : "The call was cancelled.",
      },
    });
  }
  await endOpenResults(transaction, thread);
  // Nothing of the turn shows yet that it failed.
  if (isFailed && !wasOpen) {
    const seq = await thread.addMessage("assistant", "failed", { turnId });
    await addError(thread, seq, end);
  }
  const unachieved = await queries.run(
    "UPDATE goals SET status = 'failed', concluded_at = $2 WHERE turn_id = $1 AND status = 'pending'",
    turnId,
    now(),
  );
  if (unachieved > 0) await thread.tell("goals");
  await queries.run(
    `UPDATE turns SET state = $2, lease_token = NULL, lease_expires = NULL, error = $3, finished = $4
      WHERE turn_id = $1`,
    turnId,
    end.state,
    end.errorCode,
    now(),
  );
  transaction.ended(turnId);
  thread.setQuestion(null);
  await thread.setStatus(isFailed && unachieved > 0 ? "goals_failed" : "user_turn");
}

/**
 * A message that was cut off by a crash: with nothing in it, it is written on; else it has failed, for what was read cannot be
 * taken back.
 *
 * @returns The empty message that is written on.
 */
export async function interruptOpenMessage(
  { queries }: ThreadTransaction,
  thread: ThreadWriter,
): Promise<number | undefined> {
  const [row] = await queries.rows(
    `SELECT seq, blocks FROM messages WHERE thread_id = $1 AND role = 'assistant'
      AND status IN ('not_started', 'generating') ORDER BY seq DESC LIMIT 1`,
    thread.threadId,
  );
  if (row === undefined) return undefined;
  const seq = integer(row, "seq");
  if (integer(row, "blocks") === 0) return seq;
  await addError(thread, seq, {
    state: "failed",
    errorCode: "turn_interrupted",
    problem: "The server was interrupted; the answer begins anew.",
  });
  await thread.setMessageStatus(seq, "failed");
  return undefined;
}

async function endOpenMessages(
  { queries }: ThreadTransaction,
  thread: ThreadWriter,
  end: TurnEnd,
): Promise<boolean> {
  const rows = await queries.rows(
    `SELECT seq FROM messages WHERE thread_id = $1 AND role = 'assistant'
      AND status IN ('not_started', 'generating') ORDER BY seq`,
    thread.threadId,
  );
  for (const row of rows) {
    const seq = integer(row, "seq");
    await addError(thread, seq, end);
    await thread.setMessageStatus(seq, end.state);
  }
  return rows.length > 0;
}

async function endOpenResults({ queries }: ThreadTransaction, thread: ThreadWriter): Promise<void> {
  const rows = await queries.rows(
    `SELECT seq FROM messages WHERE thread_id = $1 AND role = 'roboto' AND status IN ('not_started', 'generating')`,
    thread.threadId,
  );
  for (const row of rows) await thread.setMessageStatus(integer(row, "seq"), "completed");
}

async function addError(thread: ThreadWriter, seq: number, { errorCode, problem }: TurnEnd): Promise<void> {
  await thread.addBlock(seq, { content_type: "error", error_message: problem, error_code: errorCode });
}
