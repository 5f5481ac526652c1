import { systemClock, type Clock } from "../runtime/clock.ts";
import { callText } from "./call-text.ts";
import { CallObserver } from "./call-observer.ts";
import { classifyError } from "./classify.ts";
import type { ModelTool, ModelToolCall } from "./client.ts";
import {
  selectEndpoint,
  type ConcreteEndpoint,
  type EndpointLike,
  type ModelRequest,
  type Telemetry,
} from "./endpoint.ts";
import { LLMClientError } from "./errors.ts";
import type { Scrubber } from "./chat-request.ts";
import { priced } from "./prices.ts";
import { callProvider } from "./provider-call.ts";
import type { RetrySettings } from "./retry.ts";
import type { Message } from "../values/message.ts";
import { MockReply, type MockAnswer, type MockLLMEndpoint } from "./mock.ts";
import { throwIfGivenUp, waitFor, type WaitLimits } from "./wait.ts";

/** A model's whole reply. */
export interface ModelReply {
  readonly text: string;
  /** Native tool calls; empty unless native tools were offered. */
  readonly toolCalls: readonly ModelToolCall[];
  readonly telemetry: Telemetry;
}

/** The tools that a model may call. */
export interface ModelOffer {
  readonly names: readonly string[];
  /** Read only when the endpoint takes native tools. */
  readonly nativeTools: readonly ModelTool[];
}

/** How a call is made. `timeoutMs` is for each attempt; a call that runs out of it is not made again. */
export interface CallSettings extends Omit<WaitLimits, "operation">, RetrySettings {
  /** Gets the reply's text in pieces as it comes. */
  readonly onDelta?: ((text: string) => void) | undefined;
  /**
   * Called before an attempt that replaces one of which pieces were already delivered. Without it such an attempt is
   * not made.
   */
  readonly startReplacementStream?: (() => void | Promise<void>) | undefined;
  /** The last word on what is sent; may leave out images. */
  readonly scrubber?: Scrubber | undefined;
}

const noCalls: readonly ModelToolCall[] = Object.freeze([]);
const mockPieceLength = 24;

/** Asks an endpoint. A scripted one answers at once unless its script makes a promise. */
export function callModel(
  endpoint: ConcreteEndpoint,
  request: ModelRequest,
  offer: ModelOffer | undefined,
  settings: CallSettings,
): ModelReply | Promise<ModelReply> {
  return endpoint.type === "mock"
    ? callMock(endpoint, request, offer, settings)
    : callProvider(endpoint, request, offer, settings);
}

/** What {@link callLlmApi} needs. */
export interface LlmCall extends CallSettings {
  readonly endpoint: EndpointLike;
  /** Sent as they are, without truncation. At least one. */
  readonly messages: readonly Message[];
}

/**
 * Asks a model once and gives its text as it came: the layer below {@link getCompletion}, without truncation, decoding
 * and repair.
 *
 * @param options.pipe - Gets the call's events, and gives it up when the run is cancelled or interrupted.
 * @returns The text, and what the provider says of the call.
 * @throws {@link LLMClientError} (`core/llm-client`) when the call cannot be made; the provider's failure as one of the
 * other `core/llm-` errors; `signal.reason` when the signal fired; what the client's build throws, as it is.
 */
export async function callLlmApi(
  options: LlmCall,
): Promise<{ readonly text: string; readonly telemetry: Telemetry }> {
  const { endpoint, messages } = options;
  checkMessages(messages);
  const request = { messages, recall: () => messages };
  const { text, telemetry } = await callModel(selectEndpoint(endpoint), request, undefined, options);
  return { text, telemetry };
}

/** Refuses what is no list of messages, and an empty one. */
export function checkMessages(messages: unknown): void {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new LLMClientError("A model call needs `messages`, at least one");
  }
}

/** Asks a scripted endpoint. Answers at once unless the script makes a promise. */
export function callMock(
  endpoint: MockLLMEndpoint,
  request: ModelRequest,
  offer: ModelOffer | undefined,
  settings: CallSettings,
): ModelReply | Promise<ModelReply> {
  const { pipe, clock = systemClock } = settings;
  throwIfGivenUp(settings);
  const observer = pipe?.isListening === true ? observe(endpoint, request, settings, clock) : undefined;
  try {
    const answer = endpoint.answer(request, offer);
    if (answer instanceof Promise) return finishLater(answer, endpoint, offer, settings, observer);
    return finish(answer, endpoint, offer, settings, observer);
  } catch (error) {
    observer?.failed(error, settings);
    throw error;
  }
}

async function finishLater(
  answer: Promise<MockAnswer>,
  endpoint: MockLLMEndpoint,
  offer: ModelOffer | undefined,
  settings: CallSettings,
  observer: CallObserver | undefined,
): Promise<ModelReply> {
  try {
    return finish(await waitFor(answer, settings), endpoint, offer, settings, observer);
  } catch (error) {
    observer?.failed(error, settings);
    throw error;
  }
}

function finish(
  answer: MockAnswer,
  endpoint: MockLLMEndpoint,
  offer: ModelOffer | undefined,
  settings: CallSettings,
  observer: CallObserver | undefined,
): ModelReply {
  throwIfGivenUp(settings);
  if (answer instanceof Error) throw classifyError(answer);
  const reply = replyOf(answer, endpoint, offer);
  if (settings.onDelta !== undefined) deliver(reply.text + callText(reply.toolCalls), settings.onDelta);
  observer?.succeeded({ responseChars: reply.text.length, ...reply.telemetry });
  return reply;
}

function observe(
  endpoint: MockLLMEndpoint,
  { messages }: ModelRequest,
  { pipe, onDelta, timeoutMs }: CallSettings,
  clock: Clock,
): CallObserver | undefined {
  if (pipe === undefined) return undefined;
  return new CallObserver(pipe, clock, {
    endpoint: endpoint.apiName,
    model: endpoint.modelName,
    messages,
    outputFormat: "mock",
    stream: onDelta !== undefined,
    timeoutMs,
  });
}

function replyOf(answer: MockAnswer, endpoint: MockLLMEndpoint, offer: ModelOffer | undefined): ModelReply {
  const { content, usage, toolCalls } =
    answer instanceof MockReply ? answer : { content: answer, usage: {}, toolCalls: noCalls };
  const telemetry = priced(usage, endpoint.prices);
  const isNative = offer !== undefined && endpoint.protocol === "tools" && toolCalls.length === 0;
  if (isNative && typeof content === "object") {
    const given: readonly unknown[] = Array.isArray(content) ? content : [content];
    const calls = given.map((call, index) =>
      nativeCall(call, `call_${endpoint.requests.length}_${index + 1}`),
    );
    if (calls.every((call) => call !== undefined)) return { text: "", toolCalls: calls, telemetry };
  }
  return { text: typeof content === "string" ? content : JSON.stringify(content), toolCalls, telemetry };
}

/** An object with an `action`, as a native call of that tool; undefined for anything else. */
function nativeCall(given: unknown, id: string): ModelToolCall | undefined {
  if (typeof given !== "object" || given === null || !("action" in given)) return undefined;
  const { action, ...rest } = given;
  return typeof action === "string" ? { id, name: action, arguments: JSON.stringify(rest) } : undefined;
}

function deliver(text: string, onDelta: (text: string) => void): void {
  // By characters, not code units: a piece must not end inside a pair.
  const characters = Array.from(text);
  for (let start = 0; start < characters.length; start += mockPieceLength) {
    onDelta(characters.slice(start, start + mockPieceLength).join(""));
  }
}
