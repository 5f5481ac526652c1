import type { EventPipe } from "../../runtime/pipe.ts";
import type { Invoke } from "../../values/builtin.ts";
import type { Message } from "../../values/message.ts";
import type { ModelTool } from "../client.ts";
import { callModel, type CallSettings, type ModelReply } from "../call.ts";
import { selectEndpoint, type EndpointLike, type ModelRequest, type Telemetry } from "../endpoint.ts";
import { askUntilAccepted, type RepairSettings } from "./attempts.ts";
import { decodeReply } from "./decode.ts";
import type { ActionSet, Rejection, ValidAction } from "./validate.ts";

/** Is told of every call of the model, and what came of it. */
export interface CallWatch {
  /** @param nativeTools - What is offered natively; undefined with the JSON protocol. */
  readonly asked: (nativeTools: readonly ModelTool[] | undefined) => void;
  readonly replied: (reply: ModelReply) => void;
  /** The reply was one that the conversation goes on with. */
  readonly accepted: () => void;
  readonly failed: (error: unknown) => void;
}

/** What {@link completeAction} needs. */
export interface ActionCompletion
  extends Omit<CallSettings, "onDelta" | "startReplacementStream">, RepairSettings {
  readonly pipe?: EventPipe | undefined;
  readonly endpoint: EndpointLike;
  /**
   * What the model is shown, asked for at every try: the conversation and these repair messages, truncation applied.
   * What it throws ends the completion.
   */
  readonly request: (repairs: readonly Message[]) => ModelRequest;
  readonly actions: ActionSet;
  readonly watch?: CallWatch | undefined;
}

/** The model's next actions. */
export interface CompletedAction {
  /** In the order in which the model wants them; one with the JSON protocol, one or more with native tools. */
  readonly actions: readonly ValidAction[];
  readonly invokes: readonly Invoke[];
  /** How many replies it took. */
  readonly calls: number;
  /** Tokens summed over all replies. */
  readonly telemetry: Telemetry;
}

/**
 * Asks a model for its next action until the reply is one. A route is asked anew at every try.
 *
 * @throws {@link LLMOutputFormatError} (`core/llm-output-format`) when no try gave an action; what the endpoint throws,
 * at once; `signal.reason` when the signal fired.
 */
export async function completeAction(options: ActionCompletion): Promise<CompletedAction> {
  const { actions, pipe, watch } = options;
  let isNative = false;
  const { accepted, calls, telemetry } = await askUntilAccepted({
    pipe,
    tries: options.tries,
    includeRawResponseInReprompt: options.includeRawResponseInReprompt,
    onReply: options.onReply,
    ask: (repairs) => {
      const endpoint = selectEndpoint(options.endpoint);
      isNative = endpoint.protocol === "tools";
      const request = options.request(repairs);
      const isHeard = pipe?.isListening === true;
      if (isHeard) pipe.dropStream();
      const settings = isHeard ? { ...options, ...streamTo(pipe) } : options;
      if (watch === undefined) return callModel(endpoint, request, actions, settings);
      watch.asked(isNative ? actions.nativeTools : undefined);
      return watched(() => callModel(endpoint, request, actions, settings), watch);
    },
    read: (reply) => {
      const read = readActions(reply, actions, isNative, pipe);
      if ("accepted" in read) watch?.accepted();
      return read;
    },
  });
  return { actions: accepted, invokes: accepted.map(({ invoke }) => invoke), calls, telemetry };
}

function watched(
  call: () => ModelReply | Promise<ModelReply>,
  watch: CallWatch,
): ModelReply | Promise<ModelReply> {
  const replied = (reply: ModelReply): ModelReply => {
    watch.replied(reply);
    return reply;
  };
  const failed = (error: unknown): never => {
    watch.failed(error);
    throw error;
  };
  let answer: ModelReply | Promise<ModelReply>;
  try {
    answer = call();
  } catch (error) {
    return failed(error);
  }
  return answer instanceof Promise ? answer.then(replied, failed) : replied(answer);
}

/** Streams a reply to a run; an attempt that replaces another begins a stream of its own, at its first piece. */
export function streamTo(
  pipe: EventPipe,
): Required<Pick<CallSettings, "onDelta" | "startReplacementStream">> {
  return {
    onDelta: (text) => {
      pipe.delta(text);
    },
    startReplacementStream: () => {
      pipe.dropStream();
    },
  };
}

/**
 * The actions of a reply, or why it has none.
 *
 * @param isNative - Whether the model was given native tools. It may still write its call as text.
 */
export function readActions(
  reply: ModelReply,
  actions: ActionSet,
  isNative: boolean,
  pipe: EventPipe | undefined,
): { readonly accepted: readonly ValidAction[] } | Rejection {
  if (reply.toolCalls.length > 0) return readNativeCalls(reply, actions);
  const decoded = readObject(reply, pipe);
  const validated = "problem" in decoded ? decoded : actions.validate(decoded.fields, reply.telemetry);
  if (!("problem" in validated)) return { accepted: [validated] };
  return isNative
    ? { problem: validated.problem, text: "The reply calls no tool", hint: nativeHint }
    : validated;
}

const nativeHint = "Call one of the tools you have, with arguments that fit its schema.";

/** Native calls, all of them or none: a reply of which only a part was done would be hard to repair. */
function readNativeCalls(
  { toolCalls, telemetry }: ModelReply,
  actions: ActionSet,
): { readonly accepted: readonly ValidAction[] } | Rejection {
  const accepted: ValidAction[] = [];
  for (const call of toolCalls) {
    // A tool without arguments may be called with nothing at all.
    const given = decodeReply(call.arguments.trim() === "" ? "{}" : call.arguments);
    if ("problem" in given) {
      const text = `The arguments of \`${call.name.slice(0, 100)}\` are no JSON object`;
      return { problem: "json", text, hint: nativeHint };
    }
    const { action: _, ...fields } = given.fields;
    // The tokens of one reply are counted once.
    const { endpoint, model } = telemetry;
    const told = accepted.length === 0 ? telemetry : { endpoint, model };
    const validated = actions.validate({ action: call.name, ...fields }, told);
    if ("problem" in validated) return { ...validated, hint: nativeHint };
    accepted.push(validated);
  }
  return { accepted };
}

/** The JSON object of a reply; what stood around it is reported without its text. */
export function readObject(
  reply: ModelReply,
  pipe: EventPipe | undefined,
): { readonly fields: Readonly<Record<string, unknown>> } | Rejection {
  const decoded = decodeReply(reply.text);
  if ("problem" in decoded) return { problem: "json", text: decoded.problem };
  if (decoded.droppedChars > 0) {
    pipe?.runtime("llm", "succeeded", "debug", "Text before the object of a reply was left out", {
      dropped_chars: decoded.droppedChars,
    });
  }
  if (decoded.hasSecondValue) {
    pipe?.runtime("llm", "succeeded", "warning", "A reply held a second JSON value, which was ignored");
  }
  return decoded;
}
