import { integer, integerOrNull, text, textOrNull, type SqlRow } from "../store/database.ts";
import { readMessages } from "../store/transcript.ts";
import type { ThreadView } from "../store/thread-store.ts";
import type { AgentMessage } from "../wire/message.ts";
import { blockOf } from "../store/transcript.ts";

/** What is wrong with a thread, held against its own log; nothing when all is well. */
export async function problemsOf(view: ThreadView, threadId: string): Promise<string[]> {
  const { queries } = view;
  const problems: string[] = [];
  const messages = await readMessages(view, threadId);
  const log = await queries.rows(
    `SELECT l.*, b.type, b.data AS block_data FROM thread_log l LEFT JOIN blocks b
      ON l.kind = 'block' AND b.thread_id = l.thread_id AND b.seq = l.seq AND b.block = l.block
      WHERE l.thread_id = $1 ORDER BY l.pos`,
    threadId,
  );
  for (const [index, entry] of log.entries())
    if (integer(entry, "pos") !== index + 1)
      problems.push(`the log has a gap before ${integer(entry, "pos")}`);
  const replayed = JSON.stringify(replay(log, messages));
  if (replayed !== JSON.stringify(messages)) problems.push("the log does not give the messages");
  problems.push(...callProblems(messages));
  const [thread] = await queries.rows("SELECT status FROM threads WHERE thread_id = $1", threadId);
  const [turns] = await queries.rows(
    "SELECT COUNT(*) AS n FROM turns WHERE thread_id = $1 AND state IN ('queued', 'running')",
    threadId,
  );
  const isWorking = thread !== undefined && text(thread, "status") === "roboto_turn";
  if (isWorking !== Number(turns?.["n"]) > 0) problems.push("the status does not fit the turns");
  return problems;
}

/** The messages that a log tells of. */
function replay(log: readonly SqlRow[], stored: readonly AgentMessage[]): AgentMessage[] {
  const messages: AgentMessage[] = [];
  for (const entry of log) {
    const seq = integerOrNull(entry, "seq");
    if (seq === null) continue;
    const kind = text(entry, "kind");
    const data = textOrNull(entry, "data") ?? "";
    if (kind === "message_created") {
      const { role = "", created = "" } = stored[seq] ?? {};
      messages[seq] = { role, status: data, created, content: [] };
    } else if (kind === "message_status") {
      const message = messages[seq];
      if (message !== undefined) message.status = data;
    } else {
      const content = messages[seq]?.content ?? [];
      const last = content.at(-1);
      if (kind === "block") content.push(blockOf({ type: entry["type"], data: entry["block_data"] }));
      else if (last?.content_type === "text") last.text += data;
      else content.push({ content_type: "text", text: data });
    }
  }
  // Messages are compared as they are read, field by field.
  return messages.map(({ role, status, created, content }) => ({ role, status, created, content }));
}

function callProblems(messages: readonly AgentMessage[]): string[] {
  const uses = new Map<string, number>();
  const results = new Map<string, number>();
  for (const { content } of messages) {
    for (const block of content) {
      if (block.content_type === "tool_use")
        uses.set(block.tool_use_id, (uses.get(block.tool_use_id) ?? 0) + 1);
      if (block.content_type === "tool_result")
        results.set(block.tool_use_id, (results.get(block.tool_use_id) ?? 0) + 1);
    }
  }
  return [
    ...[...uses].flatMap(([id, times]) => (times === 1 ? [] : [`the call ${id} is there ${times} times`])),
    ...[...uses.keys()].flatMap((id) => (results.get(id) === 1 ? [] : [`the call ${id} has not one result`])),
    ...[...results.keys()].flatMap((id) => (uses.has(id) ? [] : [`the result ${id} has no call`])),
  ];
}
