import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import { parseJournal } from "../runtime/journal/parse-journal.ts";
import type { EndedRecord, JournalMessage, JournalRecord, StepRecord } from "../runtime/journal/record.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import type { Message } from "../values/message.ts";
import { excerpts, isSameMessage, messageDifference, type SameMessage } from "./difference.ts";
import { ReplayDivergedError, type ReplayDifference } from "./errors.ts";
import type { Recording } from "./recording.ts";

/** A journal that compares each step with the recorded one as it is written. */
export interface Comparison {
  readonly store: JournalStore;
  /** The first difference, whatever became of the error on its way. */
  readonly divergence: ReplayDivergedError | undefined;
  /**
   * Compares a run with its record from now on; the steps of others are not looked at.
   *
   * @param whole - Whether its end is compared too.
   */
  readonly add: (recording: Recording, whole: boolean) => RunComparison;
  /** Notes a difference that was found elsewhere, and gives the error of the first. */
  readonly note: (error: ReplayDivergedError) => ReplayDivergedError;
}

/** How far one run is the same. */
export interface RunComparison {
  /** How many steps were the same. */
  readonly steps: number;
  /** Notes a difference of the step under way, and gives the error of the first. */
  readonly diverged: (difference: ReplayDifference) => ReplayDivergedError;
}

/** The journal of today's runs: a record that differs is refused, which ends its run. */
export function comparingStore(isSame: SameMessage | undefined): Comparison {
  const inner = memoryJournalStore();
  const runs = new Map<string, RunProgress>();
  let divergence: ReplayDivergedError | undefined;
  const note = (error: ReplayDivergedError): ReplayDivergedError => (divergence ??= error);
  const store: JournalStore = {
    ...inner,
    open: async (runId, options) => {
      const handle = await inner.open(runId, options);
      return {
        ...handle,
        append: async (text) => {
          for (const record of parseJournal([text]).records) runs.get(runId)?.check(record);
          await handle.append(text);
        },
      };
    },
  };
  return {
    store,
    get divergence() {
      return divergence;
    },
    add: (recording, whole) => {
      const run = new RunProgress({ recording, isSame, note, whole });
      runs.set(recording.runId, run);
      return run;
    },
    note,
  };
}

interface ProgressParts extends Pick<Comparison, "note"> {
  readonly recording: Recording;
  readonly isSame: SameMessage | undefined;
  readonly whole: boolean;
}

class RunProgress implements RunComparison {
  steps = 0;
  readonly #parts: ProgressParts;

  constructor(parts: ProgressParts) {
    this.#parts = parts;
  }

  readonly diverged = (difference: ReplayDifference): ReplayDivergedError => {
    const { note, recording } = this.#parts;
    return note(new ReplayDivergedError({ runId: recording.runId, step: this.steps + 1, difference }));
  };

  /** @throws {@link ReplayDivergedError} (`core/replay-diverged`) for a record that is not what was recorded. */
  check(record: JournalRecord): void {
    const { recording, isSame, whole } = this.#parts;
    const difference =
      record.type === "ended"
        ? whole
          ? endDifference(record, recording, this.steps)
          : undefined
        : differenceOf(record, recording.steps[this.steps], isSame);
    if (difference !== undefined) throw this.diverged(difference);
    if (record.type === "step") this.steps += 1;
  }
}

/** The difference of an end; a run that the host cuts off, or that waits for a reply, is not at its end. */
function endDifference(
  { status, errorType }: EndedRecord,
  { steps, end }: Recording,
  steady: number,
): ReplayDifference | undefined {
  if (status === "cancelled" || status === "suspended") return undefined;
  const what = "the run's end";
  if (steady < steps.length)
    return { kind: "end", what, recorded: `${steps.length} steps`, today: `${status} after ${steady}` };
  if (end === undefined || end.status === "cancelled") return undefined;
  const [recorded, today] = [endInWords(end), endInWords({ status, errorType })];
  return recorded === today ? undefined : { kind: "end", what, recorded, today };
}

/** How a run ended, such as `failed: TypeError`. */
export function endInWords({ status, errorType }: Pick<EndedRecord, "status" | "errorType">): string {
  return status === "failed" ? `failed: ${errorType ?? "unknown"}` : status;
}

function differenceOf(
  record: JournalRecord,
  recorded: StepRecord | undefined,
  isSame: SameMessage | undefined,
): ReplayDifference | undefined {
  // What was recorded as done is never begun again.
  if (record.type === "once-intent")
    return {
      kind: "effect",
      what: `the effect \`${record.key}\`, which the record has no result of`,
      recorded: null,
      today: "about to be done",
    };
  if (record.type !== "step") return undefined;
  if (recorded === undefined)
    return { kind: "end", what: "the run's end", recorded: "no further step", today: "one more step" };
  return stepDifference(recorded, record, isSame);
}

function stepDifference(
  recorded: StepRecord,
  today: StepRecord,
  isSame: SameMessage | undefined,
): ReplayDifference | undefined {
  const messages = messagesDiffer(recorded.messages, today.messages, isSame);
  if (messages !== undefined) return messages;
  const [was, is] = [historyOf(recorded), historyOf(today)];
  if (was !== is) return { kind: "history", what: "a change of history", ...excerpts(was, is) };
  const [waited, waits] = [waitingOf(recorded), waitingOf(today)];
  if (waited !== waits)
    return { kind: "waiting", what: "what the run waits for", ...excerpts(waited, waits) };
  return undefined;
}

function messagesDiffer(
  recorded: readonly JournalMessage[],
  today: readonly JournalMessage[],
  isSame: SameMessage | undefined,
): ReplayDifference | undefined {
  const length = Math.max(recorded.length, today.length);
  for (let index = 0; index < length; index += 1) {
    const [was, is] = [recorded[index], today[index]];
    if (was !== undefined && is !== undefined && isSameEntry(was, is, isSame)) continue;
    return messageDifference("message", "a message", messageOf(was), messageOf(is));
  }
  return undefined;
}

function isSameEntry(was: JournalMessage, is: JournalMessage, isSame: SameMessage | undefined): boolean {
  return was.isRepair === is.isRepair && isSameMessage(was.message, is.message, isSame);
}

function messageOf(entry: JournalMessage | undefined): Message | undefined {
  return entry?.message;
}

function historyOf({ replacements }: StepRecord): string {
  return JSON.stringify(replacements);
}

/** Without a tool's own state: it may hold ids of today. */
function waitingOf({ pending }: StepRecord): string | null {
  return pending === null ? null : JSON.stringify([pending.tool, pending.request]);
}
