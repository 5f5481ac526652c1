import * as z from "zod";

import { MessageError } from "../errors.ts";
import { image, type Image } from "./image.ts";
import { takeImages } from "./image-fields.ts";
import { messageKinds, type MessageKind, type Metadata } from "./metadata.ts";
import { truncationSchema } from "../truncation/policy.ts";
import { describeIssues, familyOf, metadataOf, type AnyValue } from "./value.ts";

/** Who speaks. `error` exists only inside the framework; providers get it as `user`. */
export type Role = "system" | "assistant" | "user" | "error";

/** One entry of a conversation: complete, whatever part of it the model is shown. */
export interface Message extends Metadata {
  readonly role: Role;
  /** Plain text, or the JSON of a value with the producing tool under `caller`. */
  readonly content: string;
  readonly images: readonly Image[];
}

const messageSchema = z.strictObject({
  role: z.enum(["system", "assistant", "user", "error"]),
  content: z.string(),
  images: z.array(image).default([]),
  truncation: truncationSchema.optional(),
  messageKind: z.enum(messageKinds).optional(),
  endpoint: z.string().optional(),
  model: z.string().optional(),
  tokenInput: z.number().optional(),
  tokenOutput: z.number().optional(),
});

const noImages: readonly Image[] = Object.freeze([]);

/**
 * Checks a message that comes from outside, such as a stored one.
 *
 * @throws {@link MessageError} (`core/message`) for unknown keys, a bad role, or metadata that is not known.
 */
export function parseMessage(given: unknown): Message {
  const parsed = messageSchema.safeParse(given);
  if (!parsed.success)
    throw new MessageError(`has parts that do not fit: ${describeIssues(parsed.error)}`, {
      cause: parsed.error,
    });
  return Object.freeze(parsed.data);
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

function textMessage(role: Role, content: string, meta?: Metadata): Message {
  return parseMessage({ ...meta, role, content });
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
  const isCall = familyOf(value) === "invoke";
  const meta = metadataOf(value);
  const { fields, images } = isCall ? { fields: value, images: noImages } : takeImages(value);
  const content = JSON.stringify(
    isCall || options.caller === undefined ? fields : { caller: options.caller, ...fields },
  );
  const messageKind = options.messageKind ?? meta.messageKind;
  return Object.freeze({
    role: isCall ? "assistant" : "user",
    content,
    images,
    ...meta,
    ...(messageKind === undefined ? undefined : { messageKind }),
  });
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
export function contentObject(content: string): Readonly<Record<string, unknown>> | undefined {
  if (!content.startsWith("{") && !/^\s*\{/.test(content)) return undefined;
  try {
    const parsed: unknown = JSON.parse(content);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? { ...parsed }
      : undefined;
  } catch {
    return undefined;
  }
}
