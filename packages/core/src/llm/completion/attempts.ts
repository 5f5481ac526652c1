import type { EventPipe } from "../../runtime/pipe.ts";
import type { Message } from "../../values/message.ts";
import type { ModelReply } from "../call.ts";
import type { Telemetry } from "../endpoint.ts";
import { LLMClientError, LLMOutputFormatError, type ReplyProblem } from "../errors.ts";
import { repairMessage } from "./repair.ts";
import type { Rejection } from "./validate.ts";

/** How often a model is asked for one reply before it counts as failed. */
const defaultTries = 5;

/** How a reply is asked for again when it is not accepted. */
export interface RepairSettings {
  /** Gets the events, and the repair messages. */
  readonly pipe?: EventPipe | undefined;
  /** Default 5. */
  readonly tries?: number | undefined;
  /** Whether a repair message repeats the reply it is about. Default true. */
  readonly includeRawResponseInReprompt?: boolean | undefined;
  /** Told of every reply, also of one that is not accepted, with its length in characters, native calls included. */
  readonly onReply?: ((telemetry: Telemetry, replyChars: number) => void) | undefined;
}

/** One way to ask, and one to read the reply. */
export interface Attempts<T> extends RepairSettings {
  readonly ask: (repairs: readonly Message[]) => ModelReply | Promise<ModelReply>;
  readonly read: (reply: ModelReply) => { readonly accepted: T } | Rejection;
}

/** A reply that was accepted. */
export interface Accepted<T> {
  readonly accepted: T;
  /** How many replies it took. */
  readonly calls: number;
  /** Tokens and cost summed over all replies, as far as they are known. */
  readonly telemetry: Telemetry;
}

/**
 * Asks until a reply is accepted. Each one that is not is answered with a repair message, which goes to the pipe and to
 * the next try, and never into the conversation.
 *
 * @throws {@link LLMOutputFormatError} (`core/llm-output-format`) when no try was accepted.
 */
export async function askUntilAccepted<T>(attempts: Attempts<T>): Promise<Accepted<T>> {
  const { pipe, tries = defaultTries, includeRawResponseInReprompt = true } = attempts;
  if (!Number.isInteger(tries) || tries < 0) {
    throw new LLMClientError("`tries` is not a whole number of 0 or more");
  }
  const repairs: Message[] = [];
  let telemetry: Telemetry | undefined;
  let problem: ReplyProblem | null = null;
  try {
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const answer = attempts.ask(repairs);
      const reply = answer instanceof Promise ? await answer : answer;
      telemetry = telemetry === undefined ? reply.telemetry : sum(telemetry, reply.telemetry);
      attempts.onReply?.(reply.telemetry, charsOf(reply));
      const read = attempts.read(reply);
      if ("accepted" in read) return { accepted: read.accepted, calls: attempt, telemetry };
      problem = read.problem;
      const repair = repairMessage(read, includeRawResponseInReprompt ? reply : undefined);
      repairs.push(repair);
      // What was streamed belongs to the reply that was not accepted, not to the repair message.
      pipe?.dropStream();
      pipe?.message(repair);
    }
  } catch (error) {
    // What was streamed of a reply that never ended belongs to no message.
    pipe?.dropStream();
    throw error;
  }
  throw new LLMOutputFormatError({ tries, problem });
}

function charsOf({ text, toolCalls }: ModelReply): number {
  return toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, text.length);
}

function sum(first: Telemetry, second: Telemetry): Telemetry {
  return {
    endpoint: second.endpoint,
    model: second.model,
    tokenInput: add(first.tokenInput, second.tokenInput),
    tokenOutput: add(first.tokenOutput, second.tokenOutput),
    tokenCached: add(first.tokenCached, second.tokenCached),
    costUsd: add(first.costUsd, second.costUsd),
  };
}

function add(first: number | undefined, second: number | undefined): number | undefined {
  return first === undefined ? second : first + (second ?? 0);
}
