import type { ModelTool } from "../llm/client.ts";
import type { ModelRequest, Protocol } from "../llm/endpoint.ts";
import {
  LLMAuthError,
  LLMCallCancelledError,
  LLMCallInterruptedError,
  LLMCallTimeoutError,
  LLMContextLimitExceededError,
  LLMInsufficientFundsError,
  LLMProviderRequestError,
  LLMProviderUnavailableError,
  LLMRateLimitExceededError,
  LLMUnknownProviderError,
} from "../llm/errors.ts";
import { MockLLMEndpoint, MockScriptError, type MockReply } from "../llm/mock.ts";
import { toolDigests, type RecordedFailure } from "../runtime/journal/outside.ts";
import type { EndedRecord, StepRecord } from "../runtime/journal/record.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { ConversationView } from "../truncation/view.ts";
import type { Message } from "../values/message.ts";
import { isSameMessage, messageDifference, type SameMessage } from "./difference.ts";
import { ReplayDivergedError, type ReplayDifference } from "./errors.ts";
import {
  acceptedMessage,
  hasAcceptedCall,
  readRecording,
  type KnownCall,
  type Recording,
} from "./recording.ts";

/** How strictly a replay is compared. */
export interface ReplayOptions {
  /** Lets messages pass that differ and are meant to, such as those with a time in them. */
  readonly isSame?: SameMessage | undefined;
}

/**
 * An endpoint that answers with what a recorded run was answered, and compares every request with the recorded one: the
 * conversation as the model was shown it, and native tools. Answers, repairs, tokens and failures come in the recorded
 * order; the first request that differs fails with {@link ReplayDivergedError} (`core/replay-diverged`), which says at
 * which step and how.
 *
 * It replays the agent's own model. A tool that asks a model itself asks it also in a replay, unless it does so within
 * `context.once`, and `replayRun` plays the run.
 */
export class ReplayEndpoint extends MockLLMEndpoint {
  override readonly assertUsedUp: () => void;

  /** @internal Use {@link ReplayEndpoint.fromRun}. */
  constructor(
    recording: Recording,
    {
      isSame,
      protocol,
      note,
    }: ReplayOptions & { readonly protocol?: Protocol; readonly note?: NoteDivergence },
  ) {
    const player = new CallPlayer(recording, isSame, note);
    const { calls } = recording;
    // Where nobody was asked, today's agent says how it would ask.
    const isNative = calls.length === 0 ? protocol === "tools" : calls.some(({ tools }) => tools !== null);
    super(({ messages, nativeTools }) => player.answer({ messages, nativeTools }), {
      apiName: "replay",
      modelName: recording.opened.agentName,
      protocol: isNative ? "tools" : "json",
    });
    this.assertUsedUp = () => {
      player.assertUsedUp();
    };
  }

  /**
   * The endpoint of a run in a journal.
   *
   * @throws {@link UnknownRunError} (`core/unknown-run`); {@link JournalDamagedError} (`core/journal-damaged`).
   */
  static async fromRun(
    store: JournalStore,
    runId: string,
    options: ReplayOptions = {},
  ): Promise<ReplayEndpoint> {
    return new ReplayEndpoint(await readRecording(store, runId), options);
  }
}

/** Told of a difference; gives the first of the replay. */
export type NoteDivergence = (error: ReplayDivergedError) => ReplayDivergedError;

/** Gives one recorded answer after another, and keeps the recorded conversation beside it. */
class CallPlayer {
  readonly #recording: Recording;
  readonly #isSame: SameMessage | undefined;
  readonly #note: NoteDivergence;
  readonly #view = new ConversationView();
  /** Messages of today that were found to be the recorded ones. */
  readonly #known = new WeakMap<Message, Message>();
  #next = 0;
  /** How many steps the view holds, and how many messages of the one after. */
  #steps = 0;
  #within = 0;
  #history: number;

  constructor(
    recording: Recording,
    isSame: SameMessage | undefined,
    note: NoteDivergence = (error) => error,
  ) {
    this.#recording = recording;
    this.#isSame = isSame;
    this.#note = note;
    const { base } = recording.opened;
    this.#view.reset(base?.messages ?? [], base?.showings);
    this.#history = base?.messages.length ?? 0;
  }

