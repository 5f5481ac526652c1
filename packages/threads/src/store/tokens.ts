import { createHash, randomBytes } from "node:crypto";

import { flag, text, textOrNull } from "./database.ts";
import { invalid } from "./errors.ts";
import type { Caller } from "./caller.ts";
import type { ThreadTransaction, ThreadView } from "./thread-store.ts";

/** Whom a token speaks for. */
export interface TokenGrant {
  readonly userId: string;
  readonly orgs: readonly string[];
  /** What acts, as `type:id`; `user:` and the user's id by default. */
  readonly principal?: string | undefined;
  readonly admin?: boolean | undefined;
  /** Whether its bearer may act as another user. */
  readonly impersonate?: boolean | undefined;
  /** When it ends, in ISO 8601; null for never. */
  readonly expires?: string | null | undefined;
}

/** A token that was just made: the only time that it is seen. */
export interface NewToken {
  readonly tokenId: string;
  readonly token: string;
}

/** A caller, as a token of the store has it. */
export interface TokenCaller extends Caller {
  readonly impersonate: boolean;
}

/**
 * Makes a bearer token. The store keeps its hash alone.
 *
 * @throws {@link RobotoInvalidRequestException} for a principal that is not `type:id`, and an end that is no time.
 */
export async function createToken(transaction: ThreadTransaction, grant: TokenGrant): Promise<NewToken> {
  const principal = grant.principal ?? `user:${grant.userId}`;
  if (!/^[a-z]+:[^:\s]+$/.test(principal) || grant.userId.includes(":"))
    throw invalid("A principal is `type:id`, and no id has a colon");
  const expires = grant.expires ?? null;
  if (expires !== null && Number.isNaN(Date.parse(expires)))
    throw invalid("`expires` is no time in ISO 8601; null is for a token that does not end");
  const token = `rbt_${randomBytes(32).toString("base64url")}`;
  const tokenId = transaction.newId("tok");
  await transaction.queries.run(
    `INSERT INTO api_tokens (token_hash, token_id, principal, user_id, admin, impersonate, orgs, created, expires)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    hashOf(token),
    tokenId,
    principal,
    grant.userId,
    grant.admin === true ? 1 : 0,
    grant.impersonate === true ? 1 : 0,
    JSON.stringify(grant.orgs),
    transaction.now(),
    expires,
  );
  return { tokenId, token };
}

/** Ends a token for good; false when there is none of this id. */
export async function revokeToken({ queries, now }: ThreadTransaction, tokenId: string): Promise<boolean> {
  const changed = await queries.run(
    "UPDATE api_tokens SET revoked = $2 WHERE token_id = $1 AND revoked IS NULL",
    tokenId,
    now(),
  );
  return changed > 0;
}

/** Whom a token speaks for now; undefined for one that is unknown, ended or revoked. */
export async function callerOfToken(view: ThreadView, token: string): Promise<TokenCaller | undefined> {
  // Looked up by its hash: how long that takes tells nothing of any token.
  const [row] = await view.queries.rows("SELECT * FROM api_tokens WHERE token_hash = $1", hashOf(token));
  if (row?.["revoked"] !== null) return undefined;
  const expires = textOrNull(row, "expires");
  if (expires !== null && Date.parse(expires) <= Date.parse(view.now())) return undefined;
  return {
    principal: text(row, "principal"),
    userId: text(row, "user_id"),
    orgs: stringsOf(text(row, "orgs")),
    admin: flag(row, "admin"),
    impersonate: flag(row, "impersonate"),
  };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/** A list of texts that is kept as JSON. */
export function stringsOf(json: string): string[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === "string") : [];
}
