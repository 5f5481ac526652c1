import { openThreadStore, type ThreadStore, type ThreadStoreOptions } from "../store/thread-store.ts";
import type { PostgresDatabaseOptions } from "./postgres-connections.ts";
import { openPostgresDatabase } from "./postgres-database.ts";

/**
 * A store of threads in a PostgreSQL database, for any number of servers and workers.
 *
 * @param url - `postgres://user:password@host:port/database`
 * @throws {@link ThreadDriverError} (`threads/driver`), {@link PostgresOptionError} (`threads/postgres-option`),
 * {@link DatabaseUnreachableError} (`threads/database-unreachable`), {@link SchemaTooNewError} (`threads/schema-too-new`).
 */
export async function postgresThreadStore(
  url: string,
  options: PostgresDatabaseOptions & ThreadStoreOptions = {},
): Promise<ThreadStore> {
  const database = await openPostgresDatabase(url, options);
  try {
    return await openThreadStore(database, options);
  } catch (error) {
    await database.close();
    throw error;
  }
}
