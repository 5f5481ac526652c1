import { RepeatWatch } from "../../agent/repeats.ts";
import type { OnceEntry, RunSnapshot } from "../../agent/snapshot.ts";
import { Tally } from "../../agent/tally.ts";
import type { Message } from "../../values/message.ts";
import { JournalDamagedError } from "./errors.ts";
import type { JournalRecord, OpenedRecord, StepRecord } from "./record.ts";

/** What a run's journal says of it. */
export interface RebuiltRun {
  readonly opened: OpenedRecord;
  readonly snapshot: RunSnapshot;
  /** The sequence number of the last record. */
  readonly sequence: number;
  /** The sequence number of the last event. */
  readonly eventSequence: number;
  /** How the last stretch ended; null when it did not: the run is under way, or crashed. */
  readonly status: Extract<JournalRecord, { type: "ended" }>["status"] | null;
}

/**
 * A run's state after its last finished step.
 *
 * @throws {@link JournalDamagedError} (`core/journal-damaged`) when records are missing before others.
 */
export function rebuildRun(runId: string, records: readonly JournalRecord[]): RebuiltRun {
  const damaged = (problem: string): never => {
    throw new JournalDamagedError({ runId, problem });
  };
  const [opened] = records;
  if (opened?.type !== "opened") return damaged("its first record is missing");
  if (opened.runId !== runId) damaged(`it is the journal of \`${opened.runId}\``);
  const version: number = opened.schemaVersion;
  if (version !== 1) damaged(`its schema version is ${version}, and this release reads version 1`);
  const messages: Message[] = [...(opened.base?.messages ?? [])];
  const once = new Map<string, OnceEntry>(Object.entries(opened.base?.once ?? {}));
  let eventSequence = 0;
  let last: StepRecord | undefined;
  let status: RebuiltRun["status"] = null;
  for (const [index, record] of records.entries()) {
    if (record.sequence !== index + 1)
      damaged(`record ${index + 1} is missing or damaged, and others follow it`);
    switch (record.type) {
      case "step":
        for (const { from, to, messages: others } of record.replacements) {
          if (from < 0 || to < from || to > messages.length)
            damaged(`record ${record.sequence} replaces messages that are not there`);
          messages.splice(from, to - from, ...others);
        }
        for (const { message, isRepair } of record.messages) if (isRepair !== true) messages.push(message);
        eventSequence = lastEvent(record, eventSequence);
        last = record;
        break;
      case "once-intent":
        once.set(record.key, { isDone: false });
        break;
      case "once-result":
        once.set(record.key, { isDone: true, result: record.result });
        break;
      case "once-failed":
        once.delete(record.key);
        break;
      case "resumed":
        status = null;
        break;
      case "ended":
        eventSequence = Math.max(eventSequence, record.lastEvent);
        status = record.status;
        break;
      case "opened":
        if (index > 0) damaged("it was opened twice");
    }
  }
  return {
    opened,
    sequence: records.length,
    eventSequence,
    status,
    snapshot: snapshotOf(opened, last, messages, Object.fromEntries(once)),
  };
}

function lastEvent({ events, messages }: StepRecord, before: number): number {
  return [...events, ...messages].reduce((highest, { event }) => Math.max(highest, event), before);
}

function snapshotOf(
  opened: OpenedRecord,
  last: StepRecord | undefined,
  messages: readonly Message[],
  once: Readonly<Record<string, OnceEntry>>,
): RunSnapshot {
  const { runId, agentName, fingerprint, input, base } = opened;
  const start = { lastTool: null, output: input, chosenBy: "default", queue: [], calls: [] } as const;
  return {
    schemaVersion: 1,
    runId,
    agentName,
    fingerprint,
    isStarted: last !== undefined || base?.isStarted === true,
    skills: (last ?? base)?.skills ?? [],
    messages,
    showings: last?.showings ?? base?.showings ?? {},
    position: last?.position ?? base?.position ?? start,
    pending: (last ?? base)?.pending ?? null,
    counts: (last ?? base)?.counts ?? new Tally().counts(),
    repeats: (last ?? base)?.repeats ?? new RepeatWatch().state(),
    once,
  };
}
