import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import { parseJournal } from "../runtime/journal/parse-journal.ts";
import type { JournalMessage, JournalRecord, StepRecord } from "../runtime/journal/record.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import type { Message } from "../values/message.ts";
import { excerpts, isSameMessage, messageDifference, type SameMessage } from "./difference.ts";
import { ReplayDivergedError, type ReplayDifference } from "./errors.ts";
import type { Recording } from "./recording.ts";

/** A journal that compares each step with the recorded one as it is written. */
export interface Comparison {
  readonly store: JournalStore;
  /** How many steps were the same. */
  readonly steps: number;
  /** The first difference, whatever became of the error on its way. */
  readonly divergence: ReplayDivergedError | undefined;
  /** Notes a difference that was found elsewhere, and gives the error of the first. */
  readonly diverged: (difference: ReplayDifference) => ReplayDivergedError;
}

/** The journal of today's run: a record that differs is refused, which ends the run. */
export function comparingStore(recording: Recording, isSame: SameMessage | undefined): Comparison {
  const inner = memoryJournalStore();
  let steps = 0;
  let divergence: ReplayDivergedError | undefined;
  const diverged = (difference: ReplayDifference): ReplayDivergedError =>
    (divergence ??= new ReplayDivergedError({ runId: recording.runId, step: steps + 1, difference }));
  const check = (record: JournalRecord): void => {
    const difference = differenceOf(record, recording.steps[steps], isSame);
    if (difference !== undefined) throw diverged(difference);
    if (record.type === "step") steps += 1;
  };
  const store: JournalStore = {
    ...inner,
    open: async (runId) => {
      const handle = await inner.open(runId);
      if (runId !== recording.runId) return handle;
      return {
        ...handle,
        append: async (text) => {
          for (const record of parseJournal([text]).records) check(record);
          await handle.append(text);
        },
      };
    },
  };
  return {
    store,
    get steps() {
      return steps;
    },
    get divergence() {
      return divergence;
    },
    diverged,
  };
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
