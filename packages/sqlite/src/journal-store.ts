import { lstat } from "node:fs/promises";

import {
  checkRunId,
  isHeld,
  JournalReadError,
  JournalWriteError,
  newProcessHold,
  RunLockedError,
  UnknownRunError,
  type JournalHandle,
  type JournalStore,
  type ProcessHold,
} from "@roboz/core";

import { openSqlite, type SqliteDatabase, type SqliteOptions } from "./database.ts";
import { SqliteError } from "./errors.ts";

/** A store of journals in a database. */
export interface SqliteJournalStore extends JournalStore {
  /**
   * Ends the use of the file, of which the driver lets go when what it prepared has been collected as garbage. What is
   * called later opens it again; runs that are held can no longer be written.
   */
  readonly close: () => Promise<void>;
}

const tables = `
  CREATE TABLE IF NOT EXISTS roboz_run (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    holder TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE TABLE IF NOT EXISTS roboz_record (
    run INTEGER NOT NULL REFERENCES roboz_run,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, position)
  ) STRICT, WITHOUT ROWID;`;

/**
 * A store of any number of runs in one SQLite file, in tables whose names begin with `roboz_`; the file may hold others.
 *
 * A record is written whole or not at all, and only while its writer holds the run. Whether the holder is still there is
 * told by its process id and start; so a file belongs to the processes of one machine, or of one container, at a time.
 */
export function sqliteJournalStore(path: string, options: SqliteOptions = {}): SqliteJournalStore {
  let opened: Promise<SqliteDatabase> | undefined;
  const connect = (): Promise<SqliteDatabase> => {
    opened ??= openTables(path, options).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  /** The database, unless there is none, which reading does not make. */
  const connectToRead = async (): Promise<SqliteDatabase | undefined> =>
    opened !== undefined || (await isThere(path)) ? connect() : undefined;
  return {
    open: async (runId, { mustExist = false } = {}) => {
      checkRunId(runId);
      try {
        const database = mustExist ? await connectToRead() : await connect();
        if (database === undefined) throw new UnknownRunError({ runId });
        return hold(database, runId, mustExist);
      } catch (error) {
        if (SqliteError.is(error) || error instanceof RunLockedError || error instanceof UnknownRunError)
          throw error;
        throw new JournalWriteError({ runId, cause: error });
      }
    },
    read: async (runId) => {
      checkRunId(runId);
      return reading(runId, async () => {
        const database = await connectToRead();
        if (database === undefined) return undefined;
        const [run] = database.rows("SELECT number FROM roboz_run WHERE id = ?", runId);
        return run === undefined ? undefined : recordsOf(database, Number(run["number"]));
      });
    },
    list: () =>
      reading(null, async () => {
        const database = await connectToRead();
        return (database?.rows("SELECT id FROM roboz_run") ?? []).map(({ id }) => String(id));
      }),
    close: async () => {
      const closing = opened;
      opened = undefined;
      (await closing)?.close();
    },
  };
}

async function openTables(path: string, options: SqliteOptions): Promise<SqliteDatabase> {
  const database = await openSqlite(path, options);
  try {
    database.transaction(() => {
      database.execute(tables);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

async function reading<T>(runId: string | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (SqliteError.is(error)) throw error;
    throw new JournalReadError({ runId, cause: error });
  }
}

function recordsOf(database: SqliteDatabase, run: number): readonly string[] {
  return database
    .rows("SELECT text FROM roboz_record WHERE run = ? ORDER BY position", run)
    .map(({ text }) => String(text));
}

/** Takes hold of a run, and makes it if it is not there. */
function hold(database: SqliteDatabase, runId: string, mustExist: boolean): JournalHandle {
  const own = newProcessHold();
  const { run, lines } = database.transaction(() => {
    if (!mustExist) database.run("INSERT INTO roboz_run (id) VALUES (?) ON CONFLICT DO NOTHING", runId);
    const [found] = database.rows("SELECT number, holder FROM roboz_run WHERE id = ?", runId);
    if (found === undefined) throw new UnknownRunError({ runId });
    if (isHeld(String(found["holder"]))) throw new RunLockedError({ runId });
    const number = Number(found["number"]);
    database.run("UPDATE roboz_run SET holder = ? WHERE number = ?", own.text, number);
    return { run: number, lines: recordsOf(database, number) };
  });
  return handle({ database, runId, run, lines, own });
}

interface HeldRun {
  readonly database: SqliteDatabase;
  readonly runId: string;
  readonly run: number;
  readonly lines: readonly string[];
  readonly own: ProcessHold;
}

function handle({ database, runId, run, lines, own }: HeldRun): JournalHandle {
  let position = lines.length;
  let isOpen = true;
  let failure: JournalWriteError | undefined;
  const write = (record: string): void => {
    if (!isOpen) throw new JournalWriteError({ runId, cause: new Error("The journal was closed") });
    if (failure !== undefined) throw failure;
    try {
      // Whoever took the run over has its own holder there, and nothing is inserted.
      const written = database.run(insert, run, position + 1, record, run, own.text);
      if (written !== 1) throw new Error("Another writer took the run over");
      position += 1;
    } catch (cause) {
      failure = new JournalWriteError({ runId, cause });
      throw failure;
    }
  };
  return {
    runId,
    lines,
    // A rejection rather than an exception, as the contract has it.
    append: async (record) => {
      write(record);
      return Promise.resolve();
    },
    close: async () => {
      if (isOpen) letGo(database, run, own);
      isOpen = false;
      return Promise.resolve();
    },
  };
}

const insert = `
  INSERT INTO roboz_record (run, position, text) SELECT ?, ?, ?
  WHERE EXISTS (SELECT 1 FROM roboz_run WHERE number = ? AND holder = ?)`;

function letGo(database: SqliteDatabase, run: number, own: ProcessHold): void {
  try {
    database.run("UPDATE roboz_run SET holder = '' WHERE number = ? AND holder = ?", run, own.text);
  } catch {
    // The disk is full or read-only. Others find the run held until this process ends, and this process knows better.
    own.end();
  }
}
