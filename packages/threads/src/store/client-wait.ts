import { text } from "./database.ts";
import type { ThreadTransaction } from "./thread-store.ts";
import { lockThread } from "./thread-writer.ts";
import { submitResults } from "./threads.ts";
import { pendingClientTools } from "./transcript.ts";
import { later } from "./turns.ts";

/**
 * Lets turns go on that have waited for a client for too long: each of its calls that has no result gets an error.
 *
 * @param ttlMs - How long a turn waits, from when it began to.
 */
export async function endClientWaits(transaction: ThreadTransaction, ttlMs: number): Promise<void> {
  const { queries, now } = transaction;
  const before = later(now(), -ttlMs);
  const rows = await queries.rows(
    `SELECT turn_id, thread_id FROM turns WHERE state = 'waiting_client' AND waiting_since < $1
      ORDER BY turn_id LIMIT 200`,
    before,
  );
  for (const row of rows) {
    const thread = await lockThread(transaction, text(row, "thread_id"));
    // The client may have answered while this waited for the thread.
    const [late] = await queries.rows(
      "SELECT turn_id FROM turns WHERE turn_id = $1 AND state = 'waiting_client' AND waiting_since < $2",
      text(row, "turn_id"),
      before,
    );
    if (late === undefined) continue;
    const pending = await pendingClientTools(transaction, thread.threadId);
    const results = pending.map(({ tool_use_id, tool_name }) => ({
      tool_use_id,
      tool_name,
      runtime_ms: 0,
      status: "error" as const,
      output: { error: "The client did not answer in time." },
    }));
    await submitResults(transaction, thread, results, []);
  }
}
