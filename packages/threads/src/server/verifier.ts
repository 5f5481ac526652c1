import { setImmediate } from "node:timers/promises";

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

/** Knows the tokens whose hashes are in the store. What is asked at the same time is found out with one look. */
export function storedTokens(store: ThreadStore): TokenVerifier {
  let next: { readonly tokens: Set<string>; readonly callers: Promise<Callers> } | undefined;
  return async (token) => {
    if (next === undefined) {
      const tokens = new Set<string>();
      const callers = setImmediate().then(() => {
        next = undefined;
        return callersOf(store, tokens);
      });
      next = { tokens, callers };
    }
    next.tokens.add(token);
    return (await next.callers).get(token);
  };
}

type Callers = ReadonlyMap<string, VerifiedCaller | undefined>;

function callersOf(store: ThreadStore, tokens: ReadonlySet<string>): Promise<Callers> {
  return store.read(async (view) => {
    const callers = new Map<string, VerifiedCaller | undefined>();
    for (const token of tokens) callers.set(token, await callerOfToken(view, token));
    return callers;
  });
}
