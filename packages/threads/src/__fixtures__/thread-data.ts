import { threadRecordSchema, type AgentThreadRecord } from "../wire/thread.ts";
import { answer, type Step } from "./scripted-server.ts";

/** A thread as a server gives it. */
export function threadData(more: object = {}): Record<string, unknown> {
  return {
    thread_id: "ath_1",
    org_id: "og_1",
    created: "2026-01-01T00:00:00.000Z",
    created_by: "u1",
    status: "roboto_turn",
    continuation_token: "s0",
    messages: [],
    ...more,
  };
}

export function threadRecord(more: object = {}): AgentThreadRecord {
  return threadRecordSchema.parse(threadData(more));
}

export function message(role: string, content: readonly object[], status = "completed"): object {
  return { role, content, status, created: "2026-01-01T00:00:00.000Z" };
}

export function say(text: string): object {
  return { content_type: "text", text };
}

export function use(tool_name: string, tool_use_id: string, input: object | null = {}): object {
  return { content_type: "tool_use", tool_name, tool_use_id, input };
}

export function result(tool_name: string, tool_use_id: string, status = "success"): object {
  return {
    content_type: "tool_result",
    tool_name,
    tool_use_id,
    status,
    runtime_ms: 1,
    raw_response: { ok: 1 },
  };
}

let position = 0;

/** A delta as a server gives it, with a token of its own. */
export function deltaData(
  messages_by_idx: Record<number, object>,
  status: string | null,
  more: object = {},
): object {
  position += 1;
  return { messages_by_idx, continuation_token: `s${position}`, status, ...more };
}

/** The step that answers a poll, with another token each time. */
export function delta(messages: Record<number, object>, status: string | null, more: object = {}): Step {
  return (response, request) => answer(deltaData(messages, status, more))(response, request);
}

/** Every entry of a sequence that ends. */
export async function all<T>(sequence: AsyncIterable<T>): Promise<T[]> {
  const entries: T[] = [];
  for await (const entry of sequence) entries.push(entry);
  return entries;
}
