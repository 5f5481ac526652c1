import { describe, expect, it } from "vitest";

import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import type { JournalHandle, JournalStore } from "../runtime/journal/store.ts";
import { testJournalStore } from "./journal-store-suite.ts";

/** The titles of the tests that a store fails. */
async function failuresOf(makeStore: () => JournalStore): Promise<readonly string[]> {
  const tests: { readonly title: string; readonly body: () => Promise<void> }[] = [];
  testJournalStore(
    { makePlace: makeStore, open: (store) => store },
    {
      describe: (_title, body) => {
        body();
      },
      it: (title, body) => tests.push({ title, body }),
    },
  );
  const failed: string[] = [];
  for (const { title, body } of tests) {
    await body().catch(() => failed.push(title));
  }
  return failed;
}

/** The store in memory, with handles that are changed. */
function withHandles(
  change: (handle: JournalHandle, store: JournalStore) => JournalHandle,
): () => JournalStore {
  return () => {
    const store = memoryJournalStore();
    return { ...store, open: async (runId) => change(await store.open(runId), store) };
  };
}

describe("the suite for journal stores", () => {
  it("finds nothing in a store that keeps the contract", async () => {
    expect(await failuresOf(memoryJournalStore)).toEqual([]);
  });

  it.each<{ readonly why: string; readonly fault: () => JournalStore }>([
    {
      why: "takes any id",
      fault: () => {
        const store = memoryJournalStore();
        const safe = (runId: string): string => `x${Buffer.from(runId).toString("hex").slice(0, 190)}`;
        return {
          ...store,
          open: (runId) => store.open(safe(runId)),
          read: (runId) => store.read(safe(runId)),
        };
      },
    },
    {
      why: "lets everybody write",
      fault: () => {
        const stores = memoryJournalStore();
        return {
          ...stores,
          open: async (runId) => {
            const handle = await stores.open(runId);
            await handle.close();
            return { ...handle, append: async () => Promise.resolve() };
          },
        };
      },
    },
    {
      why: "makes a run by reading it",
      fault: () => {
        const store = memoryJournalStore();
        return {
          ...store,
          read: async (runId) => {
            const lines = await store.read(runId);
            if (lines === undefined) await (await store.open(runId)).close();
            return lines;
          },
        };
      },
    },
    {
      why: "turns the order of two records round",
      fault: withHandles((handle) => {
        let held: string | undefined;
        return {
          ...handle,
          append: async (record) => {
            if (held === undefined) held = record;
            else {
              await handle.append(record);
              await handle.append(held);
              held = undefined;
            }
          },
        };
      }),
    },
    {
      why: "lets go before everything is written",
      fault: withHandles((handle) => ({
        ...handle,
        append: async (record) => {
          await new Promise(setImmediate);
          await handle.append(record);
        },
      })),
    },
    {
      why: "changes letters",
      fault: withHandles((handle) => ({
        ...handle,
        append: (record) => handle.append(record.replaceAll("\u2028", "\\u2028")),
      })),
    },
    {
      why: "keeps the beginning of a large record",
      fault: withHandles((handle) => ({
        ...handle,
        append: (record) => handle.append(record.slice(0, 1_000_000)),
      })),
    },
    {
      why: "forgets what was written before",
      fault: withHandles((handle) => ({ ...handle, lines: [] })),
    },
    {
      why: "never lets go",
      fault: withHandles((handle) => ({ ...handle, close: () => Promise.resolve() })),
    },
    {
      why: "writes on when it was let go of",
      fault: withHandles((handle, store) => ({
        ...handle,
        append: (record) =>
          handle.append(record).catch(async () => {
            const other = await store.open(handle.runId);
            await other.append(record);
            await other.close();
          }),
      })),
    },
  ])("finds a store that $why", async ({ fault }) => {
    expect(await failuresOf(fault)).not.toEqual([]);
  });
});
