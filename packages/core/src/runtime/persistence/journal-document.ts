import { createHash } from "node:crypto";

import { DEFAULT, type Truncation, type TruncationRule } from "../../truncation/policy.ts";
import type { Message } from "../../values/message.ts";
import type { MessageEvent, RuntimeEvent } from "../events.ts";
import { UnknownRunError } from "../journal/errors.ts";
import { parseJournal } from "../journal/parse-journal.ts";
import { rebuildRun, type RebuiltRun } from "../journal/rebuild.ts";
import type { JournalEvent, JournalMessage, JournalRecord } from "../journal/record.ts";
import type { JournalStore } from "../journal/store.ts";
import { severities, type RunDocument, type RunDocumentEvent, type RunDocumentMessage } from "./document.ts";

/** Whether a message or runtime event goes into a document. */
export type DetailPredicate = (event: MessageEvent | RuntimeEvent) => boolean;

/** What a document says beside what the journal knows. */
export interface DocumentOptions {
  /** Leaves out messages and runtime events; all are kept by default. */
  readonly keeps?: DetailPredicate | undefined;
  /** Where the run took place, such as `"production"`. */
  readonly environment?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Plain JSON of the host's own. */
  readonly custom?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A journaled run as a document, with every message as it was reported, whatever became of it in the history. Made of one
 * journal twice, it is the same twice. A fork begins with the messages it was forked with.
 *
 * @throws {@link UnknownRunError} (`core/unknown-run`); {@link JournalDamagedError} (`core/journal-damaged`).
 */
export async function exportRun(
  store: JournalStore,
  runId: string,
  options: DocumentOptions = {},
): Promise<RunDocument> {
  const lines = await store.read(runId);
  if (lines === undefined) throw new UnknownRunError({ runId });
  const { records } = parseJournal(lines);
  const rebuilt = rebuildRun(runId, records);
  const { opened, status } = rebuilt;
  const isOver = status !== null && status !== "suspended";
  return {
    schema_version: 3,
    conversation_id: runId,
    agent_name: opened.agentName,
    parent_conversation_id: opened.parentRunId,
    started_at: opened.at,
    ended_at: isOver ? (records.at(-1)?.at ?? null) : null,
    status: isOver ? status : "running",
    metadata: {
      environment: options.environment ?? null,
      agent_description: opened.agentDescription === "" ? null : opened.agentDescription,
      tags: [...(options.tags ?? [])],
      custom: { ...options.custom },
    },
    ...rowsOf(rebuilt, records, options.keeps),
  };
}

function rowsOf(
  { opened }: RebuiltRun,
  records: readonly JournalRecord[],
  keeps: DetailPredicate = () => true,
): Pick<RunDocument, "messages" | "runtime_events"> {
  const { runId, agentName, base } = opened;
  const inherited = base?.messages ?? [];
  const messages: RunDocumentMessage[] = [];
  const events: RunDocumentEvent[] = [];
  const put = (sequence: number, at: string, message: Message): void => {
    if (!keeps({ type: "message", sequence, runId, agentName, message })) return;
    messages.push(messageRow(runId, sequence, at, message));
  };
  for (const [index, message] of inherited.entries()) put(index + 1, opened.at, message);
  // The events of a fork are numbered from 1 too.
  const shift = inherited.length;
  const gathered = { messages: new Array<JournalMessage>(), events: new Array<JournalEvent>() };
  for (const record of records) {
    if (record.type === "step") gathered.messages.push(...record.messages);
    if (record.type === "step" || record.type === "ended") gathered.events.push(...record.events);
    // What a later stretch does again is reported again.
    if (record.type === "ended" && record === records.at(-1))
      gathered.messages.push(...(record.messages ?? []));
  }
  for (const { event, at, message } of gathered.messages) put(shift + event, at, message);
  for (const { event, at, ...facts } of gathered.events) {
    const sequence = shift + event;
    if (!keeps({ type: "runtime", sequence, runId, agentName, ...facts })) continue;
    events.push({
      event_id: rowId(runId, "event", sequence),
      sequence,
      created_at: at,
      ...facts,
      agent_name: agentName,
      data: { ...facts.data },
    });
  }
  return { messages, runtime_events: events };
}

function messageRow(runId: string, sequence: number, at: string, message: Message): RunDocumentMessage {
  const { role, content, images, truncation = DEFAULT } = message;
  return {
    message_id: rowId(runId, "message", sequence),
    sequence,
    created_at: at,
    role,
    content,
    truncation: isRules(truncation) ? truncation.map(ruleRow) : ruleRow(truncation),
    message_kind: message.messageKind ?? null,
    endpoint: message.endpoint ?? null,
    model: message.model ?? null,
    token_input: message.tokenInput ?? null,
    token_output: message.tokenOutput ?? null,
    images: images.map((image) => ({ ...image })),
  };
}

function isRules(policy: Truncation): policy is readonly TruncationRule[] {
  return Array.isArray(policy);
}

/** `count_by` only where it is not the default: the Python release does not know it. */
function ruleRow({ threshold, severity, countBy }: TruncationRule) {
  const rest = countBy === "showings" ? { count_by: countBy } : {};
  return { threshold, severity: severities.indexOf(severity) + 1, ...rest };
}

/** An id of the form of a UUID, made of what it names, so that the same row has the same id in every document. */
function rowId(runId: string, what: "message" | "event", sequence: number): string {
  const digest = createHash("sha256").update(`${runId}/${what}/${sequence}`).digest("hex");
  const variant = "89ab".charAt(Number.parseInt(digest.charAt(16), 16) % 4);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join("-");
}
