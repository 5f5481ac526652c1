import type { JournalHandle, JournalStore } from "../runtime/journal/store.ts";
import type { OtherProcess } from "./other-process.ts";

/** A new store, and what there is to look at it from outside. */
interface StoreUnderTest {
  readonly store: JournalStore;
  readonly reopen: () => JournalStore | Promise<JournalStore>;
  readonly startOther: () => Promise<OtherProcess>;
  readonly tear: (runId: string, part: string) => void | Promise<void>;
}

/** One test of a suite. */
export interface Check {
  readonly title: string;
  readonly run: (given: StoreUnderTest) => Promise<void>;
}

/** A record's text. */
export function recordAt(sequence: number, facts: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ sequence, at: "2026-01-01T00:00:00.000Z", type: "resumed", ...facts });
}

/** A run's lines, without the blank ones between and behind them. */
export async function recordsOf(store: JournalStore, runId: string): Promise<readonly string[]> {
  return ((await store.read(runId)) ?? []).filter((line) => line !== "");
}

/** Holds a run while `work` lasts. */
export async function withHandle(
  store: JournalStore,
  runId: string,
  work: (handle: JournalHandle) => Promise<void>,
): Promise<void> {
  const handle = await store.open(runId);
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}

export function write(store: JournalStore, runId: string, records: readonly string[]): Promise<void> {
  return withHandle(store, runId, async (handle) => {
    for (const record of records) await handle.append(record);
  });
}
