import { randomBytes } from "node:crypto";

import { integer, text, textOrNull, type SqlRow } from "./database.ts";
import { LeaseLostError } from "./errors.ts";
import { closeTurn, type TurnEnd } from "./turn-end.ts";
import type { ThreadTransaction, ThreadView } from "./thread-store.ts";
import { lockThread, lockThreadIfThere, type ThreadWriter } from "./thread-writer.ts";

/** What a turn was started by. */
export interface TurnTrigger {
  /** The user's message; null when skills alone started it. */
  readonly seq: number | null;
  /** The message's text; it is the reply when the loop had asked something. */
  readonly text: string | null;
}

/** A turn that a worker holds. */
export interface ClaimedTurn {
  readonly turnId: string;
  readonly threadId: string;
  readonly leaseToken: string;
  readonly attempt: number;
  readonly repromptsUsed: number;
  readonly stepsUsed: number;
  /** Time spent on the turn so far, without waits for a client. */
  readonly spentMs: number;
  readonly trigger: string;
  readonly clientContext: string | null;
  /** Where the loop stands; null before its first step. */
  readonly position: string | null;
}

/** Queues a turn for a thread that has none. */
export async function queueTurn(
  { queries, newId, now, queued }: ThreadTransaction,
  thread: ThreadWriter,
  turn: {
    readonly trigger: TurnTrigger;
    readonly clientContext: string | null;
    readonly position: string | null;
    readonly turnId?: string;
  },
): Promise<string> {
  const turnId = turn.turnId ?? newId("turn");
  await queries.run(
    `INSERT INTO turns (turn_id, thread_id, org_id, queued_at, state, attempt, reprompts_used, steps_used, spent_ms,
      turn_trigger, client_context, position) VALUES ($1, $2, $3, $4, 'queued', 0, 0, 0, 0, $5, $6, $7)`,
    turnId,
    thread.threadId,
    thread.row.orgId,
    now(),
    JSON.stringify(turn.trigger),
    turn.clientContext,
    turn.position,
  );
  queued(turnId);
  return turnId;
}

/** The turns that wait for a worker, the oldest first; of an organisation no more than may run at once. */
export async function queuedTurns(
  { queries }: ThreadView,
  { limit, perOrg }: { readonly limit: number; readonly perOrg: number },
): Promise<string[]> {
  const rows = await queries.rows(
    `SELECT turn_id FROM turns t WHERE state = 'queued' AND
      (SELECT COUNT(*) FROM turns r WHERE r.org_id = t.org_id AND r.state = 'running') < $2
      ORDER BY queued_at, turn_id LIMIT $1`,
    limit,
    perOrg,
  );
  return rows.map((row) => text(row, "turn_id"));
}

/** The thread of a queued turn; undefined when it is queued no more. */
export async function threadOfQueuedTurn(
  { queries }: ThreadView,
  turnId: string,
): Promise<string | undefined> {
  const [row] = await queries.rows(
    "SELECT thread_id FROM turns WHERE turn_id = $1 AND state = 'queued'",
    turnId,
  );
  return row === undefined ? undefined : text(row, "thread_id");
}

/** Takes a queued turn for a worker; undefined when it is queued no more. */
export async function claimTurn(
  { queries, now }: ThreadTransaction,
  turnId: string,
  { worker, leaseMs }: { readonly worker: string; readonly leaseMs: number },
): Promise<ClaimedTurn | undefined> {
  const leaseToken = randomBytes(16).toString("base64url");
  const [row] = await queries.rows(
    `UPDATE turns SET state = 'running', attempt = attempt + 1, lease_token = $2, lease_expires = $3, worker = $4
      WHERE turn_id = $1 AND state = 'queued' RETURNING *`,
    turnId,
    leaseToken,
    later(now(), leaseMs),
    worker,
  );
  if (row === undefined) return undefined;
  return {
    turnId,
    threadId: text(row, "thread_id"),
    leaseToken,
    attempt: integer(row, "attempt"),
    repromptsUsed: integer(row, "reprompts_used"),
    stepsUsed: integer(row, "steps_used"),
    spentMs: integer(row, "spent_ms"),
    trigger: text(row, "turn_trigger"),
    clientContext: textOrNull(row, "client_context"),
    position: textOrNull(row, "position"),
  };
}

/** Keeps a turn; false when it is this worker's no longer. */
export async function keepTurn(
  { queries, now }: ThreadTransaction,
  { turnId, leaseToken }: Pick<ClaimedTurn, "turnId" | "leaseToken">,
  leaseMs: number,
): Promise<boolean> {
  const changed = await queries.run(
    "UPDATE turns SET lease_expires = $3 WHERE turn_id = $1 AND lease_token = $2 AND state = 'running'",
    turnId,
    leaseToken,
    later(now(), leaseMs),
  );
  return changed > 0;
}

/**
 * The thread of a turn, to be changed by the worker that holds it.
 *
 * @throws {@link LeaseLostError} (`threads/lease-lost`)
 */
