import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { afterEach, describe, expect, it, vi } from "vitest";

import { testThreadStore } from "../testing/thread-store-suite.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";
import { sqliteThreadStore } from "./sqlite-store.ts";

const makePlace = async (): Promise<string> =>
  join(await mkdtemp(join(tmpdir(), "roboz-threads-")), "threads.db");
const removePlace = (path: string): Promise<void> => rm(dirname(path), { recursive: true, force: true });

testThreadStore(
  {
    makePlace,
    open: (path, options) => sqliteThreadStore(path, { survives: "process", ...options }),
    removePlace,
  },
  { describe, it },
);

describe("a database file", () => {
  afterEach(() => {
    vi.doUnmock("libsql");
    vi.resetModules();
  });

  it.each([
    {
      why: "a text",
      make: (path: string) => writeFile(path, "Dear diary, this is no database.\n".repeat(99)),
    },
    { why: "a link", make: (path: string) => symlink("elsewhere", path) },
  ])("is refused when it is $why", async ({ make }) => {
    const path = await makePlace();
    await make(path);
    await expect(sqliteThreadStore(path)).rejects.toMatchObject({ code: "threads/file", path });
    await removePlace(path);
  });

  it("says how to install a driver that is missing", async () => {
    vi.doMock("libsql", () => {
      throw new Error("Cannot find module");
    });
    vi.resetModules();
    const { openSqliteDatabase: open } = await import("./sqlite-database.ts");
    await expect(open("any.db")).rejects.toThrow(/`npm install libsql`$/);
  });

  it("is waited for while another process is making it", async () => {
    const path = await makePlace();
    const { default: Database } = await import("libsql");
    const other = new Database(path);
    other.exec("CREATE TABLE t (a)");
    other.exec("BEGIN EXCLUSIVE");
    const opening = openSqliteDatabase(path, { busyMs: 1 });
    await setTimeout(30);
    other.exec("COMMIT");
    other.close();
    const database = await opening;
    expect(await database.read(({ rows }) => rows("PRAGMA journal_mode"))).toEqual([{ journal_mode: "wal" }]);
    await database.close();
    await removePlace(path);
  });

  it("is closed once, and used no more", async () => {
    const path = await makePlace();
    const database = await openSqliteDatabase(path);
    await database.close();
    await database.close();
    await expect(database.read(({ rows }) => rows("SELECT 1"))).rejects.toThrow("closed");
    await expect(database.transaction(() => Promise.resolve())).rejects.toThrow("closed");
    await removePlace(path);
  });

  it("is not opened when its tables are of a later release", async () => {
    const path = await makePlace();
    const store = await sqliteThreadStore(path);
    await store.write(({ queries }) => queries.run("UPDATE threads_schema SET version = 99"));
    await store.close();
    await expect(sqliteThreadStore(path)).rejects.toMatchObject({ code: "threads/schema-too-new" });
    await removePlace(path);
  });
});
