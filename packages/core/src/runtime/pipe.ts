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
  "type" | "kind" | "sequence" | "runId" | "agentName" | "status" | "errorType"
>;

/** Who a pipe belongs to and who listens. */
export interface PipeSettings {
  readonly runId: string;
  readonly agentName: string;
  readonly sinks?: readonly EventSink[] | undefined;
  /** Lets a sink's error fail the run, instead of detaching the sink. */
  readonly strictSinks?: boolean | undefined;
  /** The number of the last event before, for a run that was resumed; 0 by default. */
  readonly sequence?: number | undefined;
}

/**
 * Carries one run's events to its sinks, and its cancel and interrupt signals to whatever waits.
 * Events go to all sinks synchronously, in the order in which they were attached.
 */
export class EventPipe {
  readonly runId: string;
  readonly agentName: string;
  readonly #strictSinks: boolean;
  /** Made when somebody asks for its signal: most runs are never waited on. */
  #cancelController: AbortController | undefined;
  #interruptController: AbortController | undefined;
  #cancelled: { readonly reason: unknown } | undefined;
  #isInterrupted = false;
  /** Called once when the run is cancelled, for whoever waits without a signal. */
  onCancel: ((reason: unknown) => void) | undefined;
  #sinks: readonly SinkEntry[];
  #isClosed = false;
  /** Those that were attached when the pipe was closed. */
  #settling: readonly SinkEntry[] = [];
  /** What a strict sink failed with after it had returned; the next event fails with it. */
  #lateFailure: { readonly error: unknown } | undefined;
  /** The event being delivered, and those that sinks caused meanwhile. */
  #outbox: RunEvent[] = [];
  #sequence: number;
  #stream: { readonly messageId: string; chunkIndex: number } | undefined;

  constructor({ runId, agentName, sinks = [], strictSinks = false, sequence = 0 }: PipeSettings) {
    this.runId = runId;
    this.agentName = agentName;
    this.#sinks = sinks.map((sink) => ({ sink }));
    this.#strictSinks = strictSinks;
    this.#sequence = sequence;
  }

