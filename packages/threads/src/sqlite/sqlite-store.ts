import { openThreadStore, type ThreadStore, type ThreadStoreOptions } from "../store/thread-store.ts";
import { openSqliteDatabase, type SqliteDatabaseOptions } from "./sqlite-database.ts";

/**
 * A store of threads in an SQLite file, for one server.
 *
 * @param path - The file; it and its folder are made when they are not there.
 * @throws {@link ThreadDriverError} (`threads/driver`), {@link ThreadFileError} (`threads/file`),
 * {@link SchemaTooNewError} (`threads/schema-too-new`).
 */
export async function sqliteThreadStore(
  path: string,
  options: SqliteDatabaseOptions & ThreadStoreOptions = {},
): Promise<ThreadStore> {
  const database = await openSqliteDatabase(path, options);
  try {
    return await openThreadStore(database, options);
  } catch (error) {
    await database.close();
    throw error;
  }
}
