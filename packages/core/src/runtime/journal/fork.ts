import { randomUUID } from "node:crypto";

import { RunExistsError, UnknownRunError, UnknownStepError } from "./errors.ts";
import { parseJournal } from "./parse-journal.ts";
import { rebuildRun } from "./rebuild.ts";
import type { JournalRecord } from "./record.ts";
import type { JournalStore } from "./store.ts";
import { openedOf } from "./summary.ts";

/** Where a run is forked, and what the fork is called. */
export interface ForkOptions {
  /** The last step that the fork has in common with the run, counted from 1 with the model's; 0 for none. */
  readonly at: number;
  /** The fork's id; a new UUID by default. */
  readonly runId?: string | undefined;
  /** Where the fork's journal is kept; the run's own store by default. */
  readonly into?: JournalStore | undefined;
}

/**
 * Makes a run of its own of a journaled run's first steps; `resumeRun` goes on with it. The run itself is only read. What
 * it did through `once` until then counts as done in the fork; later effects have keys of the fork's own. A fork of a run
 * that waits for an agent that is its tool shares that agent's run.
 *
 * @returns The fork's id.
 * @throws {@link UnknownRunError} (`core/unknown-run`), {@link UnknownStepError} (`core/unknown-step`),
 * {@link RunExistsError} (`core/run-exists`), {@link JournalDamagedError} (`core/journal-damaged`), and what opening and
 * writing a journal throws.
 */
export async function forkRun(
  store: JournalStore,
  runId: string,
  { at, runId: forkId = randomUUID(), into = store }: ForkOptions,
): Promise<string> {
  const lines = await store.read(runId);
  if (lines === undefined) throw new UnknownRunError({ runId });
  openedOf(runId, lines);
  const { opened, snapshot } = rebuildRun(runId, prefix(runId, parseJournal(lines).records, at));
  if (forkId === runId) throw new RunExistsError({ runId });
  const handle = await into.open(forkId);
  try {
    if (parseJournal(handle.lines).records.length > 0) throw new RunExistsError({ runId: forkId });
    const { sequence, at: _at, type, schemaVersion, runId: _runId, base: _base, ...facts } = opened;
    const record: JournalRecord = {
      sequence,
      at: new Date().toISOString(),
      type,
      schemaVersion,
      runId: forkId,
      ...facts,
      base: snapshot,
    };
    await handle.append(JSON.stringify(record));
  } finally {
    await handle.close();
  }
  return forkId;
}

/** The records up to a step, that step included. */
function prefix(runId: string, records: readonly JournalRecord[], at: number): readonly JournalRecord[] {
  const steps = records.flatMap((record, index) => (record.type === "step" ? [index] : []));
  const last = at === 0 ? 0 : steps[at - 1];
  if (last === undefined || !Number.isInteger(at))
    throw new UnknownStepError({ runId, step: at, steps: steps.length });
  return records.slice(0, last + 1);
}