  answer({
    messages,
    nativeTools,
  }: Pick<ModelRequest, "messages"> & { readonly nativeTools: readonly ModelTool[] | null }): MockReply {
    const call = this.#recording.calls[this.#next];
    if (call === undefined) {
      const today = `call ${this.#next + 1}`;
      throw this.#diverged(this.#recording.steps.length + 1, {
        kind: "end",
        what: "the model is asked once more than it was",
        recorded: `${this.#next} calls`,
        today,
      });
    }
    this.#next += 1;
    this.#advanceTo(call);
    this.#compare(call, messages);
    this.#compareTools(call, nativeTools);
    if ("failure" in call.outcome) throw failureFrom(call.outcome.failure);
    return call.outcome.reply;
  }

  assertUsedUp(): void {
    const { length } = this.#recording.calls;
    if (this.#next < length)
      throw new MockScriptError(
        `The recorded run asked its model ${length} times, this one ${this.#next} times`,
      );
  }

  #compare(call: KnownCall, today: readonly Message[]): void {
    const recorded = this.#view.current(call.repairs);
    const length = Math.max(recorded.length, today.length);
    for (let index = 0; index < length; index += 1) {
      const [was, is] = [recorded[index], today[index]];
      if (was !== undefined && is !== undefined) {
        if (this.#known.get(is) === was) continue;
        if (isSameMessage(was, is, this.#isSame)) {
          this.#known.set(is, was);
          continue;
        }
      }
      const where = `message ${index + 1} of the request`;
      throw this.#diverged(call.step, messageDifference("request", where, was, is));
    }
  }

  #compareTools({ tools, step }: KnownCall, offered: readonly ModelTool[] | null): void {
    if (tools === null || offered === null) return;
    const now = toolDigests(offered);
    for (const name of new Set([...Object.keys(tools), ...Object.keys(now)])) {
      if (tools[name] === now[name]) continue;
      const said = (digest: string | undefined): string | null =>
        digest === undefined ? null : `offered as ${digest}`;
      throw this.#diverged(step, {
        kind: "tools",
        what: `the tool \`${name}\`, as the model is offered it`,
        recorded: said(tools[name]),
        today: said(now[name]),
      });
    }
  }

  /** Brings the recorded conversation to where a call was made. */
  #advanceTo({ step, history }: KnownCall): void {
    while (this.#steps < step - 1) this.#take(this.#recording.steps[this.#steps], Infinity);
    this.#take(this.#recording.steps[this.#steps] ?? this.#recording.end, history);
  }

  /** Takes a record's messages into the view, up to a length of the history. */
  #take(record: StepRecord | EndedRecord | undefined, history: number): void {
    if (record === undefined) return;
    // Steps that change the history ask no model, and so are taken whole.
    for (const { from, to, messages } of record.type === "step" && this.#within === 0
      ? record.replacements
      : []) {
      this.#view.replace({ from, to }, messages);
      this.#history += messages.length - (to - from);
    }
    const accepted = hasAcceptedCall(record) ? acceptedMessage(record) : undefined;
    const messages = (record.messages ?? []).filter(({ isRepair }) => isRepair !== true);
    for (; this.#within < messages.length && this.#history < history; this.#within += 1) {
      const message = messages[this.#within]?.message;
      if (message === undefined) continue;
      if (message === accepted) this.#view.shown();
      this.#view.append(message);
      this.#history += 1;
    }
    if (history !== Infinity) return;
    this.#steps += 1;
    this.#within = 0;
  }

  #diverged(step: number, difference: ReplayDifference): ReplayDivergedError {
    return this.#note(new ReplayDivergedError({ runId: this.#recording.runId, step, difference }));
  }
}

type FailureClass = new (failure: {
  readonly message: string;
  readonly status?: number | undefined;
}) => Error;

const providerErrors: ReadonlyMap<string, FailureClass> = new Map<string, FailureClass>([
  ["core/llm-auth", LLMAuthError],
  ["core/llm-context-limit", LLMContextLimitExceededError],
  ["core/llm-insufficient-funds", LLMInsufficientFundsError],
  ["core/llm-provider-request", LLMProviderRequestError],
  ["core/llm-provider-unavailable", LLMProviderUnavailableError],
  ["core/llm-rate-limit", LLMRateLimitExceededError],
  ["core/llm-unknown-provider", LLMUnknownProviderError],
]);

/** The error that a call failed with, but for its text, which was not kept. */
function failureFrom({ name, code = "", status, timeoutMs = 0 }: RecordedFailure): Error {
  const message = `The recorded call failed with ${name}`;
  const Provider = providerErrors.get(code);
  if (Provider !== undefined) return new Provider({ message, status });
  switch (code) {
    case "core/llm-call-interrupted":
      return new LLMCallInterruptedError();
    case "core/llm-call-timeout":
      return new LLMCallTimeoutError({ timeoutMs });
    case "core/llm-call-cancelled":
      return new LLMCallCancelledError();
    default:
      return Object.assign(new Error(message), { name });
  }
}
