import { createHmac, timingSafeEqual } from "node:crypto";

import { invalid } from "./errors.ts";

/** A place in a thread's log. */
export interface LogPosition {
  /** The last entry that was delivered; 0 for none. */
  readonly pos: number;
  /** The last entry whose title, goals and tasks were delivered: less than `pos` between two pages. */
  readonly base: number;
}

/** The token that names a place in a thread's log; only the store can make one. */
export function continuationToken(secret: string, threadId: string, { pos, base }: LogPosition): string {
  const place = base === pos ? pos.toString(36) : `${pos.toString(36)}.${base.toString(36)}`;
  return `ct_${place}_${signature(secret, threadId, place)}`;
}

/**
 * The place that a token names.
 *
 * @throws {@link RobotoInvalidRequestException} for a token that was changed, or is of another thread.
 */
export function readToken(secret: string, threadId: string, token: string): LogPosition {
  const found = /^ct_([0-9a-z]+)(?:\.([0-9a-z]+))?_([\w-]{22})$/.exec(token);
  const [, pos = "", base, signed = ""] = found ?? [];
  const place = base === undefined ? pos : `${pos}.${base}`;
  const expected = signature(secret, threadId, place);
  if (found === null || !timingSafeEqual(Buffer.from(expected), Buffer.from(signed)))
    throw invalid("The token is none of this thread; read the thread to get one");
  return { pos: parseInt(pos, 36), base: parseInt(base ?? pos, 36) };
}

function signature(secret: string, threadId: string, place: string): string {
  return createHmac("sha256", secret).update(`${threadId}:${place}`).digest("base64url").slice(0, 22);
}
