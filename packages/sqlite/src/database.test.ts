import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openSqlite, type SqliteDatabase } from "./database.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-sqlite-"));
  path = join(folder, "some.db");
});

afterEach(async () => {
  vi.doUnmock("libsql");
  await rm(folder, { recursive: true, force: true });
});

const setting = (database: SqliteDatabase, name: string): unknown =>
  Object.values(database.rows(`PRAGMA ${name}`)[0] ?? {})[0];

describe("a database", () => {
  it.each([
    { survives: undefined, synchronous: 2 },
    { survives: "power" as const, synchronous: 2 },
    { survives: "process" as const, synchronous: 1 },
  ])("syncs as its option $survives says, with a write-ahead log", async ({ survives, synchronous }) => {
    const database = await openSqlite(path, { survives });
    expect(setting(database, "synchronous")).toBe(synchronous);
    expect(setting(database, "journal_mode")).toBe("wal");
    expect(setting(database, "busy_timeout")).toBe(10_000);
    database.close();
  });

  it("is made with its folder, for their owner alone", async () => {
    path = join(folder, "new", "some.db");
    const database = await openSqlite(path);
    database.execute("CREATE TABLE t (a)");
    const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;
    expect(await modeOf(join(folder, "new"))).toBe(0o700);
    expect(await modeOf(path)).toBe(0o600);
    expect(await modeOf(`${path}-wal`)).toBe(0o600);
    database.close();
  });

  it("does all of a transaction or none of it", async () => {
    const database = await openSqlite(path);
    database.execute("CREATE TABLE t (a INTEGER)");
    const add = (value: number): number => database.run("INSERT INTO t VALUES (?)", value);
    expect(database.transaction(() => add(1) + add(2))).toBe(2);
    expect(() =>
      database.transaction(() => {
        add(3);
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(() => {
      database.transaction(() => {
        database.execute("ROLLBACK; SELECT nothing");
      });
    }).toThrow("nothing");
    expect(database.rows("SELECT a FROM t WHERE a > ?", 0)).toMatchObject([{ a: 1 }, { a: 2 }]);
    database.close();
  });

  it("waits for another one that writes, as long as it may", async () => {
    const one = await openSqlite(path);
    one.execute("CREATE TABLE t (a INTEGER)");
    const other = await openSqlite(path, { busyMs: 1 });
    one.transaction(() => {
      expect(() => other.run("INSERT INTO t VALUES (1)")).toThrow(/locked/);
    });
    expect(other.run("INSERT INTO t VALUES (1)")).toBe(1);
    one.close();
    other.close();
  });
});

describe("what is no database", () => {
  it.each<{ readonly why: string; readonly make: () => unknown }>([
    {
      why: "a text",
      make: () => writeFile(path, "Dear diary, today I wrote more than sixteen letters.\n".repeat(40)),
    },
    { why: "a folder", make: () => mkdir(path) },
    { why: "a pipe", make: () => execFileSync("mkfifo", [path]) },
    { why: "a link that leads nowhere", make: () => symlink(join(folder, "target"), path) },
    {
      why: "a link to a database",
      make: async () => {
        (await openSqlite(join(folder, "target"))).close();
        await symlink(join(folder, "target"), path);
      },
    },
  ])("is left alone when it is $why", async ({ make }) => {
    await make();
    const before = await readFile(path, { encoding: "utf8", flag: 0o4000 }).catch(() => "none");
    await expect(openSqlite(path)).rejects.toMatchObject({ code: "sqlite/file", path });
    expect(await readFile(path, { encoding: "utf8", flag: 0o4000 }).catch(() => "none")).toBe(before);
  });

  it("may be an empty file, as a crash leaves before the first table", async () => {
    await writeFile(path, "");
    const database = await openSqlite(path);
    database.execute("CREATE TABLE t (a)");
    expect(database.rows("SELECT * FROM t")).toEqual([]);
    database.close();
  });
});

it("says how to install a driver that is missing, in one line", async () => {
  vi.doMock("libsql", () => {
    throw new Error("Cannot find module");
  });
  vi.resetModules();
  const { openSqlite: open } = await import("./database.ts");
  await expect(open(path)).rejects.toMatchObject({ code: "sqlite/driver" });
  await expect(open(path)).rejects.toThrow(/^[^\n]*`npm install libsql`$/);
});
