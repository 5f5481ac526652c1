import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ThreadDatabase } from "../store/database.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";

describe("transactions that wait for each other", () => {
  let path: string;
  let database: ThreadDatabase;
  beforeEach(async () => {
    path = join(await mkdtemp(join(tmpdir(), "roboz-threads-")), "threads.db");
    database = await openSqliteDatabase(path);
    await database.transaction(({ run }) => run("CREATE TABLE notes (name TEXT PRIMARY KEY)"));
  });
  afterEach(async () => {
    await database.close();
    await rm(dirname(path), { recursive: true });
  });

  const add = (name: string): Promise<number> =>
    database.transaction(({ run }) => run("INSERT INTO notes VALUES ($1)", name));
  const names = (of: ThreadDatabase = database): Promise<unknown[]> =>
    of.read(async ({ rows }) => (await rows("SELECT name FROM notes ORDER BY name")).map(({ name }) => name));

  it("are kept together, each of them or nothing of it", async () => {
    const results = await Promise.allSettled([
      add("a"),
      database.transaction(async ({ run }) => {
        await run("INSERT INTO notes VALUES ('b')");
        throw new Error("changed its mind");
      }),
      add("a"),
      add("c"),
      names(),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(results.at(-1)).toMatchObject({ value: ["a", "c"] });
  });

  it("are done when others can read them, and not before", async () => {
    const other = await openSqliteDatabase(path);
    const seen: unknown[] = [];
    await Promise.all(
      ["a", "b", "c"].map((name) => add(name).then(async () => seen.push(await names(other)))),
    );
    expect(seen).toEqual(Array.from({ length: 3 }, () => ["a", "b", "c"]));
    await other.close();
  });

  it("all fail when what they did together cannot be kept", async () => {
    const hold = await openSqliteDatabase(path);
    await database.read(({ rows }) => rows("PRAGMA busy_timeout = 1"));
    const entered = vi.fn();
    await hold.transaction(async ({ run }) => {
      await run("INSERT INTO notes VALUES ('held')");
      const results = await Promise.allSettled([add("a").then(entered), add("b").then(entered)]);
      expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    });
    expect(entered).not.toHaveBeenCalled();
    expect(await names()).toEqual(["held"]);
    await add("a");
    expect(await names()).toEqual(["a", "held"]);
    await hold.close();
  });

  it("are acknowledged only when they are kept, also on a disk that is full", async () => {
    await database.read(({ rows }) => rows("PRAGMA max_page_count = 20"));
    const results = await Promise.allSettled([
      add("small"),
      database.transaction(({ run }) => run("INSERT INTO notes VALUES ($1)", "x".repeat(200_000))),
      add("later"),
    ]);
    const kept = ["small", "large", "later"].filter((_, index) => results[index]?.status === "fulfilled");
    expect(results[1].status).toBe("rejected");
    expect(await names()).toEqual(kept.sort());
    await database.read(({ rows }) => rows("PRAGMA max_page_count = 100000"));
    await add("z");
    expect(await names()).toContain("z");
  });
});
