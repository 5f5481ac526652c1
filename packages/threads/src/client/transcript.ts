import type { AgentContent } from "../wire/blocks.ts";
import { stringifyJson } from "../wire/json.ts";
import type { AgentThreadRecord } from "../wire/thread.ts";

/** A thread as a text to read: who says what, and what tools were asked and answered. */
export function transcriptOf({ thread_id, messages }: AgentThreadRecord): string {
  // Passes over the holes of a thread that was loaded without messages, however wide they are.
  const parts = Object.values(messages).map(
    ({ role, content }) => `== ${role.toUpperCase()} ==\n${textOf(content)}`,
  );
  return `=== ${thread_id} ===\n${parts.join("\n")}`;
}

/** Blocks one after the other; those that are no text stand on lines of their own. */
function textOf(content: readonly AgentContent[]): string {
  let text = "";
  let isLineOpen = false;
  for (const block of content) {
    const isText = block.content_type === "text";
    if (isLineOpen && !(isText && block.text === "")) text += "\n";
    isLineOpen = !isText;
    if (isText) text += block.text;
    else text += `${text === "" || text.endsWith("\n") ? "" : "\n"}${lineOf(block)}`;
  }
  return text;
}

function lineOf(block: Exclude<AgentContent, { content_type: "text" }>): string {
  switch (block.content_type) {
    case "tool_use":
      return `[tool_use ${block.tool_name} ${block.tool_use_id}] ${stringifyJson(block.input)}`;
    case "tool_result":
      return `[tool_result ${block.tool_name} ${block.tool_use_id} ${block.status}] ${stringifyJson(block.raw_response)}`;
    case "error":
      return `[error ${block.error_code ?? "-"}] ${block.error_message}`;
    default:
      return `[${block.content_type}]`;
  }
}
