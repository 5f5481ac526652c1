import { createHash } from "node:crypto";

import { integer, text } from "./database.ts";
import { invalid } from "./errors.ts";
import type { ThreadTransaction } from "./thread-store.ts";
import { later } from "./turns.ts";

/** A request that its sender may send again. */
export interface KeyedRequest {
  /** Whose key it is, and for what: principal, method and path. */
  readonly scope: string;
  readonly key: string;
  /** The body, as it came. */
  readonly body: string;
}

/** An answer as it was given. */
export interface KeptAnswer {
  readonly status: number;
  /** As JSON; empty for none. */
  readonly body: string;
}

/** How long an answer is kept. */
const idempotencyMs = 24 * 60 * 60 * 1000;

/**
 * Does what a request asks for once: the answer is kept in the same transaction, and given again.
 *
 * @throws {@link RobotoInvalidRequestException} when the key came with another body before.
 */
export async function once(
  transaction: ThreadTransaction,
  { scope, key, body }: KeyedRequest,
  effect: () => Promise<KeptAnswer>,
): Promise<KeptAnswer & { readonly isReplayed: boolean }> {
  const { queries, now } = transaction;
  const hash = createHash("sha256").update(body).digest("base64url");
  await queries.run("DELETE FROM idempotency WHERE expires < $1", now());
  const taken = await queries.run(
    `INSERT INTO idempotency (scope, idem_key, request_hash, status, response, expires) VALUES ($1, $2, $3, 0, '', $4)
      ON CONFLICT (scope, idem_key) DO NOTHING`,
    scope,
    key,
    hash,
    later(now(), idempotencyMs),
  );
  if (taken === 0) {
    const [row] = await queries.rows(
      "SELECT request_hash, status, response FROM idempotency WHERE scope = $1 AND idem_key = $2",
      scope,
      key,
    );
    if (row === undefined) throw new Error("An idempotency key that is there cannot be read");
    if (text(row, "request_hash") !== hash)
      throw invalid("The `Idempotency-Key` came with another body before; use a new one for a new request");
    return { status: integer(row, "status"), body: text(row, "response"), isReplayed: true };
  }
  const answer = await effect();
  await queries.run(
    "UPDATE idempotency SET status = $3, response = $4 WHERE scope = $1 AND idem_key = $2",
    scope,
    key,
    answer.status,
    answer.body,
  );
  return { ...answer, isReplayed: false };
}
