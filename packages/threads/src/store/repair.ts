import { text } from "./database.ts";
import type { ThreadStore } from "./thread-store.ts";
import { lockThread } from "./thread-writer.ts";
import { closeTurn } from "./turn-end.ts";

/** Gives threads back to their users that wait for a turn which is not there. There should be none. */
export async function withRepairs(store: ThreadStore): Promise<void> {
  await store.write(async (transaction) => {
    const rows = await transaction.queries.rows(
      `SELECT thread_id FROM threads t WHERE deleted_at IS NULL AND (
        (status = 'roboto_turn' AND NOT EXISTS (
          SELECT 1 FROM turns u WHERE u.thread_id = t.thread_id AND u.state IN ('queued', 'running')))
        OR (status = 'client_tool_turn' AND NOT EXISTS (
          SELECT 1 FROM turns u WHERE u.thread_id = t.thread_id AND u.state = 'waiting_client')))`,
    );
    for (const row of rows) {
      const thread = await lockThread(transaction, text(row, "thread_id"));
      await closeTurn(transaction, thread, "none", {
        state: "failed",
        errorCode: "turn_failed",
        problem: "The turn was lost. Send a message to go on.",
      });
      await thread.save();
    }
  });
}
