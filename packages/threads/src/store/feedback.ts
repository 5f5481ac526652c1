import { flag, integer, text, textOrNull, type SqlRow } from "./database.ts";
import { invalid, notFound } from "./errors.ts";
import { writePage, readPage } from "./page-token.ts";
import { Parameters, type Page } from "./listing.ts";
import { stringsOf } from "./tokens.ts";
import type { ThreadRow } from "./thread-row.ts";
import type { ThreadTransaction, ThreadView } from "./thread-store.ts";

/** What a reader says of a message; checked, sorted and without blanks. */
export interface GivenFeedback {
  readonly sentiment: string;
  readonly categories: readonly string[];
  readonly notes: string | null;
}

/** A rating as its author sees it. */
export interface FeedbackRecord {
  readonly feedback_id: string;
  readonly thread_id: string;
  readonly message_sequence_num: number;
  readonly org_id: string;
  readonly created: string;
  readonly created_by: string;
  readonly modified: string;
  readonly modified_by: string;
  readonly sentiment: string;
  readonly categories: readonly string[];
  readonly notes: string | null;
}

/** A rating as an admin sees it, with what admins noted. */
export interface TriagedFeedback extends FeedbackRecord {
  readonly admin_label: string | null;
  readonly admin_note: string | null;
  readonly resolved: boolean;
  readonly resolved_by: string | null;
  readonly resolved_at: string | null;
}

/** What an admin notes; undefined leaves a field as it is, null clears it. */
export interface Triage {
  readonly admin_label?: string | null | undefined;
  readonly admin_note?: string | null | undefined;
  readonly resolved?: boolean | null | undefined;
}

/**
 * Rates a message of the assistant's, or rates it anew.
 *
 * @throws {@link RobotoNotFoundException} for a message that is not there; {@link RobotoInvalidRequestException} for one of the user's, or
 * one that is still being written.
 */
export async function rateMessage(
  { queries, newId, now }: ThreadTransaction,
  thread: ThreadRow,
  seq: number,
  userId: string,
  { sentiment, categories, notes }: GivenFeedback,
): Promise<FeedbackRecord> {
  const [message] = await queries.rows(
    "SELECT role, status FROM messages WHERE thread_id = $1 AND seq = $2",
    thread.threadId,
    seq,
  );
  if (message === undefined) throw notFound(`message ${seq} in this thread`);
  if (text(message, "role") !== "assistant") throw invalid("Only the assistant's messages can be rated");
  if (!["completed", "failed", "cancelled"].includes(text(message, "status")))
    throw invalid(`Message ${seq} is still being written; rate it when it is done`);
  const [row] = await queries.rows(
    `INSERT INTO feedback (feedback_id, thread_id, seq, user_id, org_id, created, modified, modified_by, sentiment,
      categories, notes, resolved) VALUES ($1, $2, $3, $4, $5, $6, $6, $4, $7, $8, $9, 0)
      ON CONFLICT (thread_id, seq, user_id) DO UPDATE
        SET modified = $6, modified_by = $4, sentiment = $7, categories = $8, notes = $9
      RETURNING *`,
    newId("fb"),
    thread.threadId,
    seq,
    userId,
    thread.orgId,
    now(),
    sentiment,
    JSON.stringify(categories),
    notes,
  );
  if (row === undefined) throw new Error("A rating that was just written cannot be read");
  return feedbackOf(row);
}

/** Notes what an admin makes of a rating. */
export async function triageFeedback(
  { queries, now }: ThreadTransaction,
  feedbackId: string,
  userId: string,
  { admin_label: label, admin_note: note, resolved }: Triage,
): Promise<TriagedFeedback> {
  const [before] = await queries.rows("SELECT * FROM feedback WHERE feedback_id = $1", feedbackId);
  if (before === undefined) throw notFound("feedback of this id");
  const isResolved = resolved === undefined ? flag(before, "resolved") : resolved === true;
  const isStamped = resolved === true;
  const [row] = await queries.rows(
    `UPDATE feedback SET admin_label = $2, admin_note = $3, resolved = $4, resolved_by = $5, resolved_at = $6
      WHERE feedback_id = $1 RETURNING *`,
    feedbackId,
    label === undefined ? textOrNull(before, "admin_label") : label,
    note === undefined ? textOrNull(before, "admin_note") : note,
    isResolved ? 1 : 0,
    isStamped ? userId : isResolved ? textOrNull(before, "resolved_by") : null,
    isStamped ? now() : isResolved ? textOrNull(before, "resolved_at") : null,
  );
  if (row === undefined) throw notFound("feedback of this id");
  return triagedOf(row);
}

/** Ratings of all threads, the latest first; for admins. */
export async function listFeedback(
  { queries }: ThreadView,
  {
    limit,
    pageToken,
    resolved,
  }: {
    readonly limit: number;
    readonly pageToken?: string | undefined;
    readonly resolved?: boolean | undefined;
  },
): Promise<Page<TriagedFeedback>> {
  const parameters = new Parameters();
  const conditions = ["1 = 1"];
  if (resolved !== undefined) conditions.push(`resolved = ${parameters.add(resolved ? 1 : 0)}`);
  if (pageToken !== undefined) {
    const place = readPage(pageToken, 2).map((part) => parameters.add(part));
    conditions.push(`(created, feedback_id) < (${place.join(", ")})`);
  }
  const rows = await queries.rows(
    `SELECT * FROM feedback WHERE ${conditions.join(" AND ")}
      ORDER BY created DESC, feedback_id DESC LIMIT ${parameters.add(limit + 1)}`,
    ...parameters.values,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return {
    items: page.map(triagedOf),
    next_token: isMore ? writePage([text(last, "created"), text(last, "feedback_id")]) : null,
  };
}

function feedbackOf(row: SqlRow): FeedbackRecord {
  return {
    feedback_id: text(row, "feedback_id"),
    thread_id: text(row, "thread_id"),
    message_sequence_num: integer(row, "seq"),
    org_id: text(row, "org_id"),
    created: text(row, "created"),
    created_by: text(row, "user_id"),
    modified: text(row, "modified"),
    modified_by: text(row, "modified_by"),
    sentiment: text(row, "sentiment"),
    categories: stringsOf(text(row, "categories")),
    notes: textOrNull(row, "notes"),
  };
}

function triagedOf(row: SqlRow): TriagedFeedback {
  return {
    ...feedbackOf(row),
    admin_label: textOrNull(row, "admin_label"),
    admin_note: textOrNull(row, "admin_note"),
    resolved: flag(row, "resolved"),
    resolved_by: textOrNull(row, "resolved_by"),
    resolved_at: textOrNull(row, "resolved_at"),
  };
}
