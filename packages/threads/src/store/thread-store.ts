import { randomBytes } from "node:crypto";

import type { Queries, ThreadDatabase } from "./database.ts";
import { migrate } from "./migrate.ts";
import { withRepairs } from "./repair.ts";

/** What a store takes instead of what it has by default. */
export interface ThreadStoreOptions {
  /** The time; the system's by default. */
  readonly now?: (() => Date) | undefined;
  /** Makes an identifier that nobody has, with a prefix such as `ath`; random by default. */
  readonly newId?: ((prefix: string) => string) | undefined;
}

/** Reads of one moment. */
export interface ThreadView {
  readonly queries: Queries;
  readonly rowLock: string;
  readonly containing: ThreadDatabase["containing"];
  /** What continuation tokens are signed with. */
  readonly secret: string;
  /** The time, in ISO 8601. */
  readonly now: () => string;
  readonly newId: (prefix: string) => string;
}

/** A transaction: all that is done with it is there when it ends well, and none of it else. */
export interface ThreadTransaction extends ThreadView {
  /** Wakes those who wait for a thread, once the transaction is done. */
  readonly touch: (threadId: string) => void;
  /** Wakes workers, once the transaction is done. */
  readonly queued: (turnId: string) => void;
  /** Tells a turn's worker, once the transaction is done, that the turn is over. */
  readonly ended: (turnId: string) => void;
}

/** Threads in a database. What is done with them are functions of a transaction or a view. */
export interface ThreadStore {
  readonly write: <T>(work: (transaction: ThreadTransaction) => Promise<T>) => Promise<T>;
  readonly read: <T>(work: (view: ThreadView) => Promise<T>) => Promise<T>;
  /** Hears which threads changed; some may be missed, in other processes above all; an empty name says so. Returns what ends it. */
  readonly onThread: (listener: (threadId: string) => void) => () => void;
  /** Hears that a turn was queued; an empty name says that some may have been missed. */
  readonly onQueued: (listener: (turnId: string) => void) => () => void;
  /** Hears that a turn was ended by somebody else than its worker. */
  readonly onEnded: (listener: (turnId: string) => void) => () => void;
  readonly now: () => string;
  /** The database under it, for drivers that do more with it. */
  readonly database: ThreadDatabase;
  readonly close: () => Promise<void>;
}

const threadChannel = "roboz_thread";
const turnChannel = "roboz_turn";
const endChannel = "roboz_turn_end";

/**
 * Opens a store on a database: brings its tables to this release's version, and repairs threads that no turn works for.
 *
 * @throws {@link SchemaTooNewError} (`threads/schema-too-new`)
 */
export async function openThreadStore(
  database: ThreadDatabase,
  { now = () => new Date(), newId = randomId }: ThreadStoreOptions = {},
): Promise<ThreadStore> {
  const { secret } = await migrate(database);
  const iso = (): string => now().toISOString();
  const viewOf = (queries: Queries): ThreadView => ({
    queries,
    rowLock: database.rowLock,
    containing: database.containing,
    secret,
    now: iso,
    newId,
  });
  const write: ThreadStore["write"] = async (work) => {
    let threads = new Set<string>();
    let turns = new Set<string>();
    let ends = new Set<string>();
    const result = await database.transaction(async (queries) => {
      threads = new Set();
      turns = new Set();
      ends = new Set();
      const done = await work({
        ...viewOf(queries),
        touch: (threadId) => threads.add(threadId),
        queued: (turnId) => turns.add(turnId),
        ended: (turnId) => ends.add(turnId),
      });
      if (turns.size > 0) await database.handOver?.(queries, [...turns]);
      return done;
    });
    for (const threadId of threads) database.notify(threadChannel, threadId);
    for (const turnId of turns) database.notify(turnChannel, turnId);
    for (const turnId of ends) database.notify(endChannel, turnId);
    return result;
  };
  const store: ThreadStore = {
    write,
    read: (work) => database.read((queries) => work(viewOf(queries))),
    onThread: (listener) => database.listen(threadChannel, listener),
    onQueued: (listener) => database.listen(turnChannel, listener),
    onEnded: (listener) => database.listen(endChannel, listener),
    now: iso,
    database,
    close: () => database.close(),
  };
  await withRepairs(store);
  return store;
}

/** 22 characters of randomness after the prefix. */
function randomId(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString("base64url").replaceAll(/[-_]/g, "x")}`;
}
