import type { AgentContent } from "../wire/blocks.ts";
import type { AgentMessage } from "../wire/message.ts";
import type { AgentThreadDelta } from "../wire/thread.ts";
import { continuationToken, readToken } from "./continuation.ts";
import { integer, integerOrNull, text, textOrNull, type SqlRow } from "./database.ts";
import { pendingOf, readGoals, readTasks } from "./records.ts";
import type { ThreadRow } from "./thread-row.ts";
import type { ThreadView } from "./thread-store.ts";
import { blockOf } from "./transcript.ts";

/** How much one delta holds at most. */
export interface DeltaLimits {
  readonly entries: number;
  /** Roughly, of content. The entry that passes it is still part of the page. */
  readonly bytes: number;
}

/** The limits that a server has when it is given none. */
export const deltaLimits: DeltaLimits = { entries: 500, bytes: 512 * 1024 };

/**
 * What happened in a thread after a token's place: a page of it, all of one moment.
 *
 * @throws {@link RobotoInvalidRequestException} for a token that is none of this thread.
 */
export async function readDelta(
  view: ThreadView,
  row: ThreadRow,
  token: string,
  limits: DeltaLimits = deltaLimits,
): Promise<AgentThreadDelta> {
  const { threadId, logHead } = row;
  const { pos, base } = readToken(view.secret, threadId, token);
  // The page first, then what each of its entries speaks of: a join may look through the whole thread for a page of two.
  const ofMessage = "FROM messages m WHERE m.thread_id = $1 AND m.seq = l.seq";
  const ofBlock = "FROM blocks b WHERE b.thread_id = $1 AND b.seq = l.seq AND b.block = l.block";
  const entries = await view.queries.rows(
    `SELECT l.pos, l.kind, l.seq, l.data AS piece,
        (SELECT role ${ofMessage}) AS role, (SELECT created ${ofMessage}) AS created,
        (SELECT status ${ofMessage}) AS status,
        CASE WHEN l.kind = 'block' THEN (SELECT type ${ofBlock}) END AS type,
        CASE WHEN l.kind = 'block' THEN (SELECT data ${ofBlock}) END AS data
      FROM thread_log l WHERE l.thread_id = $1 AND l.pos > $2 ORDER BY l.pos LIMIT $3`,
    threadId,
    pos,
    limits.entries,
  );
  const page = entries.slice(0, pageLength(entries, limits.bytes));
  const last = page.at(-1);
  const reached = last === undefined ? pos : integer(last, "pos");
  const messages = messagesOf(page);
  if (reached < logHead) {
    // A message of which more follows is not at its end yet for who reads page by page.
    for (const seq of await changedAfter(view, threadId, reached)) {
      const message = messages[seq];
      if (message !== undefined && message.role !== "user") message.status = "generating";
    }
    return {
      messages_by_idx: messages,
      continuation_token: continuationToken(view.secret, threadId, { pos: reached, base }),
      status: null,
      title: null,
      goals: null,
      tasks: null,
      has_more: true,
      pending_client_tools: null,
    };
  }
  const told = await toldSince(view, threadId, base);
  return {
    messages_by_idx: messages,
    continuation_token: continuationToken(view.secret, threadId, { pos: logHead, base: logHead }),
    status: row.status,
    title: told.has("title") ? row.title : null,
    goals: told.has("goals") ? await readGoals(view, threadId) : null,
    tasks: told.has("tasks") ? await readTasks(view, threadId) : null,
    has_more: false,
    pending_client_tools: await pendingOf(view, row),
  };
}

/** How many entries fit into a page. */
function pageLength(entries: readonly SqlRow[], bytes: number): number {
  let used = 0;
  for (const [index, entry] of entries.entries()) {
    used += (textOrNull(entry, "piece") ?? "").length + (textOrNull(entry, "data") ?? "").length;
    if (used > bytes) return index + 1;
  }
  return entries.length;
}

/** The messages that entries speak of, each with what is new of it. */
function messagesOf(page: readonly SqlRow[]): Record<string, AgentMessage> {
  const messages: Partial<Record<string, AgentMessage>> = {};
  for (const entry of page) {
    const seq = integerOrNull(entry, "seq");
    if (seq === null) continue;
    const message = (messages[seq] ??= {
      role: text(entry, "role"),
      status: text(entry, "status"),
      created: text(entry, "created"),
      content: [],
    });
    const kind = text(entry, "kind");
    if (kind === "text") addText(message.content, text(entry, "piece"));
    else if (kind === "block") message.content.push(blockOf(entry));
  }
  return Object.fromEntries(
    Object.entries(messages).flatMap(([seq, message]) => (message === undefined ? [] : [[seq, message]])),
  );
}

function addText(content: AgentContent[], piece: string): void {
  const last = content.at(-1);
  if (last?.content_type === "text") last.text += piece;
  else content.push({ content_type: "text", text: piece });
}

async function changedAfter({ queries }: ThreadView, threadId: string, pos: number): Promise<number[]> {
  const rows = await queries.rows(
    "SELECT DISTINCT seq FROM thread_log WHERE thread_id = $1 AND pos > $2 AND seq IS NOT NULL",
    threadId,
    pos,
  );
  return rows.map((row) => integer(row, "seq"));
}

/** Which of title, goals and tasks were told of after a position. */
async function toldSince({ queries }: ThreadView, threadId: string, base: number): Promise<Set<string>> {
  const rows = await queries.rows(
    `SELECT DISTINCT kind FROM thread_log
      WHERE thread_id = $1 AND pos > $2 AND kind IN ('title', 'goals', 'tasks')`,
    threadId,
    base,
  );
  return new Set(rows.map((row) => text(row, "kind")));
}