export async function holdTurn(
  transaction: ThreadTransaction,
  { turnId, threadId, leaseToken }: Pick<ClaimedTurn, "turnId" | "threadId" | "leaseToken">,
): Promise<ThreadWriter> {
  const writer = await lockThreadIfThere(transaction, threadId);
  if (writer === undefined) throw new LeaseLostError({ turnId });
  const [row] = await transaction.queries.rows(
    "SELECT state FROM turns WHERE turn_id = $1 AND lease_token = $2 AND state = 'running'",
    turnId,
    leaseToken,
  );
  if (row === undefined) throw new LeaseLostError({ turnId });
  return writer;
}

/** What is kept of a turn from step to step. */
export interface TurnProgress {
  readonly position: string | null;
  readonly repromptsUsed: number;
  readonly stepsUsed: number;
  readonly spentMs: number;
}

/** Writes how far a turn is. */
export async function saveProgress(
  { queries }: ThreadTransaction,
  turnId: string,
  { position, repromptsUsed, stepsUsed, spentMs }: TurnProgress,
): Promise<void> {
  await queries.run(
    "UPDATE turns SET position = $2, reprompts_used = $3, steps_used = $4, spent_ms = $5 WHERE turn_id = $1",
    turnId,
    position,
    repromptsUsed,
    stepsUsed,
    Math.round(spentMs),
  );
}

/** Notes a step in the turn's journal. */
export async function noteStep(
  { queries }: ThreadTransaction,
  turnId: string,
  kind: "llm" | "tool" | "chain" | "reprompt",
  data: string,
): Promise<void> {
  await queries.run(
    `INSERT INTO turn_steps (turn_id, n, kind, data)
      SELECT $1, COUNT(*) + 1, $2, $3 FROM turn_steps WHERE turn_id = $1`,
    turnId,
    kind,
    data,
  );
}

/** A turn is over, or waits for a client; nobody holds it any more. */
export async function leaveTurn(
  { queries, now }: ThreadTransaction,
  turnId: string,
  state: "done" | "waiting_client",
): Promise<void> {
  await queries.run(
    `UPDATE turns SET state = $2, lease_token = NULL, lease_expires = NULL, attempt = 0,
      finished = $3, waiting_since = $4 WHERE turn_id = $1`,
    turnId,
    state,
    state === "done" ? now() : null,
    state === "done" ? null : now(),
  );
}

/** A turn whose last client result came is queued again. */
export async function requeueTurn(
  { queries, now, queued }: ThreadTransaction,
  turnId: string,
): Promise<void> {
  await queries.run(
    "UPDATE turns SET state = 'queued', queued_at = $2 WHERE turn_id = $1 AND state = 'waiting_client'",
    turnId,
    now(),
  );
  queued(turnId);
}

/** Gives a turn back, as if it had not been taken. */
export async function releaseTurn(
  { queries, queued }: ThreadTransaction,
  { turnId, leaseToken }: Pick<ClaimedTurn, "turnId" | "leaseToken">,
): Promise<void> {
  const changed = await queries.run(
    `UPDATE turns SET state = 'queued', attempt = attempt - 1, lease_token = NULL, lease_expires = NULL
      WHERE turn_id = $1 AND lease_token = $2 AND state = 'running'`,
    turnId,
    leaseToken,
  );
  if (changed > 0) queued(turnId);
}

/**
 * Takes back the turns of workers that are gone: they are queued again, or failed after too many attempts.
 *
 * @param options.isAll - Whether no worker is there at all, so that no lease has to run out.
 * @returns The turns that were queued again.
 */
export async function reapTurns(
  transaction: ThreadTransaction,
  { maxAttempts, isAll = false }: { readonly maxAttempts: number; readonly isAll?: boolean },
): Promise<string[]> {
  const { queries, now, queued } = transaction;
  const rows = await queries.rows(
    `SELECT turn_id, thread_id, attempt FROM turns
      WHERE state = 'running' AND ($1 = 1 OR lease_expires < $2) ORDER BY turn_id LIMIT 200`,
    isAll ? 1 : 0,
    now(),
  );
  const again: string[] = [];
  for (const row of rows) {
    const turnId = text(row, "turn_id");
    // The worker may have come back while this waited for the thread.
    const thread = await lockThread(transaction, text(row, "thread_id"));
    if (!(await isLost(transaction, turnId, isAll))) continue;
    if (integer(row, "attempt") >= maxAttempts) {
      await closeTurn(transaction, thread, turnId, exhausted);
      await thread.save();
      continue;
    }
    await queries.run(
      "UPDATE turns SET state = 'queued', lease_token = NULL, lease_expires = NULL WHERE turn_id = $1",
      turnId,
    );
    again.push(turnId);
    queued(turnId);
  }
  return again;
}

const exhausted: TurnEnd = {
  state: "failed",
  errorCode: "turn_failed",
  problem: "The server failed while it worked on this turn, more than once. Send a message to go on.",
};

async function isLost({ queries, now }: ThreadView, turnId: string, isAll: boolean): Promise<boolean> {
  const rows: readonly SqlRow[] = await queries.rows(
    "SELECT turn_id FROM turns WHERE turn_id = $1 AND state = 'running' AND ($2 = 1 OR lease_expires < $3)",
    turnId,
    isAll ? 1 : 0,
    now(),
  );
  return rows.length > 0;
}

/** An instant some time after another. */
export function later(instant: string, ms: number): string {
  return new Date(Date.parse(instant) + ms).toISOString();
}
