import { EventEmitter } from "node:events";
import { constants } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

import {
  storable,
  type Queries,
  type SqlParameter,
  type SqlRow,
  type ThreadDatabase,
} from "../store/database.ts";
import { ThreadDriverError, ThreadFileError } from "../store/errors.ts";

/** How a database file is opened. */
export interface SqliteDatabaseOptions {
  /**
   * What an acknowledged request has to survive. `"power"` (the default): a power cut. `"process"`: the end of the process;
   * the last ones may be lost in a power cut, and the database stays whole.
   */
  readonly survives?: "power" | "process" | undefined;
  /** How long to wait for another process that writes, in milliseconds; 10,000 by default. The thread waits too. */
  readonly busyMs?: number | undefined;
}

interface Statement {
  readonly run: (parameters: readonly SqlParameter[]) => { readonly changes: number };
  readonly all: (parameters: readonly SqlParameter[]) => readonly unknown[];
}

/** A transaction that waits for its turn. */
interface Waiting {
  /** Gives what tells that it was kept. */
  readonly work: () => Promise<() => void>;
  readonly refuse: (error: unknown) => void;
}

/** The part of the driver that is used. */
interface Connection {
  readonly prepare: (sql: string) => Statement;
  readonly exec: (sql: string) => unknown;
  readonly close: () => unknown;
}

/**
 * Opens an SQLite file for a store of threads, and makes it, for its owner alone, if it is not there. It is meant for one
 * server; another process, such as a command that makes a token, may write beside it.
 *
 * @throws {@link ThreadDriverError} (`threads/driver`); {@link ThreadFileError} (`threads/file`) for what is no database.
 */
export async function openSqliteDatabase(
  path: string,
  { survives = "power", busyMs = 10_000 }: SqliteDatabaseOptions = {},
): Promise<ThreadDatabase> {
  const Driver = await loadDriver();
  // An absolute path is never taken for the address of a server.
  const file = resolve(path);
  await makeFile(file);
  const connection: Connection = new Driver(file);
  try {
    connection.exec(`PRAGMA busy_timeout = ${Math.trunc(busyMs)}`);
    await useLog(connection);
    connection.exec(
      survives === "power"
        ? "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON"
        : "PRAGMA synchronous = NORMAL",
    );
  } catch (cause) {
    connection.close();
    if (codeOf(cause) === "SQLITE_NOTADB")
      throw new ThreadFileError({ path, problem: "is no SQLite database", cause });
    throw cause;
  }
  return databaseOn(connection);
}

/** Two that make a database at once may meet here, where the driver does not wait. */
async function useLog(connection: Connection): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      connection.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (codeOf(error) !== "SQLITE_BUSY" || attempt === 200) throw error;
      await setTimeout(10);
    }
  }
}

async function loadDriver(): Promise<new (path: string) => Connection> {
  try {
    return (await import("libsql")).default;
  } catch (cause) {
    throw new ThreadDriverError({ driver: "libsql", cause });
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
    if (!(await lstat(path)).isFile()) throw new ThreadFileError({ path, problem: "is no regular file" });
  }
}

function databaseOn(connection: Connection): ThreadDatabase {
  const statements = new Map<string, Statement>();
  const words = new EventEmitter();
  words.setMaxListeners(0);
  let isOpen = true;
  /** The last one to hold the connection; the next one waits for it. */
  let last: Promise<unknown> = Promise.resolve();

  const prepared = (sql: string): Statement => {
    // The driver goes on with statements that were prepared before.
    if (!isOpen) throw new Error("The database was closed");
    const statement = statements.get(sql) ?? connection.prepare(sql.replaceAll(/\$(\d+)/g, "?$1"));
    statements.set(sql, statement);
    return statement;
  };
  const queries: Queries = {
    rows: (sql, ...parameters) =>
      attempt(() =>
        prepared(sql)
          .all(parameters.map(storable))
          .filter((row): row is SqlRow => isRow(row)),
      ),
    run: (sql, ...parameters) => attempt(() => prepared(sql).run(parameters.map(storable)).changes),
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
  let waiting: Waiting[] = [];
  /** Does all that waits in one transaction, each within a savepoint: the disk is waited for once. */
  const commitTogether = async (): Promise<void> => {
    const group = waiting;
    waiting = [];
    const tell: (() => void)[] = [];
    try {
      if (!isOpen) throw new Error("The database was closed");
      connection.exec("BEGIN IMMEDIATE");
      for (const { work, refuse } of group) {
        connection.exec("SAVEPOINT one");
        try {
          tell.push(await work());
        } catch (error) {
          connection.exec("ROLLBACK TO one");
          tell.push(() => {
            refuse(error);
          });
        }
        connection.exec("RELEASE one");
      }
      connection.exec("COMMIT");
    } catch (error) {
      rollBack(connection);
      for (const { refuse } of group) refuse(error);
      return;
    }
    for (const one of tell) one();
  };
  const transaction = <T>(work: (given: Queries) => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const mine: Waiting = {
        work: async () => {
          const result = await work(queries);
          return () => {
            resolve(result);
          };
        },
        refuse: reject,
      };
      if (waiting.push(mine) === 1) void inTurn(commitTogether);
    });
  return {
    isShared: false,
    rowLock: "",
    // `LIKE` and `LOWER` know the case of ASCII letters alone.
    containing: (expression, part, add) => `${expression} GLOB ${add(`*${anyCase(part)}*`)}`,
    transaction,
    exclusive: transaction,
    // Nobody else writes through this connection meanwhile.
    read: (work) => inTurn(() => work(queries)),
    listen: (channel, listener) => {
      words.on(channel, listener);
      return () => {
        words.off(channel, listener);
      };
    },
    notify: (channel, word) => {
      words.emit(channel, word);
    },
    close: () =>
      inTurn(() => {
        if (isOpen) connection.close();
        isOpen = false;
        statements.clear();
        return Promise.resolve();
      }),
  };
}

/** A pattern for a text, each of its letters small or large. */
function anyCase(part: string): string {
  return Array.from(part, (character) => {
    const forms = new Set([character, character.toLowerCase(), character.toUpperCase()]);
    // A set holds single characters, and some letters become two.
    const single = [...forms].filter((form) => Array.from(form).length === 1);
    return single.length > 1 || "*?[".includes(character) ? `[${single.join("")}]` : character;
  }).join("");
}

/** What a synchronous call gives, or its failure, as a promise. */
function attempt<T>(call: () => T): Promise<T> {
  try {
    return Promise.resolve(call());
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }
}

function rollBack(connection: Connection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // A full disk has ended the transaction already.
  }
}

function isRow(candidate: unknown): candidate is SqlRow {
  return typeof candidate === "object" && candidate !== null;
}

/** The name of what went wrong, as the system or the driver has it. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