  /** Whether anybody listens; when not, no event needs to be made. */
  get isListening(): boolean {
    if (this.#lateFailure !== undefined) return true;
    for (const { sink } of this.#sinks) if (sink.isListening?.() !== false) return true;
    return false;
  }

  /** Where the first sink that persists keeps what it does; null when none persists. */
  get dataPath(): string | null {
    return this.#sinks.find(({ sink }) => sink.dataPath !== undefined)?.sink.dataPath ?? null;
  }

  /** Attaches a sink; the function returned detaches it, and may be called twice. */
  addSink(sink: EventSink): () => void {
    const entry: SinkEntry = { sink };
    if (!this.#isClosed) this.#sinks = [...this.#sinks, entry];
    return () => {
      this.#sinks = this.#sinks.filter((other) => other !== entry);
    };
  }

  /** Fires when the run is to end. */
  get cancelSignal(): AbortSignal {
    if (this.#cancelController === undefined) {
      this.#cancelController = new AbortController();
      if (this.#cancelled !== undefined) this.#cancelController.abort(this.#cancelled.reason);
    }
    return this.#cancelController.signal;
  }

  /** Fires when the call under way is to end, but not the run. */
  get interruptSignal(): AbortSignal {
    if (this.#interruptController === undefined) {
      this.#interruptController = new AbortController();
      if (this.#isInterrupted) this.#interruptController.abort();
    }
    return this.#interruptController.signal;
  }

  get isCancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** Why the run was cancelled; undefined while it was not. */
  get cancelReason(): unknown {
    return this.#cancelled?.reason;
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** Ends the run; whatever waits stops waiting at once. Only the first reason counts. */
  cancel(reason: unknown = new DOMException("The run was cancelled", "AbortError")): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = { reason };
    this.#cancelController?.abort(reason);
    this.onCancel?.(reason);
  }

  /** Ends the model call under way; the user is then asked what to do. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#interruptController?.abort();
  }

  clearInterrupt(): void {
    if (!this.#isInterrupted) return;
    this.#isInterrupted = false;
    this.#interruptController = undefined;
  }

  lifecycle(
    kind: "started" | "stopped",
    facts: LifecycleFacts & Pick<RunLifecycleEvent, "status" | "errorType">,
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

  /** Delivers an event of another run, such as a child's, as it is. */
  forward(event: RunEvent): void {
    if (this.isListening) this.#send(event);
  }

  #stamp(): { readonly sequence: number; readonly runId: string; readonly agentName: string } {
    this.#sequence += 1;
    return { sequence: this.#sequence, runId: this.runId, agentName: this.agentName };
  }

  /** The last event was sent: nobody hears of what comes after it. */
  close(): void {
    this.#isClosed = true;
    this.#settling = this.#sinks;
    this.#sinks = [];
  }

  /** Whether a sink has something left to do when a run has ended. */
  get hasSettling(): boolean {
    return [...this.#sinks, ...this.#settling].some(({ sink }) => sink.settle !== undefined);
  }

  /** Lets the sinks finish what they keep of a run that has ended: this pipe's own, or a child's. */
  async settle(runId: string): Promise<void> {
    for (const entry of [...this.#sinks, ...this.#settling]) {
      try {
        await entry.sink.settle?.(runId);
      } catch (error) {
        if (this.#strictSinks) throw error;
        this.#reportUnsettled(entry, error);
      }
    }
  }

  /** Says once that a sink failed at the end; the run's events are over, but somebody has to know. */
  #reportUnsettled(entry: SinkEntry, error: unknown): void {
    if (this.#sinks.includes(entry)) {
      this.#detach(entry, error);
      return;
    }
    this.#settling = this.#settling.filter((other) => other !== entry);
    const event = this.#sinkFailed(error);
    for (const { sink } of this.#settling) {
      try {
        sink(event);
      } catch {
        // It failed on the report of a failure, and nobody is left to tell.
      }
    }
  }

  #sinkFailed(error: unknown): RuntimeEvent {
    const errorType = error instanceof Error ? error.name : typeof error;
    return {
      type: "runtime",
      category: "run",
      kind: "failed",
      level: "error",
      message: "A sink failed and was detached",
      data: { errorType },
      ...this.#stamp(),
    };
  }

  /** Delivers an event to all sinks before the next one, also when a sink causes one. */
  #send(event: RunEvent): void {
    if (this.#lateFailure !== undefined) throw this.#lateFailure.error;
    this.#outbox.push(event);
    if (this.#outbox.length > 1) return;
    try {
      for (const next of this.#outbox) for (const entry of this.#sinks) this.#deliver(next, entry);
    } finally {
      this.#outbox = [];
    }
  }

  #deliver(event: RunEvent, entry: SinkEntry): void {
    try {
      const returned = entry.sink(event);
      if (returned instanceof Promise)
        returned.catch((error: unknown) => {
          this.#detach(entry, error);
        });
    } catch (error) {
      if (this.#strictSinks) throw error;
      this.#detach(entry, error);
    }
  }

  /** Takes off a sink that failed, and says so once. */
  #detach(entry: SinkEntry, error: unknown): void {
    if (!this.#sinks.includes(entry)) return;
    this.#sinks = this.#sinks.filter((other) => other !== entry);
    if (this.isListening) this.#send(this.#sinkFailed(error));
    if (this.#strictSinks) this.#lateFailure = { error };
  }
}

/** A sink as it was attached: one that is attached twice is detached one at a time. */
interface SinkEntry {
  /** Returns nothing, or a promise, whose failure is the sink's. */
  readonly sink: ((event: RunEvent) => unknown) & Pick<EventSink, "settle" | "dataPath" | "isListening">;
}
