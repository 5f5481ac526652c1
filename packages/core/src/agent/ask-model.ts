import { LimitReachedError } from "../errors.ts";
import { completeAction } from "../llm/completion/complete-action.ts";
import type { Telemetry } from "../llm/endpoint.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import { ERROR_RETRY } from "../truncation/policy.ts";
import { errorMessage, type Message } from "../values/message.ts";
import type { AnyValue } from "../values/value.ts";
import type { AgentModel, CompiledAgent } from "./compiled.ts";
import type { EffectiveLimits } from "./limits.ts";
import type { RunState } from "./run-state.ts";

/** What the model is asked with. */
export interface AskParts {
  readonly agent: CompiledAgent;
  readonly state: RunState;
  readonly pipe: EventPipe;
  readonly limits: EffectiveLimits;
  readonly append: (message: Message) => void;
}

/**
 * Asks the model for the next action, or actions.
 *
 * @throws {@link LimitReachedError} (`core/limit-reached`) when a limit on calls, tokens, cost or repeats is passed; what
 * the completion throws is passed on.
 */
export async function askModel({
  agent,
  state,
  pipe,
  limits,
  append,
}: AskParts): Promise<readonly AnyValue[]> {
  const { model } = agent;
  if (model === undefined) throw new Error("An agent without a model has no prompter");
  const { tally, view } = state;
  watchRepeats(state, limits, append);
  const { actions } = await completeAction({
    endpoint: model.endpoint,
    actions: state.reach.actions,
    pipe,
    watch: state.outside,
    request: (repairs) => {
      if (tally.llmCalls >= limits.llmCalls)
        throw new LimitReachedError({ limit: "llmCalls", allowed: limits.llmCalls });
      return { messages: view.current(repairs), recall: view.recall(repairs) };
    },
    onReply: (telemetry, replyChars) => {
      countCall(state, telemetry, { prompt: promptTokens(model, state), reply: Math.ceil(replyChars / 4) });
      checkSpending(state, limits);
    },
  });
  view.shown();
  for (const { invoke, input } of actions) state.prepared.set(invoke, input);
  return actions.map(({ invoke }) => invoke);
}

/** The tokens of what the model is sent now, native tools included, at four characters a token. */
export function promptTokens(model: AgentModel | undefined, { view, reach }: RunState): number {
  return view.tokenEstimate + (model?.isNative === true ? reach.actions.nativeTokens : 0);
}

/** Counts a call of a model; what its provider does not say of it is estimated. */
export function countCall(
  { tally }: RunState,
  { tokenInput, tokenOutput, costUsd }: Telemetry,
  estimated: { readonly prompt: number; readonly reply: number },
): void {
  tally.llmCalls += 1;
  tally.tokensIn += tokenInput ?? estimated.prompt;
  tally.tokensOut += tokenOutput ?? estimated.reply;
  if (costUsd === undefined) return;
  tally.costUsd += costUsd;
  tally.isPriced = true;
}

/** Refuses to go on when the calls so far cost more than the limits allow. */
export function checkSpending({ tally }: RunState, limits: EffectiveLimits): void {
  if (tally.tokensIn + tally.tokensOut > limits.tokens)
    throw new LimitReachedError({ limit: "tokens", allowed: limits.tokens });
  if (tally.costUsd > limits.costUsd)
    throw new LimitReachedError({ limit: "costUsd", allowed: limits.costUsd });
}

/** Tells the model once that it goes in circles; the next round of the same ends the run. */
function watchRepeats(state: RunState, limits: EffectiveLimits, append: (message: Message) => void): void {
  const times = state.repeats.close(state.messages);
  if (times < limits.repeats) return;
  if (times > limits.repeats) {
    throw new LimitReachedError({
      limit: "repeats",
      allowed: limits.repeats,
      detail: "the model made the same call with the same outcome again",
    });
  }
  append(
    errorMessage(
      `You made the same call with the same outcome ${times} times running. Do something else, or stop; once more ends the run.`,
      {
        truncation: ERROR_RETRY,
      },
    ),
  );
}
