export type { PostgresDatabaseOptions } from "./postgres-connections.ts";
export { openPostgresDatabase } from "./postgres-database.ts";
export { postgresThreadStore } from "./postgres-store.ts";
export type { PostgresThreadStore } from "./postgres-store.ts";
export { DatabaseUnreachableError, PostgresOptionError } from "../store/errors.ts";
export type { TurnQueue } from "../turns/turn-queue.ts";
