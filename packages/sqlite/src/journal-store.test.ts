import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, Empty, Int, newProcessHold, resumeRun, Stop, tool, when } from "@roboz/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { openSqlite, type SqliteDatabase } from "./database.ts";
import { sqliteJournalStore, type SqliteJournalStore } from "./journal-store.ts";

let folder: string;
let path: string;
let store: SqliteJournalStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-sqlite-"));
  path = join(folder, "runs.db");
  store = sqliteJournalStore(path);
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const recordAt = (sequence: number): string =>
  JSON.stringify({ sequence, at: "2026-01-01T00:00:00.000Z", type: "resumed" });

/** Another connection to the store's file. */
async function beside<T>(work: (database: SqliteDatabase) => T): Promise<T> {
  const database = await openSqlite(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Counts to three, each count an effect that is done once. */
function counter(effects: string[] = []): Agent {
  const count = tool({
    name: "count",
    description: "",
    input: Empty,
    output: Int,
    run: async (_input, { once }) => Int({ value: await once("first", (key) => effects.push(key)) }),
  });
  const next = tool({
    name: "next",
    description: "",
    input: Int,
    output: Int,
    chainedTo: count,
    run: async ({ value }, { once }) => Int({ value: await once(`next-${value}`, () => value + 1) }),
  });
  const end = tool({
    name: "end",
    description: "",
    input: Int,
    output: Stop,
    chainedTo: when(next, ({ value }) => value >= 3),
    run: () => Stop({ value: "three" }),
  });
  next.chain(when(next, ({ value }) => value < 3));
  return new Agent({ name: "counter", mode: "deterministic", defaultTools: [count], tools: [next, end] });
}

describe("a store in a database", { timeout: 60_000 }, () => {
  it("makes no file when there is nothing to read", async () => {
    expect(await store.read("run")).toBeUndefined();
    expect(await store.list()).toEqual([]);
    await expect(store.open("run", { mustExist: true })).rejects.toMatchObject({ code: "core/unknown-run" });
    expect(await readdir(folder)).toEqual([]);
  });

  it("shares its file with the tables of others", async () => {
    await beside((database) => {
      database.execute("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1); PRAGMA user_version = 7");
    });
    await counter().invoke(undefined, { journal: store, runId: "run" });
    await beside((database) => {
      expect(database.rows("SELECT a FROM theirs")).toMatchObject([{ a: 1 }]);
      expect(database.rows("PRAGMA user_version")).toMatchObject([{ user_version: 7 }]);
    });
  });

  it("PS-18: takes an id with SQL in it for no id, and shows no run", async () => {
    await (await store.open("secret")).close();
    for (const runId of ["x') OR 1=1 --", "x' OR '1'='1", "secret'; DROP TABLE roboz_record; --"]) {
      await expect(store.read(runId)).rejects.toMatchObject({ code: "core/run-id" });
      await expect(store.open(runId)).rejects.toMatchObject({ code: "core/run-id" });
    }
    expect(await store.read("secret")).toEqual([]);
    expect(await store.list()).toEqual(["secret"]);
  });

  it("is opened again after it was closed", async () => {
    const handle = await store.open("run");
    await handle.append(recordAt(1));
    await store.close();
    await store.close();
    await expect(handle.append(recordAt(2))).rejects.toMatchObject({ code: "core/journal-write" });
    await handle.close();
    expect(await store.read("run")).toEqual([recordAt(1)]);
    await (await store.open("run")).close();
  });

  it("PS-16: never says that it is busy, with twenty writers and a reader that pauses", async () => {
    const stores = [1, 2, 3, 4].map(() => sqliteJournalStore(path, { survives: "process" }));
    const reader = await openSqlite(path);
    await (await store.open("first")).close();
    reader.execute("BEGIN; SELECT * FROM roboz_record");
    await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        const handle = await stores[writer % 4]?.open(`run-${writer}`);
        for (let sequence = 1; sequence <= 100; sequence += 1) {
          await handle?.append(recordAt(sequence));
          await new Promise(setImmediate);
        }
        await handle?.close();
      }),
    );
    reader.close();
    for (const runId of await store.list())
      expect(await store.read(runId)).toHaveLength(runId === "first" ? 0 : 100);
    expect(await store.list()).toHaveLength(21);
    for (const one of stores) await one.close();
  });
});

describe("a run in a database that cannot be written", { timeout: 60_000 }, () => {
  it("stops, and is resumed to the same end, at whichever record", async () => {
    await counter().invoke(undefined, { journal: store, runId: "whole" });
    const records = (await store.read("whole"))?.length ?? 0;
    for (let failing = 2; failing < records; failing += 1) {
      const runId = `run-${failing}`;
      await beside((database) => {
        database.execute(`
          CREATE TRIGGER full BEFORE INSERT ON roboz_record WHEN NEW.position = ${failing}
          BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
      });
      await expect(counter().invoke(undefined, { journal: store, runId })).rejects.toMatchObject({
        code: "core/journal-write",
        runId,
      });
      await beside((database) => {
        database.execute("DROP TRIGGER full");
      });
      const isUncertain = (await store.read(runId))?.at(-1)?.includes('"once-intent"');
      const resumed = resumeRun(store, runId, counter());
      if (isUncertain === true) await expect(resumed).rejects.toMatchObject({ code: "core/once-uncertain" });
      else await expect(resumed).resolves.toMatchObject({ status: "completed", output: { value: "three" } });
    }
  });

  it("is let go of in this process all the same", async () => {
    const handle = await store.open("run");
    await beside((database) => {
      database.execute(`
        CREATE TRIGGER stuck BEFORE UPDATE ON roboz_run WHEN NEW.holder = ''
        BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END`);
    });
    await handle.close();
    await expect(store.open("run").then((next) => next.close())).resolves.toBeUndefined();
  });

  it("is not written any more by one whose hold another took over", async () => {
    const handle = await store.open("run");
    await handle.append(recordAt(1));
    await beside((database) => {
      database.run("UPDATE roboz_run SET holder = ?", newProcessHold().text);
    });
    await expect(handle.append(recordAt(2))).rejects.toMatchObject({ code: "core/journal-write" });
    await handle.close();
    expect(await store.read("run")).toEqual([recordAt(1)]);
    await expect(store.open("run")).rejects.toMatchObject({ code: "core/run-locked" });
  });
});

describe("what cannot be opened", () => {
  it("is told by what it is", async () => {
    await mkdir(path);
    for (const work of [() => store.open("run"), () => store.read("run"), () => store.list()])
      await expect(work()).rejects.toMatchObject({ code: "sqlite/file", path });
  });

  it("is the journal's error when the system refuses", async () => {
    await writeFile(join(folder, "file"), "");
    const below = sqliteJournalStore(join(folder, "file", "runs.db"));
    await expect(below.open("run")).rejects.toMatchObject({ code: "core/journal-write", runId: "run" });
    await expect(below.read("run")).rejects.toMatchObject({ code: "core/journal-read", runId: "run" });
    await expect(below.list()).rejects.toMatchObject({ code: "core/journal-read", runId: null });
  });

  it("is tables of another form", async () => {
    await beside((database) => {
      database.execute("CREATE TABLE roboz_run (other)");
    });
    await expect(store.open("run")).rejects.toMatchObject({ code: "core/journal-write" });
    await expect(store.read("run")).rejects.toMatchObject({ code: "core/journal-read" });
  });
});
