import { createHash } from "node:crypto";

import type { RunState } from "../../agent/run-state.ts";
import type { StoredValue } from "../../agent/snapshot.ts";
import { storeValue } from "../../agent/stored-value.ts";
import { RunFailedError, UserInputUnavailableError } from "../../errors.ts";
import type { ModelTool, ModelToolCall, TokenUsage } from "../../llm/client.ts";
import type { ModelReply } from "../../llm/call.ts";
import type { CallWatch } from "../../llm/completion/complete-action.ts";
import { isValue } from "../../values/value.ts";
import type { AskOptions, UserIo } from "../user-io.ts";

/** A call of the model. What it was asked, and what it replied when that was accepted, the conversation holds already. */
export interface RecordedCall {
  readonly type: "call";
  /** How many messages the history had. */
  readonly history: number;
  /** The native tools that were offered, each with a digest; only where they are not those of the call before. */
  readonly tools?: Readonly<Record<string, string>> | undefined;
  /** A reply that was not accepted, as it came. */
  readonly reply?: {
    readonly text: string;
    readonly toolCalls?: readonly ModelToolCall[] | undefined;
    readonly usage?: TokenUsage | undefined;
  };
  /** What the call failed with: never its text. */
  readonly failure?: RecordedFailure;
}

/** A failure, as far as it may be kept. */
export interface RecordedFailure {
  readonly name: string;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A question of a tool to the user, and the answer; null for none in time. */
export interface RecordedAnswer {
  readonly type: "answer";
  readonly question: string;
  readonly answer: StoredValue | null;
  /** Why nobody could be asked, though the channel had seemed live. */
  readonly unavailable?: string | undefined;
}

/** The reply that the run had waited for. */
export interface RecordedReply {
  readonly type: "reply";
  /** Its kind, where it came as a value. */
  readonly kind?: string | undefined;
  readonly reply: unknown;
}

/** What reached a step from outside of the run, in the order in which it came. */
export type JournalOutside = RecordedCall | RecordedAnswer | RecordedReply;

/** Gathers what reaches a run from outside, for the record of the step under way. */
export class OutsideLog implements CallWatch {
  readonly #state: RunState;
  #entries: JournalOutside[] = [];
  #toolsBefore: readonly ModelTool[] | undefined;

  constructor(state: RunState) {
    this.#state = state;
  }

  /** What came since, and nothing of it twice. */
  take(): readonly JournalOutside[] {
    const entries = this.#entries;
    this.#entries = [];
    return entries;
  }

  asked(nativeTools: readonly ModelTool[] | undefined): void {
    const history = this.#state.messages.length;
    const isSame = nativeTools === this.#toolsBefore;
    this.#toolsBefore = nativeTools;
    if (nativeTools === undefined || isSame) this.#entries.push({ type: "call", history });
    else this.#entries.push({ type: "call", history, tools: toolDigests(nativeTools) });
  }

  replied({ text, toolCalls, telemetry }: ModelReply): void {
    const { tokenInput, tokenOutput, tokenCached } = telemetry;
    const isBilled = tokenInput !== undefined || tokenOutput !== undefined;
    this.#complete({
      reply: {
        text,
        ...(toolCalls.length === 0 ? undefined : { toolCalls }),
        ...(isBilled ? { usage: { tokenInput, tokenOutput, tokenCached } } : undefined),
      },
    });
  }

  /** The reply becomes a message, which is recorded. */
  accepted(): void {
    this.#complete({});
  }

  failed(error: unknown): void {
    this.#complete({ failure: failureOf(error) });
  }

  answered(question: string, answer: unknown): void {
    this.#entries.push({ type: "answer", question, answer: isValue(answer) ? storeValue(answer) : null });
  }

  refused(question: string, error: unknown): void {
    if (error instanceof UserInputUnavailableError)
      this.#entries.push({ type: "answer", question, answer: null, unavailable: error.message });
  }

  replyTaken(reply: unknown): void {
    if (!isValue(reply)) this.#entries.push({ type: "reply", reply });
    else {
      const { kind, fields } = storeValue(reply);
      this.#entries.push({ type: "reply", kind, reply: fields });
    }
  }

  #complete(outcome: Pick<RecordedCall, "reply" | "failure">): void {
    const last = this.#entries.pop();
    if (last?.type !== "call") throw new Error("A reply came to no call");
    const { type, history, tools } = last;
    this.#entries.push({ type, history, ...(tools === undefined ? undefined : { tools }), ...outcome });
  }
}

/** The channel to the user, with a note of each answer, and of each question that nobody could be asked. */
export function recordedIo(io: UserIo, log: () => OutsideLog | undefined): UserIo {
  return {
    get isLive() {
      return io.isLive;
    },
    ask: async (question: string, options?: AskOptions) => {
      try {
        const answer = await io.ask(question, options);
        log()?.answered(question, answer);
        return answer;
      } catch (error) {
        log()?.refused(question, error);
        throw error;
      }
    },
    notify: (text) => io.notify(text),
  };
}

const digests = new WeakMap<readonly ModelTool[], Readonly<Record<string, string>>>();

/** What is offered, by name, short enough to be kept and compared. */
export function toolDigests(tools: readonly ModelTool[]): Readonly<Record<string, string>> {
  let known = digests.get(tools);
  if (known === undefined) {
    known = Object.fromEntries(
      tools.map((tool) => [
        tool.name,
        createHash("sha256").update(JSON.stringify(tool)).digest("hex").slice(0, 16),
      ]),
    );
    digests.set(tools, known);
  }
  return known;
}

function failureOf(error: unknown): RecordedFailure {
  // What a run makes of anything else that was thrown.
  if (!(error instanceof Error)) return { name: RunFailedError.name };
  const { name } = error;
  const fact = (key: string): unknown => Reflect.get(error, key);
  const [code, status, timeoutMs] = [fact("code"), fact("status"), fact("timeoutMs")];
  return {
    name,
    ...(typeof code === "string" ? { code } : undefined),
    ...(typeof status === "number" ? { status } : undefined),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : undefined),
  };
}
