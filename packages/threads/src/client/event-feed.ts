import type { AgentContent } from "../wire/blocks.ts";
import { AgentMessage } from "../wire/message.ts";
import type { AgentEvent } from "./events.ts";
import type { MessageChange } from "./held-thread.ts";

/** Turns what deltas bring into events, and remembers which runs of text have begun. */
export class EventFeed {
  readonly #open = new Set<number>();

  /** The events of changes, which come in the order of their messages. */
  of(changes: readonly MessageChange[]): AgentEvent[] {
    return changes.flatMap(({ index, message, blocks }) => {
      if (message.role === "user") return [];
      const events = blocks.flatMap((block) => this.#ofBlock(block, index));
      if (AgentMessage.isTerminal(message)) events.push(...this.#end(index));
      return events;
    });
  }

  /** What changes that nobody is shown leave to say: that runs which had begun are over. */
  passedOver(changes: readonly MessageChange[]): AgentEvent[] {
    return changes.flatMap(({ index, message, blocks }) => {
      const isOver =
        AgentMessage.isTerminal(message) || blocks.some(({ content_type }) => content_type !== "text");
      return isOver ? this.#end(index) : [];
    });
  }

  #ofBlock(block: AgentContent, message_sequence_num: number): AgentEvent[] {
    if (block.content_type === "text") {
      const delta: AgentEvent = { type: "text_delta", message_sequence_num, text: block.text };
      if (this.#open.has(message_sequence_num)) return [delta];
      this.#open.add(message_sequence_num);
      return [{ type: "text_start", message_sequence_num }, delta];
    }
    const ends = this.#end(message_sequence_num);
    switch (block.content_type) {
      case "tool_use": {
        const { tool_name: name, tool_use_id, input } = block;
        return [...ends, { type: "tool_use", message_sequence_num, name, tool_use_id, input }];
      }
      case "tool_result": {
        const { tool_name: name, tool_use_id, status, raw_response: output, runtime_ms } = block;
        const success = status === "success";
        return [
          ...ends,
          { type: "tool_result", message_sequence_num, name, tool_use_id, success, output, runtime_ms },
        ];
      }
      case "error": {
        const { error_message, error_code } = block;
        return [...ends, { type: "error", message_sequence_num, error_message, error_code }];
      }
      default:
        return ends;
    }
  }

  #end(message_sequence_num: number): AgentEvent[] {
    return this.#open.delete(message_sequence_num) ? [{ type: "text_end", message_sequence_num }] : [];
  }
}
