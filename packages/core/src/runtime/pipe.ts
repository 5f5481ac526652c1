import { randomUUID } from "node:crypto";

import type { Message } from "../values/message.ts";
import type {
  EventLevel,
  EventSink,
  RunEvent,
  RunLifecycleEvent,
  RuntimeEvent,
  RuntimeEventKind,
} from "./events.ts";

/** What a run says of itself when it starts and stops. */
export type LifecycleFacts = Omit<
  RunLifecycleEvent,
  "type" | "kind" | "sequence" | "runId" | "agentName" | "status"
>;

/** Who a pipe belongs to and who listens. */
export interface PipeSettings {
  readonly runId: string;
  readonly agentName: string;
  readonly sinks?: readonly EventSink[] | undefined;
  /** Lets a sink's error fail the run, instead of detaching the sink. */
  readonly strictSinks?: boolean | undefined;
}

/**
 * Carries one run's events to its sinks, and its cancel and interrupt signals to whatever waits.
 * Events go to all sinks synchronously, in the order in which they were attached.
 */
export class EventPipe {
  readonly runId: string;
  readonly agentName: string;
  readonly #strictSinks: boolean;
  readonly #cancel = new AbortController();
  #interrupt = new AbortController();
  #sinks: readonly EventSink[];
  #sequence = 0;
  #stream: { readonly messageId: string; chunkIndex: number } | undefined;

  constructor({ runId, agentName, sinks = [], strictSinks = false }: PipeSettings) {
    this.runId = runId;
    this.agentName = agentName;
    this.#sinks = [...sinks];
    this.#strictSinks = strictSinks;
  }

  /** Whether anybody listens; when not, no event needs to be made. */
  get isListening(): boolean {
    return this.#sinks.length > 0;
  }

  /** Attaches a sink; the function returned detaches it, and may be called twice. */
  addSink(sink: EventSink): () => void {
    // Wrapped, so that a sink attached twice is detached one at a time.
    const entry: EventSink = (event) => {
      sink(event);
    };
    this.#sinks = [...this.#sinks, entry];
    return () => {
      this.#sinks = this.#sinks.filter((other) => other !== entry);
    };
  }

  /** Fires when the run is to end. */
  get cancelSignal(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Fires when the call under way is to end, but not the run. */
  get interruptSignal(): AbortSignal {
    return this.#interrupt.signal;
  }

  get isCancelled(): boolean {
    return this.#cancel.signal.aborted;
  }

  get isInterrupted(): boolean {
    return this.#interrupt.signal.aborted;
  }

  /** Ends the run; whatever waits stops waiting at once. */
  cancel(reason?: unknown): void {
    this.#cancel.abort(reason);
  }

  /** Ends the model call under way; the user is then asked what to do. */
  interrupt(): void {
    this.#interrupt.abort();
  }

  clearInterrupt(): void {
    if (this.#interrupt.signal.aborted) this.#interrupt = new AbortController();
  }

  lifecycle(
    kind: "started" | "stopped",
    facts: LifecycleFacts & { readonly status?: RunLifecycleEvent["status"] },
  ): void {
    if (this.isListening) this.#send({ type: "run-lifecycle", kind, ...facts, ...this.#stamp() });
  }

  /** Reports a complete message; one that was streamed gets its stream's id, and closes it. */
  message(message: Message): void {
    const messageId = this.#stream?.messageId;
    this.#stream = undefined;
    if (!this.isListening) return;
    this.#send({
      type: "message",
      message,
      ...(messageId === undefined ? undefined : { messageId }),
      ...this.#stamp(),
    });
  }

  /** Opens a stream for the message about to come, and supersedes one that is open. */
  startMessage(): string {
    this.#stream = { messageId: randomUUID(), chunkIndex: 0 };
    return this.#stream.messageId;
  }

  /** Forgets an open stream: what it delivered belongs to no message. */
  dropStream(): void {
    this.#stream = undefined;
  }

  /** Delivers a piece of the message that is being produced; empty pieces are dropped. */
  delta(text: string): void {
    if (text === "" || !this.isListening) return;
    this.#stream ??= { messageId: randomUUID(), chunkIndex: 0 };
    this.#stream.chunkIndex += 1;
    const { messageId, chunkIndex } = this.#stream;
    this.#send({
      type: "message-delta",
      messageId,
      delta: text,
      chunkIndex,
      role: "assistant",
      ...this.#stamp(),
    });
  }

  scriptOutput(content: string): void {
    if (this.isListening) this.#send({ type: "script-output", content, ...this.#stamp() });
  }

  runtime(
    category: RuntimeEvent["category"],
    kind: RuntimeEventKind,
    level: EventLevel,
    message: string,
    data: Readonly<Record<string, unknown>> = {},
  ): void {
    if (this.isListening)
      this.#send({ type: "runtime", category, kind, level, message, data, ...this.#stamp() });
  }

  #stamp(): { readonly sequence: number; readonly runId: string; readonly agentName: string } {
    this.#sequence += 1;
    return { sequence: this.#sequence, runId: this.runId, agentName: this.agentName };
  }

  #send(event: RunEvent): void {
    for (const sink of this.#sinks) {
      if (this.#strictSinks) {
        sink(event);
        continue;
      }
      try {
        sink(event);
      } catch (error) {
        this.#sinks = this.#sinks.filter((other) => other !== sink);
        const errorType = error instanceof Error ? error.name : typeof error;
        this.runtime("run", "failed", "error", "A sink failed and was detached", { errorType });
      }
    }
  }
}
