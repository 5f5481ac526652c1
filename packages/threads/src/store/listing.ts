import type { AgentThreadRecord } from "../wire/thread.ts";
import type { Caller } from "./caller.ts";
import { integer, text, textOrNull, type SqlParameter } from "./database.ts";
import { readPage, writePage } from "./page-token.ts";
import { threadRecord } from "./records.ts";
import { threadRowOf } from "./thread-row.ts";
import type { ThreadTransaction, ThreadView } from "./thread-store.ts";

/** What a listing is narrowed to; what is left out narrows nothing. */
export interface ThreadFilters {
  readonly orgId?: string | undefined;
  readonly status?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly visibility?: string | undefined;
  readonly agentId?: string | undefined;
  readonly triggerId?: string | undefined;
  readonly subjectId?: string | undefined;
  /** Part of the title or of a message's text, in any case. */
  readonly text?: string | undefined;
  readonly pinned?: boolean | undefined;
}

/** A page of something, and the token of the next one; null on the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_token: string | null;
}

/** The values of a statement, which gives each its number as it takes it. */
export class Parameters {
  readonly values: SqlParameter[] = [];

  /** Takes a value; what stands for it in the statement. */
  add(value: SqlParameter): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Takes a list, in brackets; an empty one holds nothing. */
  list(values: readonly string[]): string {
    return values.length === 0 ? "(NULL)" : `(${values.map((value) => this.add(value)).join(", ")})`;
  }
}

/** The condition under which a caller may read the thread `t`. */
function readable(parameters: Parameters, { userId, orgs, admin }: Caller): string {
  if (admin) return "1 = 1";
  const user = parameters.add(userId);
  return `(t.org_id IN ${parameters.list(orgs)} AND (t.created_by = ${user} OR t.visibility = 'org'))`;
}

/** The threads that a caller may read: the pinned ones first, the latest pin first, then by last activity. */
export async function listThreads(
  view: ThreadView,
  caller: Caller,
  filters: ThreadFilters,
  { limit, pageToken }: { readonly limit: number; readonly pageToken?: string | undefined },
): Promise<Page<AgentThreadRecord>> {
  const parameters = new Parameters();
  const user = parameters.add(caller.userId);
  const conditions = [
    "t.deleted_at IS NULL",
    readable(parameters, caller),
    ...narrowed(view, parameters, filters),
  ];
  const after = pageToken === undefined ? "" : afterPage(parameters, pageToken);
  const rows = await view.queries.rows(
    `SELECT * FROM (
      SELECT t.*, p.pinned_at, CASE WHEN p.pinned_at IS NULL THEN 0 ELSE 1 END AS is_pinned,
        COALESCE(p.pinned_at, t.last_activity) AS sorted_by
      FROM threads t LEFT JOIN pins p ON p.thread_id = t.thread_id AND p.user_id = ${user}
      WHERE ${conditions.join(" AND ")}) found
    ${after} ORDER BY is_pinned DESC, sorted_by DESC, thread_id DESC LIMIT ${parameters.add(limit + 1)}`,
    ...parameters.values,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const items: AgentThreadRecord[] = [];
  for (const row of page) {
    const pinnedAt = textOrNull(row, "pinned_at");
    items.push(await threadRecord(view, threadRowOf(row), { messages: false, details: false, pinnedAt }));
  }
  if (rows.length <= limit || last === undefined) return { items, next_token: null };
  const place = [String(integer(last, "is_pinned")), text(last, "sorted_by"), text(last, "thread_id")];
  return { items, next_token: writePage(place) };
}

function afterPage(parameters: Parameters, token: string): string {
  const [isPinned = "", sortedBy = "", threadId = ""] = readPage(token, 3);
  const place = [Number(isPinned) === 1 ? 1 : 0, sortedBy, threadId].map((part) => parameters.add(part));
  return `WHERE (is_pinned, sorted_by, thread_id) < (${place.join(", ")})`;
}

function narrowed(view: ThreadView, parameters: Parameters, filters: ThreadFilters): string[] {
  const conditions: string[] = [];
  const equal = (column: string, wanted: string | undefined): void => {
    if (wanted !== undefined) conditions.push(`t.${column} = ${parameters.add(wanted)}`);
  };
  equal("org_id", filters.orgId);
  equal("status", filters.status);
  equal("created_by", filters.createdBy);
  equal("visibility", filters.visibility);
  equal("created_from_agent_id", filters.agentId);
  equal("created_from_trigger_id", filters.triggerId);
  if (filters.subjectId !== undefined) {
    conditions.push(
      `EXISTS (SELECT 1 FROM subjects s WHERE s.thread_id = t.thread_id AND s.association_id = ${parameters.add(filters.subjectId)})`,
    );
  }
  if (filters.pinned !== undefined) conditions.push(`p.pinned_at IS ${filters.pinned ? "NOT " : ""}NULL`);
  if (filters.text !== undefined) {
    const part = filters.text;
    const holds = (expression: string): string =>
      view.containing(expression, part, (parameter) => parameters.add(parameter));
    conditions.push(
      `(${holds("COALESCE(t.title, '')")} OR EXISTS (
        SELECT 1 FROM blocks b WHERE b.thread_id = t.thread_id AND b.type = 'text' AND ${holds("b.data")}))`,
    );
  }
  return conditions;
}

/** Pins a thread for one user, or takes the pin away; a pin that is there stays where it is. */
export async function setPinned(
  { queries, now }: ThreadTransaction,
  threadId: string,
  userId: string,
  pinned: boolean,
): Promise<void> {
  if (pinned) {
    await queries.run(
      "INSERT INTO pins (user_id, thread_id, pinned_at) VALUES ($1, $2, $3) ON CONFLICT (user_id, thread_id) DO NOTHING",
      userId,
      threadId,
      now(),
    );
  } else {
    await queries.run("DELETE FROM pins WHERE user_id = $1 AND thread_id = $2", userId, threadId);
  }
}
