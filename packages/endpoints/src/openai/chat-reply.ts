import { randomUUID } from "node:crypto";

import type { ChatChunk, ChatReply, ModelToolCall, ReplyFacts, TokenUsage, ToolCallPart } from "@roboz/core";

import { countField, field, jsonText, listField, textField } from "./json-fields.ts";
import { notExpected, reportedFailure, type Answer } from "./provider-failure.ts";

/**
 * Reads a whole chat completion, leniently: what is missing or of another type is left out.
 *
 * @throws ProviderCallError for a failure that a service reports inside a successful answer; ProviderProtocolError for an
 * answer without a choice.
 */
export function chatReply(body: unknown, answer: Answer): ChatReply {
  const choice = firstChoice(body, answer);
  if (choice === undefined) {
    throw notExpected("a chat completion", answer);
  }
  const message = field(choice, "message");
  return {
    ...replyFacts(body, choice, answer),
    text: contentOf(message) ?? null,
    toolCalls: listField(message, "tool_calls").map(wholeCall),
    reasoning: reasoningOf(message),
  };
}

/** Reads the pieces of one streamed completion. */
export class ChunkReader {
  readonly #answer: Answer;
  readonly #calls: { readonly wireIndex: number | undefined; id: string | undefined }[] = [];
  #isFinished = false;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** Whether a piece gave the reason for which the reply ended. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** @throws ProviderCallError for a failure that a service reports inside the stream. */
  read(piece: unknown): ChatChunk {
    const choice = firstChoice(piece, this.#answer);
    const facts = replyFacts(piece, choice, this.#answer);
    if (facts.finishReason !== undefined) this.#isFinished = true;
    const delta = field(choice, "delta");
    const calls = listField(delta, "tool_calls");
    return {
      text: contentOf(delta),
      reasoning: reasoningOf(delta),
      toolCalls: calls.length > 0 ? calls.map((call) => this.#part(call)) : undefined,
      ...facts,
    };
  }

  #part(part: unknown): ToolCallPart {
    const called = field(part, "function");
    const id = textField(part, "id");
    const name = textField(called, "name");
    const known = this.#calls.length;
    const index = this.#indexOf(countField(part, "index"), id, name);
    const call = this.#calls[index];
    if (call !== undefined) call.id ??= id;
    // A later part may still bring the service's own.
    const given = id ?? (index === known ? newCallId() : undefined);
    return { index, id: given, name, arguments: argumentsOf(called) };
  }

  /** The call that a part belongs to. Some services leave out the index, others give 0 to each of several calls. */
  #indexOf(wireIndex: number | undefined, id: string | undefined, name: string | undefined): number {
    const own = this.#calls.findLastIndex((call) => call.wireIndex === wireIndex && call.id === id);
    const known =
      id !== undefined && own !== -1
        ? own
        : this.#calls.findLastIndex((call) => call.wireIndex === wireIndex);
    const isOther =
      known === -1 ||
      (id !== undefined && this.#calls[known]?.id !== undefined && this.#calls[known].id !== id) ||
      (wireIndex === undefined && id === undefined && name !== undefined);
    return isOther ? this.#calls.push({ wireIndex, id }) - 1 : known;
  }
}

/** A whole reply as one piece, for a service that does not stream although it was asked to. */
export function wholeReplyChunk(body: unknown, answer: Answer): ChatChunk {
  const { toolCalls = [], ...reply } = chatReply(body, answer);
  return { ...reply, toolCalls: toolCalls.map((call, index) => ({ index, ...call })) };
}

/** The text of a message or of a piece of one. Some services give it in parts, next to others that are no text. */
function contentOf(message: unknown): string | undefined {
  const texts = listField(message, "content").flatMap((part) => textField(part, "text") ?? []);
  return texts.length > 0 ? texts.join("") : textField(message, "content");
}

/** The first choice; undefined when there is none. */
function firstChoice(body: unknown, answer: Answer): unknown {
  const choice = listField(body, "choices")[0];
  for (const holder of [body, choice]) {
    const error = field(holder, "error");
    if (error !== undefined && error !== null) throw reportedFailure(error, answer);
  }
  if (field(choice, "finish_reason") === "error") throw reportedFailure(undefined, answer);
  return choice;
}

function replyFacts(body: unknown, choice: unknown, answer: Answer): ReplyFacts {
  return {
    usage: usageOf(field(body, "usage")),
    finishReason: textField(choice, "finish_reason"),
    generationId: textField(body, "id"),
    requestId: requestIdOf(answer),
  };
}

function usageOf(usage: unknown): TokenUsage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  return {
    tokenInput: countField(usage, "prompt_tokens"),
    tokenOutput: countField(usage, "completion_tokens"),
    tokenCached: countField(field(usage, "prompt_tokens_details"), "cached_tokens"),
    tokenReasoning: countField(field(usage, "completion_tokens_details"), "reasoning_tokens"),
  };
}

/** The service's own name for a request; it goes into reports, where no key belongs. */
export function requestIdOf({ headers, mask }: Answer): string | undefined {
  for (const name of ["x-request-id", "request-id", "x-correlation-id"]) {
    const id = headers.get(name);
    if (id !== null && id !== "") return mask(id);
  }
  return undefined;
}

/** One representation of the reasoning: services send the same text in several. */
function reasoningOf(message: unknown): string | undefined {
  const plain = textField(message, "reasoning") ?? textField(message, "reasoning_content");
  if (plain !== undefined) return plain;
  const details = listField(message, "reasoning_details")
    .map((detail) => textField(detail, "text") ?? textField(detail, "summary"))
    .filter((text) => text !== undefined);
  return details.length > 0 ? details.join("") : undefined;
}

function wholeCall(call: unknown): ModelToolCall {
  const called = field(call, "function");
  return {
    id: textField(call, "id") ?? newCallId(),
    name: textField(called, "name") ?? "",
    arguments: argumentsOf(called) ?? "",
  };
}

/** For a call that came without an id: its result has to refer to one. */
function newCallId(): string {
  return `call_${randomUUID()}`;
}

/** The arguments as text; some services send them as an object. */
function argumentsOf(called: unknown): string | undefined {
  const given = field(called, "arguments");
  if (typeof given === "string") return given;
  return typeof given === "object" && given !== null ? jsonText(given) : undefined;
}
