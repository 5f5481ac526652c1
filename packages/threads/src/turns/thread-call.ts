import { AsyncLocalStorage } from "node:async_hooks";

import type { AnalysisScope, ClientViewingContext } from "../wire/scope.ts";

/** What a server tool may know of the call that it carries out. */
export interface ThreadCall {
  readonly threadId: string;
  readonly orgId: string;
  /** Who started the thread. */
  readonly userId: string;
  /** The call: the same at each attempt, so it serves as a key for effects that must happen once. */
  readonly toolUseId: string;
  /** The stretch of time that the thread is about; null for no bounds. */
  readonly analysisScope: AnalysisScope | null;
  /** What the user looks at; it informs, and authorises nothing. */
  readonly clientContext: ClientViewingContext | null;
}

/** The call under way in a piece of asynchronous work. */
export const threadCalls = new AsyncLocalStorage<() => ThreadCall>();

/** The call of a thread that a tool is carrying out; undefined when it runs outside of threads. */
export function currentThreadCall(): ThreadCall | undefined {
  return threadCalls.getStore()?.();
}
