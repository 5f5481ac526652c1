import type { Counts } from "../../agent/tally.ts";
import type { RunStatus } from "../events.ts";
import { JournalDamagedError, UnknownRunError } from "./errors.ts";
import { parseJournal, type JournalDamage } from "./parse-journal.ts";
import type { JournalRecord, OpenedRecord } from "./record.ts";
import type { JournalStore } from "./store.ts";

/** What a run's journal says of it at a glance. */
export interface RunSummary {
  readonly runId: string;
  readonly agentName: string;
  /** How its last stretch ended; `running` when it did not: the run is under way, or was cut off. */
  readonly status: RunStatus | "running";
  /** Tools run, `prompt_llm` apart. */
  readonly steps: number;
  readonly llmCalls: number;
  /** UTC, milliseconds, `Z`. */
  readonly startedAt: string;
  /** When the last record was written. */
  readonly lastAt: string;
  /** The run whose tool started this one; null for a run of its own. */
  readonly parentRunId: string | null;
  /** The run that this one was forked from, or resumed from by a snapshot; null for most. */
  readonly forkedFrom: string | null;
  /** What is wrong with the journal's last lines; null when nothing is. */
  readonly damage: JournalDamage | null;
}

/**
 * Sums a run up without reading all of its journal's records: a list of many runs is soon made.
 *
 * @throws {@link UnknownRunError} (`core/unknown-run`); {@link JournalDamagedError} (`core/journal-damaged`) for what does
 * not begin as a journal.
 */
export async function summariseRun(store: JournalStore, runId: string): Promise<RunSummary> {
  const lines = await store.read(runId);
  if (lines === undefined) throw new UnknownRunError({ runId });
  const opened = openedOf(runId, lines);
  const end = readEnd(lines);
  const counts = end.counts ?? opened.base?.counts;
  return {
    runId,
    agentName: opened.agentName,
    status: end.last?.type === "ended" ? end.last.status : "running",
    steps: counts?.steps ?? 0,
    llmCalls: counts?.llmCalls ?? 0,
    startedAt: opened.at,
    lastAt: end.last?.at ?? opened.at,
    parentRunId: opened.parentRunId,
    forkedFrom: opened.base?.runId ?? null,
    damage: end.damage,
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

/** The last record, and where the run stood, from the end backwards. */
function readEnd(lines: readonly string[]): {
  readonly last: JournalRecord | undefined;
  readonly counts: Counts | undefined;
  readonly damage: JournalDamage | null;
} {
  let last: JournalRecord | undefined;
  let broken = 0;
  let isTornTail = false;
  let counts: Counts | undefined;
  for (let at = lines.length - 1; at >= 0 && counts === undefined; at -= 1) {
    const parsed = parseJournal([lines[at] ?? ""]);
    broken += parsed.damage?.broken ?? 0;
    isTornTail ||= last === undefined && parsed.damage?.isTornTail === true;
    const records = [...parsed.records].reverse();
    last ??= records[0];
    counts = records.flatMap((record) => (record.type === "step" ? [record.counts] : []))[0];
  }
  return { last, counts, damage: broken === 0 ? null : { broken, isTornTail } };
}
