import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type { JournalStore } from "@roboz/core";

import { StoreError } from "../errors.ts";

/** A store that was opened, and what lets go of it. */
export interface OpenStore {
  readonly store: JournalStore;
  readonly close: () => Promise<void>;
}

const database = /\.(?:db|sqlite|sqlite3)$/i;
const sqlitePackage = "@roboz/sqlite";

/**
 * The store at a path: a database by its ending (`.db`, `.sqlite`, `.sqlite3`), else a folder of journals.
 *
 * @param path - From the working directory.
 * @param options.isNew - Whether the store may be made now; otherwise it has to be there.
 * @throws {@link StoreError} (`cli/store`) when there is none, it is something else, or the package that reads it is missing.
 */
export async function openStore(path: string, { isNew }: { readonly isNew: boolean }): Promise<OpenStore> {
  const isDatabase = database.test(path);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined && !isNew) throw new StoreError({ path, fault: "missing" });
  if (found !== undefined && !(isDatabase ? found.isFile() : found.isDirectory()))
    throw new StoreError({ path, fault: isDatabase ? "no-database" : "no-folder" });
  if (isDatabase) return openDatabase(path);
  const { fileJournalStore } = await import("@roboz/core");
  return { store: fileJournalStore(path), close: () => Promise.resolve() };
}

async function openDatabase(path: string): Promise<OpenStore> {
  const open = await loadSqlite(path);
  const store = await open(resolve(path));
  return {
    store,
    close: async () => {
      const close: unknown = Reflect.get(store, "close");
      if (typeof close === "function") await Reflect.apply(close, store, []);
    },
  };
}

type Opener = (path: string) => JournalStore | Promise<JournalStore>;

/** The package is a choice of the user's, so it is looked for beside this one and in the project. */
async function loadSqlite(path: string): Promise<Opener> {
  for (const from of [import.meta.url, pathToFileURL(resolve("package.json")).href]) {
    let entry: string;
    try {
      entry = createRequire(from).resolve(sqlitePackage);
    } catch {
      continue;
    }
    const exports: unknown = await import(pathToFileURL(entry).href);
    const open: unknown =
      typeof exports === "object" && exports !== null
        ? Reflect.get(exports, "sqliteJournalStore")
        : undefined;
    if (isOpener(open)) return open;
  }
  throw new StoreError({ path, fault: "no-sqlite" });
}

function isOpener(candidate: unknown): candidate is Opener {
  return typeof candidate === "function";
}
