import * as z from "zod";

import { MessageError } from "../errors.ts";
import { makeOnce } from "../make-once.ts";
import { image, type Image } from "./image.ts";
import { takeImages } from "./image-fields.ts";
import { metadataShape, parseMetadata, soundPolicy, type MessageKind, type Metadata } from "./metadata.ts";
import { describeIssues, isFields, type Fields } from "./parse.ts";
import { metadataOf, noMetadata, stateOf, type AnyValue, type TypeState } from "./value.ts";

/** Who speaks. `error` exists only inside the framework; providers get it as `user`. */
export type Role = "system" | "assistant" | "user" | "error";

/** One entry of a conversation: complete, whatever part of it the model is shown. */
export interface Message extends Metadata {
  readonly role: Role;
  /** Plain text, or the JSON of a value with the producing tool under `caller`. */
  readonly content: string;
  readonly images: readonly Image[];
}

const messageSchema = makeOnce(() =>
  z.strictObject({
    role: z.enum(["system", "assistant", "user", "error"]),
    content: z.string(),
    images: z.array(image).default([]),
    ...metadataShape(),
  }),
);

const noImages: readonly Image[] = Object.freeze([]);

/**
 * Checks a message that comes from outside, such as a stored one.
 *
 * @throws {@link MessageError} (`core/message`) for unknown keys, a bad role, or metadata that is not known.
 */
export function parseMessage(given: unknown): Message {
  const parsed = messageSchema().safeParse(given);
  if (!parsed.success) throw partsError(parsed.error);
  const { images, truncation, ...rest } = parsed.data;
  const frozen = { ...rest, images: Object.freeze(images.map((one) => Object.freeze(one))) };
  if (truncation === undefined) return Object.freeze(frozen);
  return Object.freeze({ ...frozen, truncation: soundPolicy(truncation) });
}

/** A message of the system role. */
export function systemMessage(content: string, meta?: Metadata): Message {
  return textMessage("system", content, meta);
}

/** A message of the user role, with raw text. */
export function userMessage(content: string, meta?: Metadata): Message {
  return textMessage("user", content, meta);
}

/** A message of the assistant role. */
export function assistantMessage(content: string, meta?: Metadata): Message {
  return textMessage("assistant", content, meta);
}

/** A message of the error role: a failure that the model is told of. */
export function errorMessage(content: string, meta?: Metadata): Message {
  return textMessage("error", content, meta);
}

function textMessage(role: Role, content: string, meta: Metadata = {}): Message {
  const parsed = parseMetadata(meta);
  if ("problem" in parsed) throw partsError(parsed.problem);
  if (typeof content !== "string") throw new MessageError("needs a text as its content");
  return Object.freeze({ role, content, images: noImages, ...parsed.meta });
}

function partsError(cause: z.ZodError): MessageError {
  return new MessageError(`has parts that do not fit: ${describeIssues(cause)}`, { cause });
}

/**
 * Records a value as a message: an Invoke as the assistant's, anything else as the user's.
 *
 * @param options.caller - The tool that produced the value; it stands first in the content. Not used for an Invoke.
 * @param options.messageKind - Wins over the value's own.
 */
export function finaliseValue(
  value: AnyValue,
  options: { caller?: string | undefined; messageKind?: MessageKind | undefined } = {},
): Message {
  const state = stateOf(value);
  const meta = metadataOf(value);
  const { caller, messageKind = meta.messageKind } = options;
  const isCall = state.family === "invoke";
  const role = isCall ? "assistant" : "user";
  const { fields, images } =
    state.holdsImage && !isCall ? takeImages(value, state.type.schema) : whole(value);
  const content =
    isCall || caller === undefined ? JSON.stringify(fields) : contentOf(caller, fields, state.members);
  // Most values have no metadata, and spreading none costs as much as the rest of this function.
  if (meta === noMetadata && messageKind === undefined) return Object.freeze({ role, content, images });
  if (messageKind === meta.messageKind) return Object.freeze({ role, content, images, ...meta });
  return Object.freeze({ role, content, images, ...meta, messageKind });
}

function whole(value: AnyValue): ReturnType<typeof takeImages> {
  return { fields: isFields(value) ? value : {}, images: noImages };
}

/**
 * The JSON of fields, the caller first; a field of that name would speak for another tool and is left out.
 * A few declared fields are written one by one, which is faster than to have the whole object written.
 */
function contentOf(caller: string, fields: Fields, members: TypeState["members"]): string {
  if (members === null) {
    const { caller: _caller, ...rest } = fields;
    return JSON.stringify({ caller, ...rest });
  }
  const head = `{"caller":${quoted(caller)}`;
  if (members.length > 3) {
    const json = JSON.stringify(fields);
    return json === "{}" ? `${head}}` : `${head},${json.slice(1)}`;
  }
  let json = head;
  for (const { name, json: key } of members) {
    const field = fields[name];
    if (field !== undefined) json += `,${key}:${jsonOf(field)}`;
  }
  return `${json}}`;
}

/** A text of which JSON escapes nothing. */
const plainText = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** The JSON of a field; of the fields that most values have, without a call of the serializer, which costs twice as much. */
function jsonOf(field: unknown): string {
  if (typeof field === "number" && Number.isFinite(field)) return String(field);
  return typeof field === "string" && plainText.test(field) ? `"${field}"` : JSON.stringify(field);
}

const quotedCallers = new Map<string, string>();

function quoted(caller: string): string {
  let json = quotedCallers.get(caller);
  if (json === undefined) {
    json = JSON.stringify(caller);
    if (quotedCallers.size >= 1000) quotedCallers.clear();
    quotedCallers.set(caller, json);
  }
  return json;
}

/**
 * The messages that pass every filter given, in order; the same objects, not copies.
 *
 * @param filters.action - Compared with the top-level `action` of JSON content; anything else does not match.
 * @param filters.caller - Likewise, with `caller`.
 */
export function filterMessages(
  messages: readonly Message[],
  filters: {
    readonly role?: Role | undefined;
    readonly action?: string | undefined;
    readonly caller?: string | undefined;
  } = {},
): Message[] {
  const { role, action, caller } = filters;
  return messages.filter((message) => {
    if (role !== undefined && message.role !== role) return false;
    if (action === undefined && caller === undefined) return true;
    const content = contentObject(message.content);
    if (content === undefined) return false;
    if (action !== undefined && content["action"] !== action) return false;
    return caller === undefined || content["caller"] === caller;
  });
}

/** The object that a message's content is the JSON of; undefined for text, arrays and broken JSON. */
export function contentObject(content: string): Fields | undefined {
  if (!content.trimStart().startsWith("{")) return undefined;
  try {
    const parsed: unknown = JSON.parse(content);
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
