import type { RunStatus } from "../events.ts";
import { JournalDamagedError, UnknownRunError } from "./errors.ts";
import { parseJournal, type JournalDamage } from "./parse-journal.ts";
import type { OpenedRecord } from "./record.ts";
import type { JournalStore } from "./store.ts";

/** What a run's journal says of it at a glance. */
export interface RunSummary {
  readonly runId: string;
  readonly agentName: string;
  /** How its last stretch ended; `running` when it did not: the run is under way, or was cut off. */
  readonly status: RunStatus | "running";
  /** The steps in its journal, as `forkRun` counts them: those of the run that it was forked from are not among them. */
  readonly steps: number;
  /** The model's calls, with those of the run that it was forked from. */
  readonly llmCalls: number;
  /** UTC, milliseconds, `Z`. */
  readonly startedAt: string;
  /** When the last record was written. */
  readonly lastAt: string;
  /** The run whose tool started this one; null for a run of its own. */
  readonly parentRunId: string | null;
  /** The run that this one was forked from, or resumed from by a snapshot; null for most. */
  readonly forkedFrom: string | null;
  /** What is wrong with the journal; null when nothing is. */
  readonly damage: JournalDamage | null;
}

/**
 * Sums a run up.
 *
 * @throws {@link UnknownRunError} (`core/unknown-run`); {@link JournalDamagedError} (`core/journal-damaged`) for what does
 * not begin as a journal.
 */
export async function summariseRun(store: JournalStore, runId: string): Promise<RunSummary> {
  const lines = await store.read(runId);
  if (lines === undefined) throw new UnknownRunError({ runId });
  const opened = openedOf(runId, lines);
  const { records, damage } = parseJournal(lines);
  const steps = records.filter((record) => record.type === "step");
  const last = records.at(-1);
  return {
    runId,
    agentName: opened.agentName,
    status: last?.type === "ended" ? last.status : "running",
    steps: steps.length,
    llmCalls: (steps.at(-1) ?? opened.base)?.counts.llmCalls ?? 0,
    startedAt: opened.at,
    lastAt: last?.at ?? opened.at,
    parentRunId: opened.parentRunId,
    forkedFrom: opened.base?.runId ?? null,
    damage,
  };
}

/**
 * What a run was opened with.
 *
 * @throws {@link JournalDamagedError} (`core/journal-damaged`) for lines that do not begin with it.
 */
export function openedOf(runId: string, lines: readonly string[]): OpenedRecord {
  const first = lines.find((line) => line !== "");
  const [opened] = first === undefined ? [] : parseJournal([first]).records;
  if (opened?.type !== "opened" || typeof opened.agentName !== "string" || typeof opened.at !== "string")
    throw new JournalDamagedError({ runId, problem: "its first record is missing" });
  return opened;
}
