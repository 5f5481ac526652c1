import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { type PostgresCluster, startPostgres, withoutPostgres } from "../../../../tools/postgres-cluster.ts";
import { integer } from "../store/database.ts";
import { claimTurn, releaseTurn, type ClaimedTurn } from "../store/turns.ts";
import { answer, member, start } from "../testing/store-check.ts";
import { openPostgresDatabase } from "./postgres-database.ts";
import { postgresThreadStore, type PostgresThreadStore } from "./postgres-store.ts";
import { openTurnJobs } from "./turn-jobs.ts";

const without = withoutPostgres === undefined ? "" : ` (left out: ${withoutPostgres})`;
const user = member("us_1");

describe.skipIf(withoutPostgres !== undefined)(`turns that pg-boss hands out${without}`, () => {
  let cluster: PostgresCluster;
  let schemas = 0;
  let schema = "";
  let opened: PostgresThreadStore[] = [];

  beforeAll(async () => {
    cluster = await startPostgres({ isDurable: false });
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const store of opened) {
      await store.turnQueue.stop();
      await store.close();
    }
    opened = [];
  });
  afterAll(async () => {
    await cluster.stop();
  });

  const open = async (options: { readonly now?: () => Date } = {}): Promise<PostgresThreadStore> => {
    const store = await postgresThreadStore(cluster.url, { schema, connections: 4, ...options });
    opened.push(store);
    return store;
  };
  const openNew = (options: { readonly now?: () => Date } = {}): Promise<PostgresThreadStore> => {
    schema = `queue_${(schemas += 1)}`;
    return open(options);
  };
  const claim = (store: PostgresThreadStore, turnId: string): Promise<ClaimedTurn | undefined> =>
    store.write((transaction) => claimTurn(transaction, turnId, { worker: "w", leaseMs: 30_000 }));
  const jobs = (store: PostgresThreadStore): Promise<number> =>
    store.read(async ({ queries }) => {
      const [row] = await queries.rows(`SELECT COUNT(*) AS jobs FROM ${schema}_queue.job`);
      return row === undefined ? -1 : integer(row, "jobs");
    });

  it("are those of all processes, each to one of the workers, and leave no job behind", async () => {
    const api = await openNew();
    const workers = [await open(), await open()];
    const answered: string[] = [];
    for (const store of workers) {
      await store.turnQueue.start(
        async (turnId) => {
          const turn = await claim(store, turnId);
          if (turn === undefined) return;
          answered.push(turn.threadId);
          await answer(store, turn, ["Hi."]);
        },
        { concurrency: 3, perOrg: 100 },
      );
    }
    const started = await Promise.all(Array.from({ length: 12 }, () => start(api, user)));
    await vi.waitFor(async () => {
      expect(await jobs(api)).toBe(0);
    }, 10_000);
    expect(answered.sort()).toEqual(started.map(({ thread_id: id }) => id).sort());
  });

  it("are queued with the transaction, or not at all", async () => {
    const store = await openNew();
    await expect(
      store.write(async (transaction) => {
        transaction.queued("turn_lost");
        await transaction.queries.rows("SELECT 1");
        throw new Error("the power failed");
      }),
    ).rejects.toThrow("power");
    expect(await jobs(store)).toBe(0);
    await start(store, user);
    expect(await jobs(store)).toBe(1);
  });

  it("are no more of an organisation at once than may be, and no more than the worker has room for", async () => {
    const store = await openNew();
    const running: ClaimedTurn[] = [];
    for (let index = 0; index < 3; index += 1) await start(store, user);
    await start(store, member("us_9", { orgs: ["og_9"] }));
    let most = 0;
    await store.turnQueue.start(
      async (turnId) => {
        const turn = await claim(store, turnId);
        if (turn === undefined) return;
        running.push(turn);
        most = Math.max(most, running.length);
        await vi.waitFor(() => {
          expect(most).toBe(2);
        }, 10_000);
        await answer(store, turn, ["Hi."]);
        running.splice(running.indexOf(turn), 1);
      },
      { concurrency: 2, perOrg: 1 },
    );
    await vi.waitFor(async () => {
      expect(await jobs(store)).toBe(0);
    }, 15_000);
    expect(most).toBe(2);
  });

  it("are handed out again when they were given back", async () => {
    const store = await openNew();
    await start(store, user);
    let times = 0;
    await store.turnQueue.start(
      async (turnId) => {
        const turn = await claim(store, turnId);
        if (turn === undefined) return;
        times += 1;
        if (times === 1) await store.write((transaction) => releaseTurn(transaction, turn));
        else await answer(store, turn, ["Hi."]);
      },
      { concurrency: 1, perOrg: 1 },
    );
    await vi.waitFor(async () => {
      expect([times, await jobs(store)]).toEqual([2, 0]);
    }, 10_000);
  });

  it.each([
    { why: "by a worker that is there", before: 0, after: 60_000 },
    { why: "by one that starts afterwards, however short it lives", before: 60_000, after: 0 },
  ])("are found without their jobs, which a worker took with it, $why", async ({ before, after }) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let passed = 0;
    const store = await openNew({ now: () => new Date(Date.UTC(2026, 0, 1) + passed) });
    await start(store, user);
    const database = await openPostgresDatabase(cluster.url, { schema, connections: 2 });
    const worker = await openTurnJobs(database);
    expect(await worker.take(5)).toHaveLength(1);
    await worker.close();
    await database.close();
    const handedOut = vi.fn(() => Promise.resolve());
    passed += before;
    await store.turnQueue.start(handedOut, { concurrency: 1, perOrg: 1 });
    passed += after;
    if (after > 0) vi.advanceTimersByTime(15_000);
    // Moves the time on by 250 ms at each look: it stays well under the time between two looks for what was left.
    const patience = { timeout: 5000, interval: 250 };
    await vi.waitFor(() => {
      expect(handedOut).toHaveBeenCalledOnce();
    }, patience);
  });

  it("are handed out no more once the queue has stopped", async () => {
    const store = await openNew();
    const handedOut = vi.fn(() => Promise.resolve());
    await store.turnQueue.start(handedOut, { concurrency: 1, perOrg: 1 });
    await store.turnQueue.stop();
    await start(store, user);
    expect(await jobs(store)).toBe(1);
    expect(handedOut).not.toHaveBeenCalled();
  });

  it("need a driver, and its absence is told", async () => {
    vi.doMock("pg-boss", () => {
      throw new Error("Cannot find module");
    });
    vi.resetModules();
    const { postgresThreadStore: openAnew } = await import("./postgres-store.ts");
    await expect(openAnew(cluster.url)).rejects.toThrow(/`npm install pg-boss@10\.4\.2`$/);
    vi.doUnmock("pg-boss");
    vi.resetModules();
  });
});
