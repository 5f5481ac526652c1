import * as z from "zod";

import type { EventPipe } from "../../runtime/pipe.ts";
import type { AnyTool } from "../../tools/tool.ts";
import { toolState } from "../../tools/state.ts";
import { projectConversation } from "../../truncation/view.ts";
import type { Invoke } from "../../values/builtin.ts";
import type { Message } from "../../values/message.ts";
import { parseFields, type Parsed } from "../../values/parse.ts";
import { typeState, type AnyValueType, type Of } from "../../values/value.ts";
import { callModel, checkMessages, type CallSettings, type ModelOffer, type ModelReply } from "../call.ts";
import { selectEndpoint, type ConcreteEndpoint, type EndpointLike, type Telemetry } from "../endpoint.ts";
import { LLMClientError } from "../errors.ts";
import { throwIfGivenUp, waitFor } from "../wait.ts";
import { askUntilAccepted, type RepairSettings } from "./attempts.ts";
import { readActions, readObject, streamTo } from "./complete-action.ts";
import { compileActions, metadataFrom, misfit, type Rejection } from "./validate.ts";

/** Asks a model in a way of its own; the messages are as the model is to see them. */
export type CallLlmApi = (
  messages: readonly Message[],
  options: {
    readonly onDelta?: ((text: string) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  },
) => CustomReply | Promise<CustomReply>;
/** The reply's text, alone or with what is known of the call. */
export type CustomReply = string | { readonly text: string; readonly telemetry?: Telemetry | undefined };

/** Who is asked: an endpoint, or a function. */
export type CompletionSource =
  | { readonly endpoint: EndpointLike; readonly callLlmApi?: undefined }
  | { readonly callLlmApi: CallLlmApi; readonly endpoint?: undefined };

/** What every completion may say. */
export interface CompletionSettings extends CallSettings, RepairSettings {
  readonly pipe?: EventPipe | undefined;
  /** The conversation; not changed. At least one message. */
  readonly messages: readonly Message[];
  /** What of the conversation is sent, at every try; by default what the messages' own truncation says. */
  readonly truncate?: ((messages: readonly Message[]) => readonly Message[]) | undefined;
}

/** A completion whose reply is text, as it came. */
export type RawCompletion = CompletionSource &
  CompletionSettings & { readonly tools?: undefined; readonly output?: undefined };
/** A completion whose reply is an object that fits a schema. */
export type StructuredCompletion<O> = CompletionSource &
  CompletionSettings & { readonly tools?: readonly []; readonly output: O };
/** A completion whose reply calls one of some tools. */
export type ActionCompletionRequest = CompletionSource &
  CompletionSettings & { readonly tools: readonly AnyTool[]; readonly output?: undefined };

/** What a structured completion gives: a value of the type, or the object of a plain schema. */
export type CompletionOutput<O> = O extends z.ZodType ? z.output<O> : Of<O>;

/**
 * Asks a model once, outside of any run.
 *
 * With neither `tools` nor `output` the reply's text comes back exactly as the model sent it, after one call. With
 * `output` it is one JSON object that fits the type or schema; with `tools` a call of one of them, the first when a reply holds several. Replies that do not fit
 * are repaired, by up to `tries` calls.
 *
 * @param options.endpoint - Who is asked; or `callLlmApi`, a function that asks. Exactly one of the two.
 * @param options.signal - Gives the call up; the promise then rejects with the signal's own reason.
 * @throws {@link LLMClientError} (`core/llm-client`) before anything runs, when there is no message, no or more than one
 * source, or both tools and an output; {@link LLMOutputFormatError} (`core/llm-output-format`) when no try gave a usable
 * reply; what the endpoint throws, such as {@link LLMAuthError}.
 */
export function getCompletion(options: RawCompletion): Promise<string>;
export function getCompletion<O extends AnyValueType | z.ZodObject>(
  options: StructuredCompletion<O>,
): Promise<CompletionOutput<O>>;
export function getCompletion(options: ActionCompletionRequest): Promise<Invoke>;
export async function getCompletion(options: AnyCompletion): Promise<unknown> {
  checkOptions(options);
  try {
    return await completed(options);
  } finally {
    // No message will follow under the name of what was streamed.
    options.pipe?.dropStream();
  }
}

type AnyCompletion = CompletionSource &
  CompletionSettings & {
    readonly tools?: readonly AnyTool[] | undefined;
    readonly output?: AnyValueType | z.ZodObject | undefined;
  };

async function completed(options: AnyCompletion): Promise<unknown> {
  const { tools, output } = options;
  if (output !== undefined) {
    const read = outputReader(output, options.pipe);
    return (await askUntilAccepted({ ...options, read, ask: asker(options) })).accepted;
  }
  if (tools === undefined) return (await asker(options)([])).text;

  const actions = compileActions(tools.map(stateOf));
  let isNative = false;
  const note = ({ protocol }: ConcreteEndpoint): void => {
    isNative = protocol === "tools";
  };
  const { accepted } = await askUntilAccepted({
    ...options,
    ask: asker(options, actions, note),
    read: (reply) => readActions(reply, actions, isNative, options.pipe),
  });
  return accepted[0]?.invoke;
}

function checkOptions({
  endpoint,
  callLlmApi,
  messages,
  tools = [],
  output,
}: Parameters<typeof asker>[0] & {
  readonly tools?: readonly AnyTool[] | undefined;
  readonly output?: unknown;
}): void {
  if ((endpoint === undefined) === (callLlmApi === undefined)) {
    throw new LLMClientError("A completion needs exactly one of `endpoint` and `callLlmApi`");
  }
  checkMessages(messages);
  if (tools.length > 0 && output !== undefined) {
    throw new LLMClientError("A completion takes `tools` or `output`, not both");
  }
}

function stateOf(tool: AnyTool): ReturnType<typeof toolState> & object {
  const state = toolState(tool);
  if (state === undefined)
    throw new LLMClientError("`tools` holds something that is no tool; a factory has to be bound");
  return state;
}

/** One way to ask, whoever is asked. */
function asker(
  options: CompletionSource & CompletionSettings,
  offer?: ModelOffer,
  onSelect?: (endpoint: ConcreteEndpoint) => void,
): (repairs: readonly Message[]) => ModelReply | Promise<ModelReply> {
  const { endpoint, callLlmApi, messages, pipe, truncate = projectConversation } = options;
  const isHeard = pipe?.isListening === true;
  const settings = isHeard && options.onDelta === undefined ? { ...options, ...streamTo(pipe) } : options;
  return (repairs) => {
    const all = repairs.length === 0 ? messages : [...messages, ...repairs];
    const shown = truncate(all);
    if (isHeard) pipe.dropStream();
    if (callLlmApi !== undefined) return askFunction(callLlmApi, shown, settings);
    const request = { messages: shown, recall: () => shown };
    const selected = selectEndpoint(endpoint);
    onSelect?.(selected);
    return callModel(selected, request, offer, settings);
  };
}

async function askFunction(
  callLlmApi: CallLlmApi,
  messages: readonly Message[],
  settings: CallSettings,
): Promise<ModelReply> {
  throwIfGivenUp(settings);
  const { onDelta, signal } = settings;
  const answer = await waitFor(Promise.resolve(callLlmApi(messages, { onDelta, signal })), settings);
  throwIfGivenUp(settings);
  const { text, telemetry = {} } = typeof answer === "string" ? { text: answer } : answer;
  return { text, telemetry, toolCalls: [] };
}

/** Reads a reply as an object of a type. */
function outputReader(
  output: AnyValueType | z.ZodObject,
  pipe: EventPipe | undefined,
): (reply: ModelReply) => { readonly accepted: unknown } | Rejection {
  const state = output instanceof z.ZodObject ? undefined : typeState(output);
  const parse = parserOf(output);
  return (reply) => {
    const decoded = readObject(reply, pipe);
    if ("problem" in decoded) return decoded;
    const parsed = parse(decoded.fields);
    if ("problem" in parsed) {
      return { problem: "schema", text: `The object does not fit: ${misfit(parsed.problem)}` };
    }
    const { fields } = parsed;
    return { accepted: state === undefined ? fields : state.adopt(fields, metadataFrom(reply.telemetry)) };
  };
}

function parserOf(output: AnyValueType | z.ZodObject): (fields: unknown) => Parsed {
  if (output instanceof z.ZodObject) return (fields) => parseFields("output", output, fields);
  const state = typeState(output);
  if (state === undefined) throw new LLMClientError("`output` must be a value type, or a zod object");
  return state.parse;
}
