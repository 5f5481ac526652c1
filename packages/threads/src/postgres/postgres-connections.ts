import type * as pg from "pg";
import type { ClientConfig, Pool, PoolConfig } from "pg";

import { PostgresOptionError, ThreadDriverError } from "../store/errors.ts";

/** How a PostgreSQL database is used. */
export interface PostgresDatabaseOptions {
  /** Connections at once, 1 to 1,000; 10 by default. One more hears what other processes say. */
  readonly connections?: number | undefined;
  /** The schema that the tables stand in, made if it is not there; `roboz_threads` by default. */
  readonly schema?: string | undefined;
  /**
   * How long a lost connection is tried again before a request fails, in milliseconds; 10,000 by default.
   */
  readonly patienceMs?: number | undefined;
}

/** The options, checked, with what they are by default. */
export interface PostgresSettings {
  readonly url: string;
  readonly connections: number;
  readonly schema: string;
  readonly patienceMs: number;
}

/**
 * Checks an address and options.
 *
 * @throws {@link PostgresOptionError} (`threads/postgres-option`)
 */
export function postgresSettings(
  url: string,
  { connections = 10, schema = "roboz_threads", patienceMs = 10_000 }: PostgresDatabaseOptions,
): PostgresSettings {
  if (!/^postgres(?:ql)?:\/\//.test(url))
    throw new PostgresOptionError({ option: "url", problem: "begins with `postgres://`" });
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
    throw new PostgresOptionError({
      option: "schema",
      problem: "is a lower-case word of up to 40 letters, digits and `_`",
    });
  }
  if (!Number.isInteger(connections) || connections < 1 || connections > 1000)
    throw new PostgresOptionError({ option: "connections", problem: "is a whole number of 1 to 1,000" });
  if (!Number.isFinite(patienceMs) || patienceMs < 0)
    throw new PostgresOptionError({ option: "patienceMs", problem: "is a number of 0 or more" });
  return { url, connections, schema, patienceMs };
}

/** What every connection is opened with. */
export function connectionConfig({ url, schema }: PostgresSettings): ClientConfig {
  const [, given = ""] = /[?&]options=([^&#]*)/.exec(url) ?? [];
  const options = `${given}${given === "" ? "" : "%20"}-c%20search_path=${schema}`;
  return {
    connectionString: `${url}${url.includes("?") ? "&" : "?"}options=${options}`,
    application_name: "roboz-threads",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: 30_000,
    // Longer than the server's limit: who hears nothing from it for that long has lost it.
    query_timeout: 35_000,
    lock_timeout: 20_000,
    // A process that is frozen within a transaction must not keep the others from its thread.
    idle_in_transaction_session_timeout: 10_000,
  };
}

/** The part of the driver that is used. */
export type PostgresDriver = Pick<typeof pg, "Pool" | "Client" | "TypeOverrides">;

/** @throws {@link ThreadDriverError} (`threads/driver`) */
export async function loadPostgres(): Promise<PostgresDriver> {
  try {
    return (await import("pg")).default;
  } catch (cause) {
    throw new ThreadDriverError({ driver: "pg", cause });
  }
}

/** The number of the type in `pg_type`. */
const bigintType = 20;

/** Connections that are taken from and given back to. */
export function openPool(
  { Pool: Connections, TypeOverrides }: PostgresDriver,
  settings: PostgresSettings,
): Pool {
  const types = new TypeOverrides();
  // Counts are `bigint`, which the driver gives as text.
  types.setTypeParser(bigintType, Number);
  const config: PoolConfig = {
    ...connectionConfig(settings),
    max: settings.connections,
    // A driver that is not closed must not keep the process alive by connections that nobody uses.
    allowExitOnIdle: true,
    types,
  };
  const pool = new Connections(config);
  pool.on("error", ignore);
  pool.on("connect", (client) => {
    // What ends a connection that is in use fails its statement too; without a listener it would end the process.
    client.on("error", ignore);
  });
  return pool;
}

function ignore(): void {
  // The next statement fails, and is tried again.
}
