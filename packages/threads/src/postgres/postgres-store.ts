import type { TurnQueue } from "../turns/turn-queue.ts";
import { openThreadStore, type ThreadStore, type ThreadStoreOptions } from "../store/thread-store.ts";
import { bossTurnQueue } from "./boss-turn-queue.ts";
import type { PostgresDatabaseOptions } from "./postgres-connections.ts";
import { openPostgresDatabase } from "./postgres-database.ts";
import { openTurnJobs, type TurnJobs } from "./turn-jobs.ts";

/** A store of threads whose turns are handed out by pg-boss. */
export interface PostgresThreadStore extends ThreadStore {
  /** For this process's worker. */
  readonly turnQueue: TurnQueue;
}

/**
 * A store of threads in a PostgreSQL database, for any number of servers and workers. `pg` and `pg-boss` are installed beside.
 *
 * @param url - `postgres://user:password@host:port/database`
 * @throws {@link ThreadDriverError} (`threads/driver`), {@link PostgresOptionError} (`threads/postgres-option`),
 * {@link DatabaseUnreachableError} (`threads/database-unreachable`), {@link SchemaTooNewError} (`threads/schema-too-new`).
 */
export async function postgresThreadStore(
  url: string,
  options: PostgresDatabaseOptions & ThreadStoreOptions = {},
): Promise<PostgresThreadStore> {
  const database = await openPostgresDatabase(url, options);
  let jobs: TurnJobs | undefined;
  try {
    jobs = await openTurnJobs(database);
    const { add, close } = jobs;
    const store = await openThreadStore({ ...database, handOver: add }, options);
    return {
      ...store,
      turnQueue: bossTurnQueue(store, jobs),
      close: async () => {
        await close();
        await store.close();
      },
    };
  } catch (error) {
    await jobs?.close();
    await database.close();
    throw error;
  }
}
