import {
  contentObject,
  conversationText,
  shortenMessage,
  userMessage,
  type RunDocument,
  type RunDocumentMessage,
} from "@roboz/core";

import { cutText } from "./cut-text.ts";
import { onOneLine, withoutMarkers } from "./librarian-markers.ts";

/** A row of a conversation as a summary is made of it. */
export interface Row {
  readonly sequence: number;
  /** With its role as a heading. */
  readonly text: string;
  /** At four characters a token. */
  readonly tokens: number;
}

/**
 * The rows of a conversation after one, without what every run of its agent begins with, and what no model was shown. Each is made
 * when it is asked for: a conversation may be far longer than what is needed of it.
 */
export function* rowsAfter(document: RunDocument, sequence: number): Generator<Row> {
  for (const row of document.messages) {
    if (row.sequence <= sequence || isHidden(row)) continue;
    const content = normalised(row, document);
    if (content !== undefined) yield rowOf(row, content);
  }
}

/** A row as far as there is room for it. */
export function cutRow(row: Row, room: number): Row {
  const text = cutText(row.text, room);
  return text === row.text ? row : { ...row, text, tokens: Math.ceil(text.length / 4) };
}

function rowOf({ role, sequence, created_at: at, images }: RunDocumentMessage, content: string): Row {
  const stamped = `[sequence=${sequence} created_at=${onOneLine(at)}]\n${content}`;
  const text = conversationText([{ role, content: stamped, images: images.map(({ url }) => ({ url })) }]);
  return { sequence, text, tokens: Math.ceil(text.length / 4) };
}

/** What stands for a row; undefined for nothing. */
function normalised(
  { content, message_kind: kind }: RunDocumentMessage,
  { agent_name: name, metadata }: RunDocument,
): string | undefined {
  const description = metadata.agent_description ?? "";
  const agent = onOneLine(`${name}${description === "" ? "" : `: ${description}`}`);
  switch (kind) {
    case "system_message":
      return `[system prompt omitted; agent ${agent}]`;
    case "startup_context":
      return `[startup context omitted; agent ${agent}]`;
    case "auto_loaded_skill": {
      const skill = contentObject(content)?.["caller"];
      return `[auto-loaded skill omitted: ${typeof skill === "string" ? onOneLine(skill) : "unknown"}]`;
    }
    case "auto_load_banner":
      return undefined;
    default:
      // As a model was shown it at most.
      return withoutMarkers(shortenMessage(userMessage(content), "light")?.content ?? content);
  }
}

/** Whether a message was never shown to any model, such as what maintenance and background tools report. */
function isHidden({ truncation }: RunDocumentMessage): boolean {
  const rules = Array.isArray(truncation) ? truncation : [truncation];
  return rules.some(
    ({ threshold, severity, count_by: countBy }) =>
      threshold === 0 && severity === removeSeverity && countBy !== "showings",
  );
}

/** As documents number it. */
const removeSeverity = 3;
