import { parseMessage, type Message } from "@roboz/core";

import { integer, text } from "./database.ts";
import type { ThreadView } from "./thread-store.ts";
import type { ThreadWriter } from "./thread-writer.ts";
import { stringifyJson } from "../wire/json.ts";

/** A message that the model is shown, and where the thread keeps it. */
export interface KeptMessage {
  /** Its number; 0 for one that only stands in for what is missing, and is not kept. */
  readonly n: number;
  /** The thread's message that it belongs to. */
  readonly seq: number;
  readonly message: Message;
}

/** What the model is shown of a thread, in order. */
export async function readModelMessages({ queries }: ThreadView, threadId: string): Promise<KeptMessage[]> {
  const rows = await queries.rows(
    "SELECT n, seq, data FROM model_messages WHERE thread_id = $1 AND until_seq IS NULL ORDER BY n",
    threadId,
  );
  return rows.map((row) => ({
    n: integer(row, "n"),
    seq: integer(row, "seq"),
    message: parseMessage(JSON.parse(text(row, "data"))),
  }));
}

/**
 * Keeps a conversation as it is now: what was added to it is added, and what a tool replaced is retired, with all behind it.
 *
 * @param known - The conversation as it was kept before.
 * @param now - The conversation as it is; messages that stayed are the same objects.
 * @param seq - The thread's message that new ones belong to.
 * @returns The conversation as it is kept now.
 */
export async function keepConversation(
  thread: ThreadWriter,
  known: readonly KeptMessage[],
  now: readonly Message[],
  seq: number,
): Promise<readonly KeptMessage[]> {
  let same = 0;
  while (same < known.length && known[same]?.message === now[same]) same += 1;
  const seqs = new Map(known.slice(same).map((kept) => [kept.message, kept.seq]));
  await thread.retireModelMessages(known.slice(same).flatMap(({ n }) => (n === 0 ? [] : [n])));
  const added: KeptMessage[] = [];
  for (const message of now.slice(same)) {
    const belongsTo = seqs.get(message) ?? seq;
    const n = await thread.addModelMessage(belongsTo, stringifyJson(message));
    added.push({ n, seq: belongsTo, message });
  }
  return added.length === 0 && same === known.length ? known : [...known.slice(0, same), ...added];
}
