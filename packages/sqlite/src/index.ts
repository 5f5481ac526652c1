export { openSqlite } from "./database.ts";
export type { SqliteDatabase, SqliteOptions, SqliteParameter, SqliteRow } from "./database.ts";
export { SqliteDriverError, SqliteError, SqliteFileError } from "./errors.ts";
export type { AnySqliteError, SqliteErrorCode } from "./errors.ts";
export { sqliteJournalStore } from "./journal-store.ts";
export type { SqliteJournalStore } from "./journal-store.ts";
