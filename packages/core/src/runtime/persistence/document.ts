import { constants } from "node:fs";
import { open } from "node:fs/promises";
import * as z from "zod";

import { makeOnce } from "../../make-once.ts";
import type { TruncationRule } from "../../truncation/policy.ts";
import { image } from "../../values/image.ts";
import { parseMessage, type Message } from "../../values/message.ts";
import { messageKinds } from "../../values/metadata.ts";
import { describeIssues } from "../../values/parse.ts";
import { RunDocumentError } from "./errors.ts";

/** The severities by number, from 1, as documents have them. */
export const severities = ["light", "stub", "remove"] as const;

const document = makeOnce(() => {
  const rule = z.strictObject({
    threshold: z.int(),
    severity: z.int().min(1).max(severities.length),
    count_by: z.enum(["messages", "showings"]).optional(),
  });

  const imageRow = z.strictObject({ url: image.shape.url, detail: z.string().nullish() });

  const messageRow = z.strictObject({
    message_id: z.string(),
    sequence: z.int(),
    created_at: z.string(),
    role: z.enum(["system", "assistant", "user", "error"]),
    content: z.string(),
    truncation: z.union([rule, z.array(rule)]),
    message_kind: z.enum(messageKinds).nullable().default(null),
    endpoint: z.string().nullable().default(null),
    model: z.string().nullable().default(null),
    token_input: z.number().nullable().default(null),
    token_output: z.number().nullable().default(null),
    images: z.array(imageRow).default([]),
  });

  const runtimeRow = z.strictObject({
    event_id: z.string(),
    sequence: z.int(),
    created_at: z.string(),
    category: z.enum(["llm", "tool", "run"]),
    kind: z.enum(["started", "retrying", "succeeded", "failed", "timed_out", "cancelled", "interrupted"]),
    level: z.enum(["debug", "info", "warning", "error"]),
    message: z.string(),
    agent_name: z.string(),
    data: z.record(z.string(), z.unknown()).default({}),
  });

  const metadata = z.strictObject({
    environment: z.string().nullable().default(null),
    agent_description: z.string().nullable().default(null),
    tags: z.array(z.string()).default([]),
    custom: z.record(z.string(), z.unknown()).default({}),
  });

  return z.strictObject({
    schema_version: z.literal(3).default(3),
    conversation_id: z.string(),
    agent_name: z.string(),
    parent_conversation_id: z.string().nullable().default(null),
    started_at: z.string(),
    ended_at: z.string().nullable().default(null),
    status: z.enum(["running", "completed", "failed", "cancelled"]).default("running"),
    metadata: metadata.prefault({}),
    messages: z.array(messageRow).default([]),
    runtime_events: z.array(runtimeRow).default([]),
  });
});

/**
 * One run as a document of schema version 3, which the Python release reads and writes too. Times are UTC with
 * milliseconds and `Z`; a run that waits for a reply is `running`.
 */
export type RunDocument = z.output<ReturnType<typeof document>>;
/** One message of a {@link RunDocument}, whole. */
export type RunDocumentMessage = RunDocument["messages"][number];
/** One runtime event of a {@link RunDocument}. */
export type RunDocumentEvent = RunDocument["runtime_events"][number];

const newest = 3;
/** Far above any conversation; what is larger is no document, and would end the process. */
const maxBytes = 512 * 1024 * 1024;

/**
 * Reads one document, whoever wrote it. Its rows come in the order of their sequence numbers.
 *
 * @throws {@link RunDocumentError} (`core/run-document`) for a file that cannot be read, is no UTF-8, no JSON, of another
 * schema version, or has keys that are not known.
 */
export async function readRunDocument(path: string): Promise<RunDocument> {
  return parseRunDocument(await readText(path), path);
}

/**
 * The document that a text holds.
 *
 * @param path - What an error names.
 * @throws {@link RunDocumentError} (`core/run-document`).
 */
export function parseRunDocument(text: string, path: string): RunDocument {
  const given = parseJson(text, path);
  const version: unknown =
    typeof given === "object" && given !== null ? Reflect.get(given, "schema_version") : undefined;
  if (version !== undefined && version !== newest) {
    const said = typeof version === "number" ? ` ${version}` : "";
    throw new RunDocumentError({
      path,
      problem: `is of another schema version${said}; this release reads version ${newest}`,
    });
  }
  const parsed = document().safeParse(given);
  if (!parsed.success) {
    const problem = `does not fit schema version ${newest}: ${describeIssues(parsed.error)}`;
    throw new RunDocumentError({ path, problem });
  }
  const { messages, runtime_events: events, ...rest } = parsed.data;
  return { ...rest, messages: inOrder(messages), runtime_events: inOrder(events) };
}

/** A row's message, as a run has it. */
export function messageOfRow(row: RunDocumentMessage): Message {
  const given = {
    role: row.role,
    content: row.content,
    images: row.images.map(({ url, detail }) => (typeof detail === "string" ? { url, detail } : { url })),
    truncation: Array.isArray(row.truncation) ? row.truncation.map(ruleOf) : ruleOf(row.truncation),
    messageKind: row.message_kind ?? undefined,
    endpoint: row.endpoint ?? undefined,
    model: row.model ?? undefined,
    tokenInput: row.token_input ?? undefined,
    tokenOutput: row.token_output ?? undefined,
  };
  return parseMessage(
    Object.fromEntries(
      Object.entries(given).filter(([, part]: readonly [string, unknown]) => part !== undefined),
    ),
  );
}

type RuleRow = Extract<RunDocumentMessage["truncation"], { readonly threshold: number }>;

function ruleOf({ threshold, severity, count_by: countBy }: RuleRow): TruncationRule {
  const rest = countBy === undefined ? {} : { countBy };
  return { threshold, severity: severities[severity - 1] ?? "light", ...rest };
}

/** By number, whatever the clock said. */
function inOrder<Row extends { readonly sequence: number }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((one, other) => one.sequence - other.sequence);
}

function parseJson(text: string, path: string): unknown {
  const protoKey = new RunDocumentError({ path, problem: "has a key `__proto__`, which no release writes" });
  try {
    const given: unknown = JSON.parse(text, (key, field: unknown) => {
      if (key === "__proto__") throw protoKey;
      return field;
    });
    return given;
  } catch (error) {
    if (error === protoKey) throw error;
    // The parser's own words quote the text.
    throw new RunDocumentError({ path, problem: "is no whole JSON document" });
  }
}

async function readText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    // Not blocking: a pipe would be waited on for ever. Not following: a link may lead anywhere.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw new RunDocumentError({ path, problem: "is no regular file" });
      if (found.size > maxBytes) throw new RunDocumentError({ path, problem: "is larger than 512 MiB" });
      bytes = await file.readFile();
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof RunDocumentError) throw cause;
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw new RunDocumentError({ path, problem: `cannot be read${code}`, cause });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RunDocumentError({ path, problem: "is no UTF-8 text" });
  }
}
