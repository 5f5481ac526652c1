import { printableLine, summariseRun, type JournalStore, type RunSummary } from "@roboz/core";

import { errorLine } from "../error-line.ts";
import { textTable } from "../text-table.ts";

/** A journal of which nothing can be said. */
export interface UnreadableRun {
  readonly runId: string;
  readonly problem: string;
}

/** The runs of a store. */
export interface RunList {
  /** The latest first. */
  readonly runs: readonly RunSummary[];
  readonly unreadable: readonly UnreadableRun[];
}

/** Sums up every run of a store. */
export async function listRuns(store: JournalStore, signal: AbortSignal): Promise<RunList> {
  const runs: RunSummary[] = [];
  const unreadable: UnreadableRun[] = [];
  for (const runId of await store.list()) {
    signal.throwIfAborted();
    try {
      runs.push(await summariseRun(store, runId));
    } catch (error) {
      unreadable.push({ runId, problem: errorLine(error) });
    }
  }
  runs.sort((one, other) => compare(other.startedAt, one.startedAt) || compare(one.runId, other.runId));
  unreadable.sort((one, other) => compare(one.runId, other.runId));
  return { runs, unreadable };
}

/** By their characters, wherever the command runs. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The runs as lines for people, a heading first. */
export function runTable(runs: readonly RunSummary[]): string {
  const rows = [
    ["RUN", "AGENT", "STATUS", "STEPS", "MODEL CALLS", "STARTED"],
    ...runs.map(({ runId, agentName, status, steps, llmCalls, startedAt, damage }) => [
      printableLine(runId),
      printableLine(agentName),
      damage === null ? status : `${status} (torn)`,
      String(steps),
      String(llmCalls),
      printableLine(startedAt),
    ]),
  ];
  return textTable(rows, { numbers: [3, 4] });
}
