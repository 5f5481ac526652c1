import * as z from "zod";

import { countCall, checkSpending } from "../agent/ask-model.ts";
import { structuredOutputPrompt } from "../agent/prompt/structured-output.ts";
import { accessOf } from "../agent/run-access.ts";
import { callLlmApi } from "../llm/call.ts";
import { getCompletion, type CallLlmApi } from "../llm/completion/get-completion.ts";
import { selectEndpoint, type ConcreteEndpoint, type EndpointLike } from "../llm/endpoint.ts";
import { LLMClientError } from "../llm/errors.ts";
import type { ToolContext } from "../tools/context.ts";
import { NO_TRUNCATION } from "../truncation/policy.ts";
import { estimateConversationTokens } from "../truncation/view.ts";
import { assistantMessage, systemMessage, userMessage, type Message } from "../values/message.ts";

/** What {@link summarise} is given. */
export interface SummaryRequest {
  /** Who is asked; in JSON mode, by a copy. */
  readonly endpoint: EndpointLike;
  /** What the summary is for, and what it must hold. */
  readonly instructions: string;
  /** What is summarised: sent whole, however long. */
  readonly source: string;
  /** The longest summary, in characters (code points); without it the first one is taken. */
  readonly maxChars?: number | undefined;
  /** By how much a summary may be longer and still be taken; 15 by default. */
  readonly tolerancePercent?: number | undefined;
  /** For each call; none by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * That of the tool that asks: ends the calls, hears of them, and has them counted in its run's report. The run's limits of
   * tokens and cost hold for them; that of calls is for the agent's own model, which asks no more when they have used it up.
   */
  readonly context: ToolContext;
}

const maxAttempts = 3;

/** A blank summary would stand for everything it replaces, so it is asked for again like a reply that is no JSON. */
const summary = z.strictObject({ value: z.string().regex(/\S/, "must not be blank") });

/**
 * Has a model summarise a text. A summary that is too long is asked for again, twice at most; of three that are, the
 * shortest is given, whose length is for the caller to judge.
 *
 * @returns Never blank.
 * @throws {@link LLMClientError} (`core/llm-client`) for a budget or tolerance that is none; what {@link getCompletion}
 * throws; the reason of the context's signal.
 */
export async function summarise(request: SummaryRequest): Promise<string> {
  const { instructions, source, maxChars, tolerancePercent = 15, context } = request;
  checkBudget(maxChars, tolerancePercent);
  const emit = reporter(context);
  const ask = asker(request);
  const messages: Message[] = [
    systemMessage(promptFor(instructions, maxChars)),
    userMessage(source, { truncation: NO_TRUNCATION }),
  ];
  if (maxChars === undefined) return ask(messages);
  const accepted = Math.ceil((maxChars * (100 + tolerancePercent)) / 100);
  let shortest: { readonly text: string; readonly chars: number } | undefined;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const text = await ask(messages);
    const chars = characterCount(text);
    const counts = { attempt, chars, max_chars: maxChars, accepted_chars: accepted };
    if (chars <= accepted) {
      if (chars > maxChars)
        emit("succeeded", "info", "A summary is longer than asked for, and within tolerance", counts);
      return text;
    }
    emit("retrying", "warning", "A summary is too long", counts);
    if (shortest === undefined || chars < shortest.chars) shortest = { text, chars };
    messages.push(
      assistantMessage(JSON.stringify({ value: text }), { truncation: NO_TRUNCATION }),
      userMessage(
        `That is ${chars} characters, and at most ${maxChars} are allowed. Write it again, shorter: keep what matters most, and reply with the JSON object alone.`,
      ),
    );
  }
  const { text, chars } = shortest ?? { text: "", chars: 0 };
  const counts = { attempts: maxAttempts, chars, max_chars: maxChars, accepted_chars: accepted };
  emit("failed", "warning", "No summary was short enough; the shortest is given", counts);
  return text;
}

/** How many characters a text has, by code points. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0xd800 || code > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    count -= 1;
    index += 1;
  }
  return count;
}

function promptFor(instructions: string, maxChars: number | undefined): string {
  const length = maxChars === undefined ? "" : `\n\nWrite at most ${maxChars} characters.`;
  return structuredOutputPrompt({ prompt: `${instructions}${length}`, output: summary });
}

/** Asks once for a summary, as often as it takes to get one that is well-formed. */
function asker({
  endpoint,
  timeoutMs,
  context,
}: SummaryRequest): (messages: readonly Message[]) => Promise<string> {
  const run = accessOf(context);
  const { signal } = context;
  // With the pipe, the run hears of the call; without the completion's own, it is not shown the summary as it grows.
  const ask: CallLlmApi = (messages) =>
    callLlmApi({
      endpoint: inJsonMode(selectEndpoint(endpoint)),
      messages,
      signal,
      timeoutMs,
      pipe: run?.pipe,
    });
  return async (messages) => {
    const { value } = await getCompletion({
      callLlmApi: ask,
      messages,
      output: summary,
      onReply: (telemetry, replyChars) => {
        if (run === undefined) return;
        const prompt = estimateConversationTokens(messages);
        countCall(run.state, telemetry, { prompt, reply: Math.ceil(replyChars / 4) });
        checkSpending(run.state, run.limits);
      },
    });
    signal.throwIfAborted();
    return value;
  };
}

function inJsonMode(endpoint: ConcreteEndpoint): ConcreteEndpoint {
  return endpoint.type === "llm" ? endpoint.copy({ outputFormat: "json" }) : endpoint;
}

function checkBudget(maxChars: number | undefined, tolerancePercent: number): void {
  if (maxChars !== undefined && !(Number.isFinite(maxChars) && maxChars > 0))
    throw new LLMClientError("`maxChars` of a summary is not a number above 0; leave it out for no limit");
  if (!Number.isFinite(tolerancePercent) || tolerancePercent < 0)
    throw new LLMClientError("`tolerancePercent` of a summary is not a finite number of 0 or more");
}

function reporter({ emit }: ToolContext) {
  return (
    kind: "succeeded" | "retrying" | "failed",
    level: "info" | "warning",
    message: string,
    data: Readonly<Record<string, number>>,
  ): void => {
    emit({ type: "runtime", kind, level, message, data });
  };
}
