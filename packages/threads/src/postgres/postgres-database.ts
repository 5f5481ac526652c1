import { setTimeout as delay } from "node:timers/promises";

import type { PoolClient } from "pg";

import type { Queries, ThreadDatabase } from "../store/database.ts";
import { DatabaseUnreachableError } from "../store/errors.ts";
import {
  loadPostgres,
  openPool,
  postgresSettings,
  type PostgresDatabaseOptions,
  type PostgresSettings,
} from "./postgres-connections.ts";
import { failureKind } from "./postgres-failures.ts";
import { queriesOn } from "./postgres-queries.ts";
import { openWords } from "./postgres-words.ts";

/** How often work that meets others is begun again. */
const conflictTries = 20;

/** What became of a transaction of which the answer to the commit was lost. */
type Outcome = "committed" | "aborted" | "unknown";

/** A PostgreSQL database, for what does more with it than the store. */
export interface PostgresDatabase extends ThreadDatabase {
  readonly schema: string;
  /** Runs a statement, or several without parameters, on a connection of the pool. */
  readonly execute: (sql: string, parameters?: unknown[]) => Promise<{ readonly rows: unknown[] }>;
}

/**
 * Opens a PostgreSQL database, 13 or later, for a store of threads; any number of processes may share it. Poolers that hand out
 * a connection per transaction cannot stand between, for they lose what is listened to.
 *
 * Work that meets a conflict is begun again, and so is work whose connection is lost. When that happens while it is being
 * committed, the database is asked what became of it, so that nothing is done twice.
 *
 * @param url - `postgres://user:password@host:port/database`; it is never part of a message.
 * @throws {@link ThreadDriverError} (`threads/driver`), {@link PostgresOptionError} (`threads/postgres-option`),
 * {@link DatabaseUnreachableError} (`threads/database-unreachable`).
 */
export async function openPostgresDatabase(
  url: string,
  options: PostgresDatabaseOptions = {},
): Promise<PostgresDatabase> {
  const settings = postgresSettings(url, options);
  const driver = await loadPostgres();
  const pool = openPool(driver, settings);
  const words = openWords(driver, pool, settings);
  let closing: Promise<void> | undefined;
  const connect = async (): Promise<PoolClient> => {
    if (closing !== undefined) throw new Error("The database was closed");
    return pool.connect();
  };
  const transaction = <T>(work: (queries: Queries) => Promise<T>, lock?: string): Promise<T> =>
    patiently(settings, () => commit(connect, work, lock));
  const database: PostgresDatabase = {
    schema: settings.schema,
    execute: async (sql, parameters) => {
      const client = await connect();
      let failed: Error | undefined;
      try {
        return await client.query(sql, parameters);
      } catch (error) {
        // Several statements may have left a transaction open.
        failed = asError(error);
        throw error;
      } finally {
        client.release(failed);
      }
    },
    isShared: true,
    rowLock: " FOR UPDATE",
    containing: (expression, part, add) => {
      const pattern = add(`%${part.replaceAll(/[\\%_]/g, "\\$&")}%`);
      return `LOWER(${expression}) LIKE LOWER(${pattern}) ESCAPE '\\'`;
    },
    transaction: (work) => transaction(work),
    exclusive: (work) => transaction(work, settings.schema),
    read: (work) => patiently(settings, () => look(connect, work)),
    listen: words.listen,
    notify: words.notify,
    close: () => {
      closing ??= words.close().then(() => pool.end());
      return closing;
    },
  };
  try {
    await makeSchema(database, settings);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** Whoever may not make schemas finds it made. */
async function makeSchema({ exclusive }: ThreadDatabase, { schema }: PostgresSettings): Promise<void> {
  await exclusive(async (queries) => {
    const found = await queries.rows("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema);
    if (found.length === 0) await queries.run(`CREATE SCHEMA "${schema}"`);
  });
}

/** Does work until it neither meets others nor loses its connection, for as long as the settings allow. */
async function patiently<T>({ patienceMs }: PostgresSettings, work: () => Promise<T>): Promise<T> {
  const givenUpAt = performance.now() + patienceMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const kind = failureKind(error);
      if (kind === "other" || (kind === "conflict" && tries >= conflictTries)) throw error;
      if (kind === "connection" && performance.now() > givenUpAt)
        throw new DatabaseUnreachableError({ isOutcomeKnown: true, cause: error });
      // By chance, or two that meet would meet again.
      await delay(Math.random() * Math.min(kind === "conflict" ? 5 * tries : 50 * tries, 1000));
    }
  }
}

async function commit<T>(
  connect: () => Promise<PoolClient>,
  work: (queries: Queries) => Promise<T>,
  lock: string | undefined,
): Promise<T> {
  const client = await connect();
  let lost: Error | undefined;
  try {
    const transactionId = await begin(client);
    if (lock !== undefined)
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [lock]);
    const result = await work(queriesOn(client));
    try {
      const { command } = await client.query("COMMIT");
      if (command !== "COMMIT")
        throw new Error("A statement of the transaction had failed; nothing was kept");
    } catch (cause) {
      if (failureKind(cause) !== "connection") throw cause;
      lost = asError(cause);
      const outcome = await outcomeOf(connect, transactionId);
      if (outcome === "unknown") throw new DatabaseUnreachableError({ isOutcomeKnown: false, cause });
      if (outcome === "aborted") throw cause;
    }
    return result;
  } catch (error) {
    if (failureKind(error) === "connection") lost = asError(error);
    lost ??= await rollBack(client);
    throw error;
  } finally {
    client.release(lost);
  }
}

/** Begins, and asks for the number by which the transaction is known when the connection is lost: both at once. */
async function begin(client: PoolClient): Promise<string> {
  const results: unknown = await client.query("BEGIN; SELECT pg_current_xact_id()::text AS id");
  const rows: unknown = Array.isArray(results) ? Reflect.get(Object(results.at(-1)), "rows") : undefined;
  const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
  const id: unknown = Reflect.get(Object(row), "id");
  if (typeof id !== "string") throw new Error("The database gave the transaction no number");
  return id;
}

/** What became of a transaction. One that the database still holds open is ended: nobody is there to go on with it. */
async function outcomeOf(connect: () => Promise<PoolClient>, transactionId: string): Promise<Outcome> {
  for (let tries = 1; tries <= 20; tries += 1) {
    try {
      const client = await connect();
      try {
        await client.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user AND backend_xid = $1::xid8::xid",
          [transactionId],
        );
        const { rows } = await client.query<{ status: string | null }>(
          "SELECT pg_xact_status($1::xid8) AS status",
          [transactionId],
        );
        const status = rows[0]?.status;
        if (status === "committed" || status === "aborted") return status;
      } finally {
        client.release();
      }
    } catch {
      // No connection yet.
    }
    await delay(50 * tries);
  }
  return "unknown";
}

/** Reads of one snapshot. */
async function look<T>(
  connect: () => Promise<PoolClient>,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  const client = await connect();
  let lost: Error | undefined;
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const result = await work(queriesOn(client));
    lost = await rollBack(client);
    return result;
  } catch (error) {
    lost = failureKind(error) === "connection" ? asError(error) : await rollBack(client);
    throw error;
  } finally {
    client.release(lost);
  }
}

/** Leaves a transaction; a connection that cannot is not used again. */
async function rollBack(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query("ROLLBACK");
    return undefined;
  } catch (error) {
    return asError(error);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
