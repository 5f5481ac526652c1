import type { Caller } from "../store/caller.ts";
import { callerOfToken } from "../store/tokens.ts";
import type { ThreadStore } from "../store/thread-store.ts";

/** Whom a token speaks for. */
export interface VerifiedCaller extends Caller {
  /** Whether it may act as another user, named in a header; false by default. */
  readonly impersonate?: boolean | undefined;
}

/** Says whom a bearer token speaks for now; undefined refuses it. Asked anew for each request, and while a stream is open. */
export type TokenVerifier = (
  token: string,
) => VerifiedCaller | undefined | Promise<VerifiedCaller | undefined>;

/** Knows the tokens whose hashes are in the store. */
export function storedTokens(store: ThreadStore): TokenVerifier {
  return (token) => store.read((view) => callerOfToken(view, token));
}
