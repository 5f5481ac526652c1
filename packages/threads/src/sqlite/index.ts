export { openSqliteDatabase } from "./sqlite-database.ts";
export type { SqliteDatabaseOptions } from "./sqlite-database.ts";
export { sqliteThreadStore } from "./sqlite-store.ts";
