/** The object a model replied with, or what was wrong with the text. */
export type Decoded =
  | {
      readonly fields: Readonly<Record<string, unknown>>;
      /** How much text stood before the object and was left out. */
      readonly droppedChars: number;
      /** Whether a second JSON value follows, which is ignored. */
      readonly hasSecondValue: boolean;
    }
  | { readonly problem: string };

/** Deeper values would exhaust the stack of whoever walks them. */
const maxDepth = 200;
const thinkingEnd = /<\/think(?:ing)?>/gi;
const openingFence = /^(`{3,}|´{3,})[ \t]*(?:json)?[ \t]*\r?\n?/i;
/** A JSON number or word that does not go on as prose does. */
const scalar = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=[\s,:;\]}[{]|$)/;

/**
 * Reads the one JSON object of a model's reply: without what it was thinking, without one code fence around it,
 * without text before and after it. Never throws.
 */
export function decodeReply(reply: string): Decoded {
  // The usual reply is the object alone; a think tag inside one of its strings then means nothing.
  if (reply.startsWith("{") && reply.length < 2 * maxDepth) {
    const whole = parse(reply);
    if (isObject(whole)) return { fields: whole, droppedChars: 0, hasSecondValue: false };
  }
  return decodeText(reply);
}

function decodeText(reply: string): Decoded {
  const trimmed = reply.trim();
  if (trimmed.startsWith("{")) {
    const whole = parseBounded(trimmed);
    if (typeof whole === "object" && "fields" in whole) {
      return { fields: whole.fields, droppedChars: 0, hasSecondValue: false };
    }
    if (whole === "too deep") return { problem: tooDeep };
  }
  const text = withoutFence(withoutThinking(trimmed).trim());
  if (text === "") return { problem: "The reply is empty" };
  const first = valueAt(text, 0);
  if (first !== undefined) return first;
  // What stands inside a broken object is not what the model meant to reply.
  const start = text.startsWith("{") ? -1 : text.indexOf("{");
  const later = start === -1 ? undefined : valueAt(text, start);
  if (later !== undefined) return later;
  return { problem: `The reply holds no complete JSON object${whyNot(text)}` };
}

const tooDeep = `The JSON is nested more than ${maxDepth} levels deep`;

function withoutThinking(text: string): string {
  let from = 0;
  for (const tag of text.matchAll(thinkingEnd)) from = tag.index + tag[0].length;
  return text.slice(from);
}

function withoutFence(text: string): string {
  const [opening, fence] = openingFence.exec(text) ?? [];
  if (opening === undefined || fence === undefined) return text;
  const isClosed = text.length >= opening.length + fence.length && text.endsWith(fence);
  return isClosed ? text.slice(opening.length, -fence.length).trim() : text;
}

/** What stands at a place of the text: an object, another JSON value, or undefined when it is no JSON. */
function valueAt(text: string, start: number): Decoded | undefined {
  const opening = text[start];
  if (opening !== "{" && opening !== "[") {
    return startsWithScalar(text.slice(start))
      ? { problem: "The reply is a JSON value, but not an object" }
      : undefined;
  }
  const end = endOfValue(text, start);
  if (end === "too deep") return { problem: tooDeep };
  if (end === undefined) return undefined;
  const value = parse(text.slice(start, end));
  if (value === undefined) return undefined;
  if (!isObject(value)) return { problem: "The reply is a JSON array, not an object" };
  return { fields: value, droppedChars: start, hasSecondValue: startsWithValue(text.slice(end).trimStart()) };
}

function startsWithValue(rest: string): boolean {
  if (!rest.startsWith("{") && !rest.startsWith("[")) return startsWithScalar(rest);
  const end = endOfValue(rest, 0);
  return typeof end === "number" && parse(rest.slice(0, end)) !== undefined;
}

function startsWithScalar(text: string): boolean {
  if (!text.startsWith('"')) return scalar.test(text);
  for (let index = 1; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === backslash) index += 1;
    else if (character === quote) return typeof parse(text.slice(0, index + 1)) === "string";
  }
  return false;
}

/** Where the object or array that starts here ends, strings skipped; undefined when it does not end. */
function endOfValue(text: string, start: number): number | "too deep" | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (isInString) {
      if (character === backslash) index += 1;
      else if (character === quote) isInString = false;
    } else if (character === quote) {
      isInString = true;
    } else if (character === openBrace || character === openBracket) {
      depth += 1;
      if (depth > maxDepth) return "too deep";
    } else if (character === closeBrace || character === closeBracket) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

const backslash = 0x5c;
const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The whole text as one object, if it is one of a bearable depth. */
function parseBounded(
  text: string,
): { readonly fields: Readonly<Record<string, unknown>> } | "too deep" | "no object" {
  const end = endOfValue(text, 0);
  if (end === "too deep") return end;
  if (end !== text.length) return "no object";
  const value = parse(text);
  return isObject(value) ? { fields: value } : "no object";
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** What the parser says of a text that should have been JSON, without the piece of it that some parsers quote. */
function whyNot(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return error instanceof Error ? ` (${error.message.replace(/, (?:\.{3})?".*$/s, "")})` : "";
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
