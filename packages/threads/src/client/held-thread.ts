import type { AgentContent } from "../wire/blocks.ts";
import type { AgentMessage } from "../wire/message.ts";
import type { AgentThreadDelta, AgentThreadRecord } from "../wire/thread.ts";

/** What a delta added to one message. */
export interface MessageChange {
  readonly index: number;
  readonly message: AgentMessage;
  /** The new blocks, a piece of text as it came. */
  readonly blocks: readonly AgentContent[];
}

/** A message that was sent and has not come back in a delta. */
interface Sent {
  readonly index: number;
  readonly message: AgentMessage;
  /** Whether the server said that it stands there. */
  readonly isPlaced: boolean;
}

/** A thread as this process knows it: a record that deltas are applied to. */
export class HeldThread {
  readonly record: AgentThreadRecord;
  /** Goes up with everything applied. */
  revision = 0;
  /** Goes up with everything sent; a status read before that is out of date. */
  sends = 0;
  #sent: Sent | undefined;

  constructor(record: AgentThreadRecord) {
    this.record = record;
    for (const message of record.messages) message.content = coalesced(message.content);
  }

  /**
   * Applies a delta as one step.
   *
   * @param sendsBefore - How much had been sent when the delta was asked for.
   */
  apply(delta: AgentThreadDelta, sendsBefore: number): readonly MessageChange[] {
    const { record } = this;
    const changes = Object.entries(delta.messages_by_idx)
      .map(([index, message]) => ({ index: Number(index), message }))
      .sort((one, other) => one.index - other.index)
      .map(({ index, message }) => this.#applyMessage(index, message));
    if (delta.status !== null && sendsBefore === this.sends) {
      record.status = delta.status;
      record.pending_client_tools = delta.pending_client_tools;
    }
    record.title = delta.title ?? record.title;
    record.goals = delta.goals ?? record.goals;
    record.tasks = delta.tasks ?? record.tasks;
    record.continuation_token = delta.continuation_token;
    this.revision += 1;
    return changes;
  }

  #applyMessage(index: number, arrived: AgentMessage): MessageChange {
    const blocks = arrived.content;
    this.#dropSent(index, arrived);
    const { messages } = this.record;
    const held = messages[index];
    if (held === undefined) {
      const message = { ...arrived, content: coalesced(blocks) };
      messages[index] = message;
      return { index, message, blocks };
    }
    held.status = arrived.status;
    append(held.content, blocks);
    return { index, message: held, blocks };
  }

  /** Takes the copy of what was sent away once the message itself arrives, at its place or, if that was a guess, elsewhere. */
  #dropSent(index: number, { role }: AgentMessage): void {
    const sent = this.#sent;
    if (sent === undefined) return;
    if (sent.index !== index && (sent.isPlaced || role !== "user")) return;
    this.#sent = undefined;
    const { messages } = this.record;
    if (messages[sent.index] !== sent.message) return;
    if (sent.index === messages.length - 1) messages.length = lengthWithoutLast(messages);
    else Reflect.deleteProperty(messages, sent.index);
  }

  /** Notes that something was sent and the agent works on it. */
  startTurn(): void {
    this.sends += 1;
    this.record.status = "roboto_turn";
    this.record.pending_client_tools = null;
    this.revision += 1;
  }

  /** Notes that the server said what the status is. */
  setStatus(status: AgentThreadRecord["status"]): void {
    this.sends += 1;
    if (status !== this.record.status) this.record.pending_client_tools = null;
    this.record.status = status;
    this.revision += 1;
  }

  /** Holds a copy of what was sent until it arrives, unless it has arrived in the meantime. */
  holdSent(message: AgentMessage, index: number | null): void {
    const { messages } = this.record;
    const at = index ?? messages.length;
    if (messages[at] !== undefined) return;
    const held = { ...message, content: coalesced(message.content) };
    messages[at] = held;
    this.#sent = { index: at, message: held, isPlaced: index !== null };
  }
}

/** The length of a list with holes once its last entry is gone. */
function lengthWithoutLast(list: readonly unknown[]): number {
  return Number(Object.keys(list).at(-2) ?? -1) + 1;
}

function coalesced(blocks: readonly AgentContent[]): AgentContent[] {
  const content: AgentContent[] = [];
  append(content, blocks);
  return content;
}

/** Appends blocks; text after text becomes one run. */
function append(content: AgentContent[], blocks: readonly AgentContent[]): void {
  for (const block of blocks) {
    const last = content.at(-1);
    if (block.content_type === "text" && last?.content_type === "text") last.text += block.text;
    else content.push(block.content_type === "text" ? { ...block } : block);
  }
}
