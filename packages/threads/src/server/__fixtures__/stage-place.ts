import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { postgresThreadStore, type PostgresThreadStore } from "../../postgres/postgres-store.ts";
import { sqliteThreadStore } from "../../sqlite/sqlite-store.ts";
import type { AddressedStore } from "../store-address.ts";

/** Where stages keep their threads, one after the other. */
export interface StagePlace {
  /** Opens the store of a stage; called again, after it was closed, as another process does. */
  readonly open: () => Promise<AddressedStore>;
  /** A stage is over: what it kept is not there for the next one. */
  readonly leave: () => Promise<void>;
}

/** A file of its own. */
export async function sqlitePlace(): Promise<StagePlace> {
  const folder = await mkdtemp(join(tmpdir(), "roboz-thread-server-"));
  let opened: AddressedStore | undefined;
  return {
    open: async () => {
      const store = await sqliteThreadStore(join(folder, "threads.db"), { survives: "process" });
      return (opened = { store, queue: undefined });
    },
    leave: async () => {
      await opened?.store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A schema of a PostgreSQL database. It is emptied between stages, and its store stays open: to make tables and connections anew
 * takes longer than most tests.
 */
export class PostgresPlace implements StagePlace {
  readonly #url: string;
  #opened: PostgresThreadStore | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  readonly open = async (): Promise<AddressedStore> => {
    const store = (this.#opened ??= await postgresThreadStore(this.#url));
    const close = async (): Promise<void> => {
      this.#opened = undefined;
      await store.close();
    };
    return { store: { ...store, close }, queue: store.turnQueue };
  };

  readonly leave = async (): Promise<void> => {
    await this.#opened?.write(async ({ queries }) => {
      const tables = await queries.rows(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
          WHERE schemaname = current_schema() AND tablename <> 'threads_schema' OR tablename = 'job'`,
      );
      // Tables with little in them are emptied sooner so than with TRUNCATE, which makes their files anew.
      for (const { name } of tables) await queries.run(`DELETE FROM ${String(name)}`);
    });
  };

  /** Closes the store. */
  async close(): Promise<void> {
    await this.#opened?.close();
  }
}
