import { randomUUID } from "node:crypto";

import type { Clock } from "../runtime/clock.ts";
import type { EventLevel, RuntimeEventKind } from "../runtime/events.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import type { Message } from "../values/message.ts";
import { errorKind } from "./classify.ts";
import { isLLMError, isProviderRequestError } from "./errors.ts";
import type { Retry } from "./retry.ts";
import type { WaitLimits } from "./wait.ts";

/** What a call says of itself when it starts. */
export interface CallFacts {
  readonly endpoint: string;
  readonly model: string;
  readonly messages: readonly Message[];
  readonly outputFormat: string;
  readonly stream: boolean;
  readonly timeoutMs?: number | undefined;
}

/** Reports one model call, all its attempts, to a run: identifiers and numbers only. */
export class CallObserver {
  readonly #pipe: EventPipe;
  readonly #clock: Clock;
  readonly #identity: { readonly callId: string; readonly endpoint: string; readonly model: string };
  readonly #startedAt: number;

  constructor(pipe: EventPipe, clock: Clock, facts: CallFacts) {
    this.#pipe = pipe;
    this.#clock = clock;
    this.#identity = { callId: randomUUID(), endpoint: facts.endpoint, model: facts.model };
    this.#startedAt = clock.now();
    this.#tell("started", "debug", "A model call started", {
      messageCount: facts.messages.length,
      messageChars: facts.messages.reduce((chars, { content }) => chars + content.length, 0),
      outputFormat: facts.outputFormat,
      stream: facts.stream,
      timeoutS: facts.timeoutMs === undefined ? undefined : facts.timeoutMs / 1000,
    });
  }

  retrying(facts: Retry & { readonly partialOutputAbandoned: boolean }): void {
    const { error, ...rest } = facts;
    this.#tell("retrying", "warning", "A model call is tried again", { ...rest, ...errorFacts(error) });
  }

  succeeded(facts: Readonly<Record<string, unknown>>): void {
    this.#tell("succeeded", "debug", "A model call succeeded", { durationMs: this.#duration(), ...facts });
  }

  /** A stream could not be closed; the call is not affected. */
  closeFailed(error: unknown): void {
    this.#tell("failed", "debug", "A stream could not be closed", { errorType: typeName(error) });
  }

  failed(error: unknown, { signal }: Pick<WaitLimits, "signal"> = {}): void {
    const facts = {
      ...errorFacts(error),
      ...(isReasonOf(signal, error) ? { errorKind: "cancelled" } : undefined),
    };
    const kind = failureKinds[facts.errorKind] ?? "failed";
    const level = isProviderRequestError(error) ? "warning" : "error";
    this.#tell(kind, level, `A model call ended: ${facts.errorKind}`, {
      durationMs: this.#duration(),
      ...facts,
    });
  }

  #duration(): number {
    return Math.round((this.#clock.now() - this.#startedAt) * 1000) / 1000;
  }

  #tell(
    kind: RuntimeEventKind,
    level: EventLevel,
    message: string,
    data: Readonly<Record<string, unknown>>,
  ): void {
    const facts: Record<string, unknown> = {};
    for (const [name, fact] of Object.entries<unknown>({ ...this.#identity, ...data }))
      if (fact !== undefined) facts[inSnakeCase(name)] = fact;
    this.#pipe.runtime("llm", kind, level, message, facts);
  }
}

/** Documents spell the names of facts in snake case, as they do all keys. */
function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const failureKinds: Readonly<Partial<Record<string, RuntimeEventKind>>> = {
  cancelled: "cancelled",
  interrupted: "interrupted",
  timeout: "timed_out",
};

function errorFacts(error: unknown): {
  readonly errorKind: string;
  readonly errorType: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
} {
  const facts = { errorKind: errorKind(error), errorType: typeName(error) };
  if (!isLLMError(error) || !("status" in error)) return facts;
  return { ...facts, status: error.status, requestId: error.requestId };
}

function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal?.aborted === true && signal.reason === error;
}

function typeName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
