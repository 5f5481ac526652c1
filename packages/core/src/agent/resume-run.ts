import type { JournalStore } from "../runtime/journal/store.ts";
import { JournalDamagedError, UnknownRunError } from "../runtime/journal/errors.ts";
import { isUnbegun, parseJournal, type JournalDamage } from "../runtime/journal/parse-journal.ts";
import { rebuildRun } from "../runtime/journal/rebuild.ts";
import type { Stop } from "../values/builtin.ts";
import type { Agent, ResumeOptions } from "./agent.ts";
import type { RunResult } from "./outcome.ts";
import type { Run } from "./run.ts";

/** What a journaled run is resumed with. */
export interface ResumeRunOptions extends Omit<ResumeOptions, "journal" | "runId"> {
  /** What the run waits for, if it does. */
  readonly reply?: unknown;
  /** Told when lines of the journal could not be read; a torn tail is what a crash leaves, and is dropped. */
  readonly onDamage?: ((damage: JournalDamage) => void) | undefined;
}

/**
 * Goes on with a journaled run after its last finished step, in whatever process, to its end or its next question. A run
 * that has ended gives its result again.
 *
 * @throws {@link UnknownRunError} (`core/unknown-run`), {@link RunLockedError} (`core/run-locked`),
 * {@link JournalReadError} (`core/journal-read`), {@link JournalDamagedError} (`core/journal-damaged`), and what `agent.resume` throws.
 */
export async function resumeRun<Output extends Stop>(
  store: JournalStore,
  runId: string,
  agent: Agent<Output>,
  options: ResumeRunOptions = {},
): Promise<RunResult<Output>> {
  const run = await openRun(store, runId, agent, options);
  return run.finish();
}

/** The journaled run itself, held and ready to be stepped; throws as {@link resumeRun} does. */
export async function openRun<Output extends Stop>(
  store: JournalStore,
  runId: string,
  agent: Agent<Output>,
  { reply, onDamage, ...options }: ResumeRunOptions = {},
): Promise<Run<Output>> {
  const handle = await store.open(runId, { mustExist: true });
  try {
    const { lines } = handle;
    const { records, damage, misfits } = parseJournal(lines);
    if (misfits > 0) {
      const problem = `${misfits} of its lines are whole, and no records that this release reads`;
      throw new JournalDamagedError({ runId, problem });
    }
    if (records.length === 0 && isUnbegun(lines)) throw new UnknownRunError({ runId });
    if (damage !== null) onDamage?.(damage);
    const { snapshot, sequence, eventSequence } = rebuildRun(runId, records);
    const journal = { open: () => Promise.resolve(handle), base: null, sequence, eventSequence };
    return agent.restoreFrom(journal, snapshot, reply, { ...options, journal: store });
  } catch (error) {
    await handle.close();
    throw error;
  }
}
