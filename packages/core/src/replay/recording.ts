import { MockReply } from "../llm/mock.ts";
import { UnknownRunError } from "../runtime/journal/errors.ts";
import type { RecordedCall, RecordedFailure } from "../runtime/journal/outside.ts";
import { parseJournal } from "../runtime/journal/parse-journal.ts";
import { rebuildRun } from "../runtime/journal/rebuild.ts";
import type { EndedRecord, JournalRecord, OpenedRecord, StepRecord } from "../runtime/journal/record.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { openedOf } from "../runtime/journal/summary.ts";
import { contentObject, type Message } from "../values/message.ts";

/** A model call of a recorded run. */
export interface KnownCall {
  /** Which step it belongs to, from 1. */
  readonly step: number;
  /** How many messages the history had. */
  readonly history: number;
  /** The repair messages that it was shown beside the history. */
  readonly repairs: readonly Message[];
  /** The native tools that were offered; null with the JSON protocol. */
  readonly tools: Readonly<Record<string, string>> | null;
  readonly outcome: { readonly reply: MockReply } | { readonly failure: RecordedFailure };
}

/** A recorded run, ready to be played again. */
export interface Recording {
  readonly runId: string;
  readonly opened: OpenedRecord;
  readonly records: readonly JournalRecord[];
  readonly steps: readonly StepRecord[];
  readonly calls: readonly KnownCall[];
  /** The messages that reached the history, by the step that put them there. */
  readonly end: EndedRecord | undefined;
}

/**
 * Reads a run to be played again.
 *
 * @throws {@link UnknownRunError} (`core/unknown-run`); {@link JournalDamagedError} (`core/journal-damaged`).
 */
export async function readRecording(store: JournalStore, runId: string): Promise<Recording> {
  const lines = await store.read(runId);
  if (lines === undefined) throw new UnknownRunError({ runId });
  openedOf(runId, lines);
  const { records } = parseJournal(lines);
  const { opened } = rebuildRun(runId, records);
  const last = records.at(-1);
  return {
    runId,
    opened,
    records,
    steps: records.filter((record) => record.type === "step"),
    calls: callsOf(records),
    end: last?.type === "ended" ? last : undefined,
  };
}

function callsOf(records: readonly JournalRecord[]): readonly KnownCall[] {
  const calls: KnownCall[] = [];
  let steps = 0;
  let tools: KnownCall["tools"] = null;
  for (const [index, record] of records.entries()) {
    if (record.type === "step") steps += 1;
    // What an attempt that was begun anew had asked is asked again by the step that took its place.
    const isLeftOver = record.type === "ended" && index < records.length - 1;
    if ((record.type !== "step" && record.type !== "ended") || isLeftOver) continue;
    const step = record.type === "step" ? steps : steps + 1;
    const messages = record.messages ?? [];
    const repairs = messages.flatMap(({ message, isRepair }) => (isRepair === true ? [message] : []));
    let rejected = 0;
    for (const entry of record.outside ?? []) {
      if (entry.type !== "call") continue;
      tools = entry.tools ?? tools;
      const outcome = outcomeOf(entry, record, tools !== null);
      calls.push({ step, history: entry.history, repairs: repairs.slice(0, rejected), tools, outcome });
      if (entry.reply !== undefined) rejected += 1;
    }
  }
  return calls;
}

function outcomeOf(
  { failure, reply }: RecordedCall,
  record: StepRecord | EndedRecord,
  isNative: boolean,
): KnownCall["outcome"] {
  if (failure !== undefined) return { failure };
  if (reply === undefined) return { reply: acceptedReply(record, isNative) };
  const { text, toolCalls, usage } = reply;
  return { reply: new MockReply(text, { ...usage, ...(toolCalls === undefined ? {} : { toolCalls }) }) };
}

/** The reply that a step went on with: its call is a message, and the others of the same reply wait in its position. */
function acceptedReply(record: StepRecord | EndedRecord, isNative: boolean): MockReply {
  const call = acceptedMessage(record);
  if (call === undefined) return new MockReply("");
  const { tokenInput, tokenOutput, content } = call;
  const usage = { tokenInput, tokenOutput };
  if (!isNative) return new MockReply(content, usage);
  const others = record.type === "step" ? record.position.calls.map(({ fields }) => fields) : [];
  const toolCalls = [contentObject(content) ?? {}, ...others].map(({ action, ...fields }, index) => ({
    id: `call_${index + 1}`,
    name: typeof action === "string" ? action : "",
    arguments: JSON.stringify(fields),
  }));
  return new MockReply("", { ...usage, toolCalls });
}

/** The message that a step's accepted reply became. */
export function acceptedMessage({
  messages = [],
}: Pick<StepRecord | EndedRecord, "messages">): Message | undefined {
  return messages.find(({ message, isRepair }) => message.role === "assistant" && isRepair !== true)?.message;
}

/** Whether a step asked the model and went on with its reply. */
export function hasAcceptedCall({ outside = [] }: Pick<StepRecord | EndedRecord, "outside">): boolean {
  return outside.some(
    (entry) => entry.type === "call" && entry.reply === undefined && entry.failure === undefined,
  );
}
