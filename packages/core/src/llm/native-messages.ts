import { contentObject } from "../values/message.ts";
import type { ModelMessage, ModelToolCall } from "./client.ts";
import type { MappedMessage } from "./endpoint.ts";

/** Stands for a result that is hidden, was truncated away, or never came: a call without one would be refused. */
const noResult = "(not shown)";

/**
 * A conversation in the shape of a provider's native tool calls. It is worked out from what the messages say, so it
 * holds for any part of a conversation that truncation leaves:
 *
 * - an assistant message that is a call becomes a native call, several of one reply one after the other;
 * - the message right after it becomes the call's result if the called tool produced it; else the call gets a result that
 *   says nothing;
 * - all other messages stay as they are: text, notices, the outputs of chained and default tools, and results whose call
 *   is gone.
 *
 * The identifiers of the calls count them from the start, so that what was sent before is sent again to the letter.
 * They have nine letters and digits, which is what the strictest provider takes.
 */
export function nativeMessages(messages: readonly MappedMessage[]): readonly ModelMessage[] {
  const sent: ModelMessage[] = [];
  let calls = 0;
  for (let position = 0; position < messages.length; position += 1) {
    const message = messages[position];
    if (message === undefined) continue;
    const call = message.role === "assistant" ? callIn(message.content, calls + 1) : undefined;
    if (call === undefined) {
      sent.push(message);
      continue;
    }
    calls += 1;
    sent.push({ role: "assistant", content: "", toolCalls: [call] });
    const next = messages[position + 1];
    const result = next !== undefined && isResultOf(call.name, next) ? next : undefined;
    sent.push({ role: "tool", content: result?.content ?? noResult, toolCallId: call.id });
    if (result === undefined) continue;
    position += 1;
    // A native result has no images; the user's message may.
    if (result.images.length > 0) {
      sent.push({ role: "user", content: `Images of the result of \`${call.name}\``, images: result.images });
    }
  }
  return sent;
}

/** The call that an assistant's message records; undefined for text. */
function callIn(content: string, number: number): ModelToolCall | undefined {
  const { action, ...rest } = contentObject(content) ?? {};
  if (typeof action !== "string" || action === "") return undefined;
  return { id: `call${String(number).padStart(5, "0")}`, name: action, arguments: JSON.stringify(rest) };
}

function isResultOf(toolName: string, { role, content }: MappedMessage): boolean {
  if (role !== "user") return false;
  // The caller stands first in what a tool's output is recorded as; there is no need to parse a long one.
  return (
    content.startsWith(`{"caller":${JSON.stringify(toolName)}`) ||
    contentObject(content)?.["caller"] === toolName
  );
}
