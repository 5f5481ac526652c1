import assert from "node:assert/strict";

import { parseJournal } from "../runtime/journal/parse-journal.ts";
import type { JournalHandle, JournalStore } from "../runtime/journal/store.ts";
import { holdChecks, otherProcessChecks } from "./hold-checks.ts";
import { OtherProcess, type StoreProgram } from "./other-process.ts";
import { recordAt, recordsOf, withHandle, write, type Check } from "./store-checks.ts";
import type { TestRunner } from "./test-runner.ts";

/**
 * What a suite needs to know of a store.
 *
 * @typeParam Place - Where one store keeps its data: a folder, a file, or a store in memory itself.
 */
export interface JournalStoreSuite<Place> {
  /** Makes a place with nothing in it; each test gets its own. */
  readonly makePlace: () => Place | Promise<Place>;
  /** A store over a place. Called again, it opens the same data, as after a restart. */
  readonly open: (place: Place) => JournalStore | Promise<JournalStore>;
  /** A program that opens a place in another process; leave it out for a store within one process. */
  readonly program?: ((place: Place) => StoreProgram) | undefined;
  /**
   * Leaves a part of a record behind a run's last one, as a crash would; leave it out where records are written whole or
   * not at all.
   */
  readonly tear?: ((place: Place, runId: string, part: string) => void | Promise<void>) | undefined;
  readonly removePlace?: ((place: Place) => void | Promise<void>) | undefined;
}

/**
 * Registers the tests that every {@link JournalStore} has to pass with the test runner that is given.
 *
 * ```ts
 * import { describe, it } from "vitest";
 *
 * testJournalStore({ makePlace: memoryJournalStore, open: (store) => store }, { describe, it });
 * ```
 */
export function testJournalStore<Place>(suite: JournalStoreSuite<Place>, { describe, it }: TestRunner): void {
  const { makePlace, open, program, tear, removePlace } = suite;
  const register = (title: string, checks: readonly Check[]): void => {
    describe(title, () => {
      for (const check of checks) {
        it(check.title, async () => {
          const place = await makePlace();
          try {
            await check.run({
              store: await open(place),
              reopen: () => open(place),
              startOther: () => OtherProcess.start(defined(program)(place)),
              tear: (runId, part) => defined(tear)(place, runId, part),
            });
          } finally {
            await removePlace?.(place);
          }
        });
      }
    });
  };
  register("run ids", idChecks);
  register("records", recordChecks);
  if (tear !== undefined) register("records that were cut off", tearChecks);
  register("the hold on a run", holdChecks);
  if (program !== undefined) register("the hold on a run by another process", otherProcessChecks);
}

/** Checks are only registered with what they need. */
function defined<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("A check was registered without what it needs");
  return part;
}

const unsafeIds: readonly string[] = [
  "",
  ".",
  "..",
  ".hidden",
  "-dash",
  "_underline",
  "../x",
  "a/b",
  "a\\b",
  "C:\\x",
  "a\0b",
  "a b",
  "a\n",
  "é",
  "x') OR 1=1 --",
  "a".repeat(201),
];

const idChecks: readonly Check[] = [
  {
    title: "are refused when they could name something else, and nothing is made",
    run: async ({ store }) => {
      for (const runId of unsafeIds) {
        await assert.rejects(store.open(runId), { code: "core/run-id" }, `open ${JSON.stringify(runId)}`);
        await assert.rejects(store.read(runId), { code: "core/run-id" }, `read ${JSON.stringify(runId)}`);
      }
      assert.deepEqual(await store.list(), []);
    },
  },
  {
    title: "may have every character that is allowed, and 200 of them",
    run: async ({ store }) => {
      const ids = ["a", "0", "A.b_c-1", "a.jsonl", "a.lock.1", "a_b", "axb", "a-b", "a..b", "z".repeat(200)];
      for (const runId of ids) await write(store, runId, [recordAt(1, { of: runId })]);
      assert.deepEqual([...(await store.list())].sort(), [...ids].sort());
      for (const runId of ids) assert.deepEqual(await recordsOf(store, runId), [recordAt(1, { of: runId })]);
    },
  },
  {
    title: "of runs that are not there read as undefined, which makes none",
    run: async ({ store }) => {
      assert.equal(await store.read("nowhere"), undefined);
      const unknown = { code: "core/unknown-run", runId: "nowhere" };
      await assert.rejects(store.open("nowhere", { mustExist: true }), unknown);
      assert.deepEqual(await store.list(), []);
    },
  },
];

