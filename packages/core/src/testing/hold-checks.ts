import assert from "node:assert/strict";

import type { JournalHandle } from "../runtime/journal/store.ts";
import type { OtherProcess } from "./other-process.ts";
import { recordAt, recordsOf, withHandle, write, type Check } from "./store-checks.ts";

const locked = { code: "core/run-locked", runId: "run" };

/** What a store has to see to when more than one wants to write a run. */
export const holdChecks: readonly Check[] = [
  {
    title: "is one writer's, until it lets go",
    run: async ({ store }) => {
      const first = await store.open("run");
      await assert.rejects(store.open("run"), locked);
      await withHandle(store, "other", () => Promise.resolve());
      await first.close();
      const second = await store.open("run");
      await first.close();
      await assert.rejects(store.open("run"), locked, "closing twice lets go of nobody else's hold");
      await second.close();
    },
  },
  {
    title: "ends for good when it is let go of: nothing more is written",
    run: async ({ store }) => {
      const handle = await store.open("run");
      await handle.append(recordAt(1));
      await handle.close();
      await assert.rejects(handle.append(recordAt(2)), { code: "core/journal-write", runId: "run" });
      assert.deepEqual(await recordsOf(store, "run"), [recordAt(1)]);
    },
  },
  {
    title: "is given to one of twenty who ask at once",
    run: async ({ store }) => {
      const asked = await Promise.allSettled(Array.from({ length: 20 }, () => store.open("run")));
      const holders: JournalHandle[] = [];
      for (const outcome of asked) {
        if (outcome.status === "fulfilled") holders.push(outcome.value);
        else assert.equal(codeOf(outcome.reason), "core/run-locked");
      }
      assert.equal(holders.length, 1);
      for (const holder of holders) await holder.close();
      await withHandle(store, "run", () => Promise.resolve());
    },
  },
  {
    title: "can be taken and let go of again and again",
    run: async ({ store }) => {
      for (let turn = 1; turn <= 25; turn += 1) await write(store, "run", [recordAt(turn)]);
      assert.equal((await recordsOf(store, "run")).length, 25);
    },
  },
  {
    title: "is seen by another opening of the same data",
    run: async ({ store, reopen }) => {
      const again = await reopen();
      await withHandle(store, "run", () => assert.rejects(again.open("run"), locked));
      await withHandle(again, "run", () => assert.rejects(store.open("run"), locked));
    },
  },
];

/** What a store has to see to when the other one is another process. */
export const otherProcessChecks: readonly Check[] = [
  {
    title: "is seen from both sides",
    run: ({ store, startOther }) =>
      withOther(startOther, async (other) => {
        await withHandle(store, "run", async (handle) => {
          await handle.append(recordAt(1));
          assert.equal(await other.order({ type: "open", runId: "run" }), "core/run-locked");
        });
        assert.equal(await other.order({ type: "open", runId: "run" }), null);
        assert.equal(await other.order({ type: "append", record: recordAt(2) }), null);
        await assert.rejects(store.open("run"), locked);
        assert.equal(await other.order({ type: "close" }), null);
        await withHandle(store, "run", () => Promise.resolve());
        assert.deepEqual(await recordsOf(store, "run"), [recordAt(1), recordAt(2)]);
      }),
  },
  {
    title: "ends with a process that is killed, and every record that was acknowledged is there",
    run: ({ store, startOther }) =>
      withOther(startOther, async (other) => {
        assert.equal(await other.order({ type: "open", runId: "run" }), null);
        for (let sequence = 1; sequence <= 5; sequence += 1)
          assert.equal(await other.order({ type: "append", record: recordAt(sequence) }), null);
        await other.kill();
        await write(store, "run", [recordAt(6)]);
        const records = await recordsOf(store, "run");
        assert.deepEqual(
          records,
          [1, 2, 3, 4, 5, 6].map((sequence) => recordAt(sequence)),
        );
      }),
  },
  {
    title: "is given to one of two who ask at the same instant, each time",
    run: ({ startOther }) =>
      withOther(startOther, (one) =>
        withOther(startOther, async (other) => {
          for (let turn = 0; turn < 25; turn += 1) {
            const pair = [one, other];
            const codes = await Promise.all(pair.map((each) => each.order({ type: "open", runId: "run" })));
            assert.deepEqual([...codes].sort(), ["core/run-locked", null]);
            await pair[codes.indexOf(null)]?.order({ type: "close" });
          }
        }),
      ),
  },
];

async function withOther(
  start: () => Promise<OtherProcess>,
  work: (other: OtherProcess) => Promise<void>,
): Promise<void> {
  const other = await start();
  try {
    await work(other);
  } finally {
    await other.kill();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : error;
}
