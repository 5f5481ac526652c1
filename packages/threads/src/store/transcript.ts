import { parseJson } from "../wire/json.ts";
import { contentSchema, type AgentContent } from "../wire/blocks.ts";
import type { AgentMessage } from "../wire/message.ts";
import type { PendingClientTool } from "../wire/thread.ts";
import { integer, text, type SqlRow } from "./database.ts";
import type { ThreadView } from "./thread-store.ts";

/** A block as the database has it. */
export function blockOf(row: SqlRow): AgentContent {
  const data = text(row, "data");
  return text(row, "type") === "text"
    ? { content_type: "text", text: data }
    : contentSchema.parse(parseJson(data));
}

/** The messages of a thread, in order, from the first one to the one given. */
export async function readMessages(
  { queries }: ThreadView,
  threadId: string,
  { from = 0, to = Number.MAX_SAFE_INTEGER }: { readonly from?: number; readonly to?: number } = {},
): Promise<AgentMessage[]> {
  const until = Math.min(to, 2_147_483_647);
  const messages: AgentMessage[] = [];
  for (const row of await queries.rows(
    "SELECT role, status, created FROM messages WHERE thread_id = $1 AND seq BETWEEN $2 AND $3 ORDER BY seq",
    threadId,
    from,
    until,
  )) {
    messages.push({
      role: text(row, "role"),
      status: text(row, "status"),
      created: text(row, "created"),
      content: [],
    });
  }
  for (const row of await queries.rows(
    "SELECT seq, type, data FROM blocks WHERE thread_id = $1 AND seq BETWEEN $2 AND $3 ORDER BY seq, block",
    threadId,
    from,
    until,
  )) {
    messages[integer(row, "seq") - from]?.content.push(blockOf(row));
  }
  return messages;
}

/** The calls that a client has to answer, in the order in which they were made. */
export async function pendingClientTools(
  { queries }: ThreadView,
  threadId: string,
): Promise<PendingClientTool[]> {
  const rows = await queries.rows(
    `SELECT b.seq, b.type, b.data FROM tool_calls c JOIN blocks b
      ON b.thread_id = c.thread_id AND b.tool_use_id = c.tool_use_id AND b.type = 'tool_use'
      WHERE c.thread_id = $1 AND c.kind = 'client' AND c.state = 'pending' ORDER BY b.seq, b.block`,
    threadId,
  );
  return rows.flatMap((row) => {
    const block = blockOf(row);
    if (block.content_type !== "tool_use") return [];
    const { tool_use_id, tool_name, input } = block;
    return [{ tool_use_id, tool_name, input, message_sequence_num: integer(row, "seq") }];
  });
}
