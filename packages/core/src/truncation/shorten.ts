import { contentObject, type Message } from "../values/message.ts";
import type { Severity } from "./policy.ts";

/** Applies a severity to a message: a shortened copy, or undefined when it is left out. */
export type ShortenMessage = (message: Message, severity: Severity) => Message | undefined;

/** The longest text, in UTF-16 units, that a light truncation leaves whole. */
export const maxTextLength = 40_000;

/** What stands in place of a message's content. */
export const truncationMarker = "<message truncated>";

/**
 * The content function: how a message looks under a severity. The message given is never changed, and is itself
 * returned when there is nothing to shorten.
 *
 * - `"light"` cuts each string value of JSON content, or the whole of any other text, to 40,000 characters and `...`;
 *   keys, structure, numbers and images stay as they are.
 * - `"stub"` keeps only `caller` and `action` beside a `truncated` marker; content that is no JSON object becomes the
 *   bare marker. Images go.
 * - `"remove"` gives undefined.
 */
export const shortenMessage: ShortenMessage = (message, severity) => {
  if (severity === "remove") return undefined;
  if (severity === "stub") return { ...message, content: stubOf(message.content), images: [] };
  const content = cutContent(message.content);
  return content === message.content ? message : { ...message, content };
};

function stubOf(content: string): string {
  const fields = contentObject(content);
  if (fields === undefined) return truncationMarker;
  const { caller, action } = fields;
  return JSON.stringify({
    ...(typeof caller === "string" ? { caller: cutText(caller) } : undefined),
    ...(typeof action === "string" ? { action: cutText(action) } : undefined),
    truncated: truncationMarker,
  });
}

function cutContent(content: string): string {
  // A decoded string is never longer than its JSON, so short content holds no long value.
  if (content.length <= maxTextLength) return content;
  return isJson(content) ? cutJson(content) : cutText(content);
}

function cutText(text: string): string {
  if (text.length <= maxTextLength) return text;
  const last = text.charCodeAt(maxTextLength - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, splitsPair ? maxTextLength - 1 : maxTextLength)}...`;
}

function isJson(content: string): boolean {
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}

/**
 * Cuts the long string values in the text of valid JSON. The text is edited, not parsed and written again: integers
 * beyond the safe range and any depth of nesting survive.
 */
function cutJson(json: string): string {
  let result = "";
  let copied = 0;
  for (let open = json.indexOf('"'); open >= 0;) {
    const close = closingQuote(json, open);
    if (close - open - 1 > maxTextLength && !isKey(json, close)) {
      const decoded: unknown = JSON.parse(json.slice(open, close + 1));
      const text = String(decoded);
      if (text.length > maxTextLength) {
        result += json.slice(copied, open) + JSON.stringify(cutText(text));
        copied = close + 1;
      }
    }
    open = json.indexOf('"', close + 1);
  }
  return copied === 0 ? json : result + json.slice(copied);
}

function closingQuote(json: string, open: number): number {
  let close = json.indexOf('"', open + 1);
  for (;;) {
    let escapes = 0;
    while (json[close - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return close;
    close = json.indexOf('"', close + 1);
  }
}

function isKey(json: string, close: number): boolean {
  let next = close + 1;
  while (/\s/.test(json.charAt(next))) next += 1;
  return json[next] === ":";
}