const recordChecks: readonly Check[] = [
  {
    title: "stand in the order of writing, and can be read while the run is held",
    run: async ({ store }) => {
      await withHandle(store, "run", async (handle) => {
        assert.equal(handle.runId, "run");
        assert.deepEqual(handle.lines.filter(isWritten), []);
        for (let sequence = 1; sequence <= 20; sequence += 1) {
          await handle.append(recordAt(sequence));
          assert.equal((await recordsOf(store, "run")).at(-1), recordAt(sequence));
        }
      });
      assert.deepEqual(await recordsOf(store, "run"), upTo(20));
    },
  },
  {
    title: "are given to the next one who holds the run, who adds to them",
    run: async ({ store }) => {
      await write(store, "run", upTo(3));
      await withHandle(store, "run", async (handle) => {
        assert.deepEqual(handle.lines.filter(isWritten), upTo(3));
        await handle.append(recordAt(4));
        assert.deepEqual(handle.lines.filter(isWritten), upTo(3), "what a handle was opened with stays");
      });
      assert.deepEqual(await recordsOf(store, "run"), upTo(4));
    },
  },
  {
    title: "keep the order in which they were given, awaited or not",
    run: async ({ store }) => {
      await withHandle(store, "run", async (handle) => {
        await Promise.all(upTo(200).map((record) => handle.append(record)));
      });
      assert.deepEqual(await recordsOf(store, "run"), upTo(200));
    },
  },
  {
    title: "given and not awaited are written before the run is let go of",
    run: async ({ store }) => {
      const handle = await store.open("run");
      const written = Promise.allSettled(upTo(20).map((record) => handle.append(record)));
      await handle.close();
      assert.deepEqual(await recordsOf(store, "run"), upTo(20));
      assert.ok((await written).every(({ status }) => status === "fulfilled"));
    },
  },
  {
    title: "come back letter for letter, whatever is in them",
    run: async ({ store }) => {
      const texts = [
        "äöü €",
        "\u{1F600} in \u{1F468}\u200D\u{1F469}\u200D\u{1F467}",
        "\u2028\u2029\u0085\uFEFF",
        "nul \0, tab \t, line \r\n end",
        "lone \uD800 and \uDFFF",
        `quotes " ' \`, back\\slash, percent %s ?1 :a $b --`,
        "",
      ];
      const records = texts.map((text, index) => recordAt(index + 1, { [text]: text }));
      await write(store, "run", records);
      assert.deepEqual(await recordsOf(store, "run"), records);
    },
  },
  {
    title: "may be large",
    run: async ({ store }) => {
      const records = [recordAt(1, { text: "ä".repeat(4_000_000) }), recordAt(2)];
      await write(store, "run", records);
      assert.deepEqual(await recordsOf(store, "run"), records);
    },
  },
  {
    title: "of several runs do not mix",
    run: async ({ store }) => {
      const handles: JournalHandle[] = [];
      for (let run = 0; run < 5; run += 1) handles.push(await store.open(`run-${run}`));
      for (let sequence = 1; sequence <= 10; sequence += 1)
        await Promise.all(handles.map((handle) => handle.append(recordAt(sequence, { of: handle.runId }))));
      for (const handle of handles) await handle.close();
      for (const { runId } of handles) {
        const expected = upTo(10).map((_, index) => recordAt(index + 1, { of: runId }));
        assert.deepEqual(await recordsOf(store, runId), expected);
      }
      assert.equal((await store.list()).length, 5);
    },
  },
  {
    title: "are still there when the store is opened anew",
    run: async ({ store, reopen }) => {
      await write(store, "run", upTo(3));
      const again = await reopen();
      assert.deepEqual(await recordsOf(again, "run"), upTo(3));
      assert.deepEqual(await again.list(), ["run"]);
      await write(again, "run", [recordAt(4)]);
      assert.deepEqual(await recordsOf(again, "run"), upTo(4));
    },
  },
];

const tearChecks: readonly Check[] = [
  {
    title: "are dropped and reported, and the next one is not glued to them",
    run: async ({ store, tear }) => {
      await write(store, "run", upTo(2));
      const whole = recordAt(3);
      const cuts = [1, whole.length - 1, whole.length];
      for (const [index, cut] of cuts.entries()) {
        await tear("run", whole.slice(0, cut));
        const isWhole = cut === whole.length;
        const before = parseJournal((await store.read("run")) ?? []);
        assert.equal(before.records.length, 2 + index + (isWhole ? 1 : 0), `cut after ${cut} characters`);
        assert.equal(before.damage?.isTornTail ?? false, !isWhole);
        await write(store, "run", [recordAt(4 + index)]);
        const after = parseJournal((await store.read("run")) ?? []);
        assert.equal(after.records.length, before.records.length + 1);
        assert.equal(after.records.at(-1)?.sequence, 4 + index);
      }
    },
  },
];

function isWritten(line: string): boolean {
  return line !== "";
}

function upTo(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => recordAt(index + 1));
}
