import { constants } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { SqliteDriverError, SqliteFileError } from "./errors.ts";

/** What a statement may be given. */
export type SqliteParameter = string | number | bigint | null;

/** A row, by the names of its columns. */
export type SqliteRow = Readonly<Record<string, unknown>>;

/** How a database is opened. */
export interface SqliteOptions {
  /**
   * What a finished transaction has to survive. `"power"` (the default): a power cut; each is synced to the disk.
   * `"process"`: the end of the process; the last ones may be lost in a power cut, and the database stays whole.
   */
  readonly survives?: "power" | "process" | undefined;
  /** How long to wait for another process that writes, in milliseconds; 10,000 by default. The thread waits too. */
  readonly busyMs?: number | undefined;
}

/** A connection to a database file. Every call is synchronous: the thread waits for the disk. */
export interface SqliteDatabase {
  /** Runs statements without parameters, such as those that make tables. */
  readonly execute: (sql: string) => void;
  /** Runs one statement; how many rows it changed. Statements are prepared once, by their text. */
  readonly run: (sql: string, ...parameters: readonly SqliteParameter[]) => number;
  /** The rows that a statement gives. */
  readonly rows: (sql: string, ...parameters: readonly SqliteParameter[]) => readonly SqliteRow[];
  /** Does all of `work`, which waits for nothing, or none of it; nobody else writes meanwhile. */
  readonly transaction: <T>(work: () => T) => T;
  /** Ends the use of the file; the driver lets go of it when what it prepared has been collected as garbage. */
  readonly close: () => void;
}

interface Statement {
  readonly run: (parameters: readonly SqliteParameter[]) => { readonly changes: number };
  readonly all: (parameters: readonly SqliteParameter[]) => readonly unknown[];
}

/** The part of the driver that is used. */
interface Connection {
  readonly prepare: (sql: string) => Statement;
  readonly exec: (sql: string) => unknown;
  readonly close: () => unknown;
}

/**
 * Opens a database file, and makes it, for its owner alone, if it is not there.
 *
 * @throws {@link SqliteDriverError} (`sqlite/driver`); {@link SqliteFileError} (`sqlite/file`) for what is no database;
 * the driver's own error when the system refuses.
 */
export async function openSqlite(path: string, options: SqliteOptions = {}): Promise<SqliteDatabase> {
  const { survives = "power", busyMs = 10_000 } = options;
  const Driver = await loadDriver();
  // An absolute path is never taken for the address of a server.
  const file = resolve(path);
  await makeFile(file);
  const connection: Connection = new Driver(file);
  try {
    connection.exec(`PRAGMA busy_timeout = ${Math.trunc(busyMs)}`);
    useLog(connection);
    // macOS has a call of its own for what is really on the disk; elsewhere the second setting changes nothing.
    connection.exec(
      survives === "power"
        ? "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON"
        : "PRAGMA synchronous = NORMAL",
    );
  } catch (cause) {
    connection.close();
    if (codeOf(cause) === "SQLITE_NOTADB")
      throw new SqliteFileError({ path, problem: "is no SQLite database", cause });
    throw cause;
  }
  return database(connection);
}

async function loadDriver(): Promise<new (path: string) => Connection> {
  try {
    return (await import("libsql")).default;
  } catch (cause) {
    throw new SqliteDriverError({ cause });
  }
}

/** An empty file is a new database; nothing else than a regular file is touched. */
async function makeFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const handle = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
    await handle.close();
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    if (!(await lstat(path)).isFile()) throw new SqliteFileError({ path, problem: "is no regular file" });
  }
}

/** Two that make a database at once may meet here, where the driver does not wait. */
function useLog(connection: Connection): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      connection.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (codeOf(error) !== "SQLITE_BUSY" || attempt === 200) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

function database(connection: Connection): SqliteDatabase {
  const statements = new Map<string, Statement>();
  let isOpen = true;
  // The driver goes on with statements that were prepared before.
  const use = (): Connection => {
    if (!isOpen) throw new Error("The database was closed");
    return connection;
  };
  const prepared = (sql: string): Statement => {
    const own = use();
    const statement = statements.get(sql) ?? own.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    execute: (sql) => {
      use().exec(sql);
    },
    run: (sql, ...parameters) => prepared(sql).run(parameters).changes,
    rows: (sql, ...parameters) => prepared(sql).all(parameters).filter(isRow),
    transaction: (work) => {
      use().exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        connection.exec("COMMIT");
        return result;
      } catch (error) {
        rollBack(connection);
        throw error;
      }
    },
    close: () => {
      if (isOpen) connection.close();
      isOpen = false;
      statements.clear();
    },
  };
}

function rollBack(connection: Connection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // A full disk has ended the transaction already.
  }
}

function isRow(candidate: unknown): candidate is SqliteRow {
  return typeof candidate === "object" && candidate !== null;
}

/** The name of what went wrong, as the system or the driver has it. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
