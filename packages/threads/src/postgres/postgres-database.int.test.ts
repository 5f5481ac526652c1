import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { type CuttableProxy, startProxy } from "../../../../tools/cuttable-proxy.ts";
import { type PostgresCluster, startPostgres, withoutPostgres } from "../../../../tools/postgres-cluster.ts";
import type { ThreadDatabase } from "../store/database.ts";
import type { PostgresDatabaseOptions } from "./postgres-connections.ts";
import { openPostgresDatabase } from "./postgres-database.ts";

/** Something that others wait for. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open: () => {
      open();
    },
  };
}

const without = withoutPostgres === undefined ? "" : ` (left out: ${withoutPostgres})`;

describe.skipIf(withoutPostgres !== undefined)(`a PostgreSQL database${without}`, () => {
  let cluster: PostgresCluster;
  let proxy: CuttableProxy;
  let schemas = 0;
  let schema = "";
  let opened: ThreadDatabase[] = [];

  beforeAll(async () => {
    cluster = await startPostgres({ isDurable: false });
    proxy = await startProxy(cluster);
  });
  afterEach(async () => {
    proxy.passage = () => "pass";
    proxy.isDown = false;
    for (const database of opened) await database.close();
    opened = [];
  });
  afterAll(async () => {
    await proxy.close();
    await cluster.stop();
  });

  const through = ({ url, port }: PostgresCluster): string => url.replace(`:${port}/`, `:${proxy.port}/`);
  const open = async (options: PostgresDatabaseOptions = {}, url = cluster.url): Promise<ThreadDatabase> => {
    const database = await openPostgresDatabase(url, { schema, connections: 4, ...options });
    opened.push(database);
    return database;
  };
  /** A database with a table of two rows, `a` and `b`, that count 0. */
  const counters = async (url = cluster.url): Promise<ThreadDatabase> => {
    schema = `database_${(schemas += 1)}`;
    const database = await open({}, url);
    await database.transaction(async ({ run }) => {
      await run("CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL)");
      await run("INSERT INTO counters VALUES ('a', 0), ('b', 0)");
    });
    return database;
  };
  const count = ({ transaction }: ThreadDatabase, onTry: () => void = () => undefined): Promise<void> =>
    transaction(async ({ run }) => {
      onTry();
      await run("UPDATE counters SET n = n + 1 WHERE name = $1", "a");
    });
  const counted = ({ read }: ThreadDatabase): Promise<unknown> =>
    read(async ({ rows }) => (await rows("SELECT n FROM counters WHERE name = 'a'"))[0]?.["n"]);

  it("begins work again that waits for work which waits for it", async () => {
    const database = await counters();
    let tries = 0;
    const both = (first: string, second: string, arrived: () => void, other: Promise<void>): Promise<void> =>
      database.transaction(async ({ run }) => {
        tries += 1;
        await run("UPDATE counters SET n = n + 1 WHERE name = $1", first);
        arrived();
        await other;
        await run("UPDATE counters SET n = n + 1 WHERE name = $1", second);
      });
    const one = gate();
    const two = gate();
    await Promise.all([
      both(
        "a",
        "b",
        () => {
          one.open();
        },
        two.opened,
      ),
      both(
        "b",
        "a",
        () => {
          two.open();
        },
        one.opened,
      ),
    ]);
    expect(tries).toBe(3);
    expect(await counted(database)).toBe(2);
  });

  it("begins work again that made a row which another made first", async () => {
    const database = await counters();
    const named = (name: string): Promise<string> =>
      database.transaction(async ({ rows, run }) => {
        if ((await rows("SELECT 1 FROM counters WHERE name = $1", name)).length > 0) return "found";
        await run("INSERT INTO counters VALUES ($1, 0)", name);
        return "made";
      });
    const results = await Promise.all(Array.from({ length: 4 }, () => named("c")));
    expect(results.sort()).toEqual(["found", "found", "found", "made"]);
  });

  it("gives up work that meets a conflict each time", async () => {
    const database = await counters();
    let tries = 0;
    await expect(
      database.transaction(async ({ run }) => {
        tries += 1;
        await run("INSERT INTO counters VALUES ('a', 1)");
      }),
    ).rejects.toMatchObject({ code: "23505" });
    expect(tries).toBe(20);
  });

  it("keeps nothing when a statement failed, though the work went on", async () => {
    const database = await counters();
    await expect(
      database.transaction(async ({ run }) => {
        await run("UPDATE counters SET n = 5");
        await run("nonsense").catch(() => undefined);
      }),
    ).rejects.toThrow("nothing was kept");
    expect(await counted(database)).toBe(0);
  });

  it("begins work again whose connection is lost", async () => {
    const database = await counters(through(cluster));
    let tries = 0;
    await database.transaction(async ({ run }) => {
      tries += 1;
      await run("UPDATE counters SET n = n + 1 WHERE name = 'a'");
      if (tries === 1) proxy.cut();
      await run("UPDATE counters SET n = n + 1 WHERE name = 'a'");
    });
    expect([tries, await counted(database)]).toEqual([2, 2]);
  });

  it.each([
    { why: "before the database has it", passage: "lose" as const, tries: 2 },
    { why: "before the answer comes", passage: "pass-then-cut" as const, tries: 1 },
  ])("does work once whose commit is cut off $why", async ({ passage, tries }) => {
    const database = await counters(through(cluster));
    let isFirst = true;
    proxy.passage = (piece) => {
      if (!isFirst || !piece.includes("COMMIT")) return "pass";
      isFirst = false;
      return passage;
    };
    let tried = 0;
    await count(database, () => (tried += 1));
    expect([tried, await counted(database)]).toEqual([tries, 1]);
  });

  it("reads again what it did not get", async () => {
    const database = await counters(through(cluster));
    let tries = 0;
    const n = await database.read(async ({ rows }) => {
      tries += 1;
      if (tries === 1) proxy.cut();
      return (await rows("SELECT COUNT(*) AS n FROM counters"))[0]?.["n"];
    });
    expect([tries, n]).toEqual([2, 2]);
  });

  it("reads all of one moment, and writes nothing", async () => {
    const database = await counters();
    const [before, after] = await database.read(async ({ rows }) => {
      const first = (await rows("SELECT SUM(n) AS n FROM counters"))[0]?.["n"];
      await count(database);
      return [first, (await rows("SELECT SUM(n) AS n FROM counters"))[0]?.["n"]];
    });
    expect([before, after, await counted(database)]).toEqual([0, 0, 1]);
    await expect(database.read(({ run }) => run("UPDATE counters SET n = 9"))).rejects.toMatchObject({
      code: "25006",
    });
  });

  it("says after a while that the database cannot be reached, and goes on when it can", async () => {
    await counters();
    const database = await open({ patienceMs: 0 }, through(cluster));
    proxy.isDown = true;
    proxy.cut();
    await expect(count(database)).rejects.toMatchObject({
      code: "threads/database-unreachable",
      isOutcomeKnown: true,
    });
    await expect(open({ patienceMs: 0 }, through(cluster))).rejects.toMatchObject({
      code: "threads/database-unreachable",
    });
    proxy.isDown = false;
    await count(database);
    expect(await counted(database)).toBe(1);
  });

  it("tells the listeners of other processes, and its own once", async () => {
    const here = await counters();
    const there = await open();
    const heard: string[] = [];
    const arrived = gate();
    const missed = vi.fn();
    here.listen("c", (word) => {
      if (word !== "") heard.push(`here ${word}`);
    });
    const stop = there.listen("c", (word) => {
      if (word === "") missed();
      else heard.push(`there ${word}`);
      if (word === "last of all") arrived.open();
    });
    const ready = gate();
    there.listen("ready", () => {
      ready.open();
    });
    const knock = setInterval(() => {
      here.notify("ready", "");
    }, 20);
    await ready.opened;
    clearInterval(knock);
    here.notify("c", "first");
    here.notify("other", "not for c");
    here.notify("c", "last of all");
    await arrived.opened;
    expect(heard.filter((word) => word.startsWith("here"))).toEqual(["here first", "here last of all"]);
    expect(heard.filter((word) => word.startsWith("there"))).toEqual(["there first", "there last of all"]);
    // Before it listened it may have missed something.
    expect(missed).toHaveBeenCalledOnce();
    stop();
    there.notify("c", "nobody is there");
    expect(heard).not.toContain("there nobody is there");
  });

  it("hears words again after its connection was lost", async () => {
    const here = await counters();
    const there = await open({}, through(cluster));
    const heard = vi.fn();
    const stop = there.listen("c", heard);
    for (const word of ["before", "after"]) {
      const knock = setInterval(() => {
        here.notify("c", word);
      }, 20);
      await vi.waitFor(() => {
        expect(heard).toHaveBeenCalledWith(word);
      }, 5000);
      clearInterval(knock);
      proxy.cut();
    }
    stop();
  });

  it("keeps others out of what is done alone", async () => {
    const one = await counters();
    const two = await open();
    let inside = 0;
    const alone = async (): Promise<void> => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all([one, two, one, two].map(({ exclusive }) => exclusive(alone)));
    expect(inside).toBe(0);
  });

  it("keeps the options of its address, and holds texts with NUL", async () => {
    await counters();
    const database = await open({}, `${cluster.url}?options=-c%20work_mem=5MB`);
    const rows = await database.read(({ rows: ask }) =>
      ask(
        "SELECT current_setting('work_mem') AS memory, current_schema() AS found, $1::text AS given",
        "a\0b",
      ),
    );
    expect(rows).toEqual([{ memory: "5MB", found: schema, given: "a\uFFFDb" }]);
  });

  it("is closed once, and used no more", async () => {
    const database = await counters();
    await database.close();
    await database.close();
    await expect(count(database)).rejects.toThrow("closed");
    database.notify("c", "nobody hears it");
  });

  it("says how to install a driver that is missing", async () => {
    vi.doMock("pg", () => {
      throw new Error("Cannot find module");
    });
    vi.resetModules();
    const { openPostgresDatabase: openAnew } = await import("./postgres-database.ts");
    await expect(openAnew(cluster.url)).rejects.toThrow(/`npm install pg`$/);
    vi.doUnmock("pg");
    vi.resetModules();
  });
});
