import { LimitReachedError, RunFailedError } from "../errors.ts";
import type { RunStatus, EventSink } from "../runtime/events.ts";
import { EventPipe, type LifecycleFacts } from "../runtime/pipe.ts";
import type { UserIo } from "../runtime/user-io.ts";
import { endpointFacts } from "../llm/endpoint.ts";
import type { Stop } from "../values/builtin.ts";
import { systemMessage, type Message } from "../values/message.ts";
import type { AnyValue } from "../values/value.ts";
import { RunBusyError } from "./errors.ts";
import type { CompiledAgent } from "./compiled.ts";
import { effectiveLimits, type EffectiveLimits, type Limits } from "./limits.ts";
import { inputMessage, openingMessages } from "./opening.ts";
import type { FailedRun, RunReport, RunResult } from "./outcome.ts";
import { takeSnapshot } from "./restore.ts";
import type { RunState } from "./run-state.ts";
import type { RunSnapshot } from "./snapshot.ts";
import { StepContext } from "./step-context.ts";
import { Stepper } from "./stepper.ts";
import { Cancellation } from "./tool-call.ts";

/** What a run is made with. */
export interface RunParts<Output> {
  readonly agent: CompiledAgent;
  readonly state: RunState;
  readonly isOutput: (candidate: unknown) => candidate is Output;
  readonly io: UserIo;
  /** The reply that the state waits for, with the key of the tool that asked. */
  readonly reply?: { readonly tool: string; readonly value: AnyValue } | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly sinks?: readonly EventSink[] | undefined;
  readonly limits?: Limits | undefined;
}

/**
 * One run of an agent. It advances by steps; between two of them its state is plain data. Any number of runs of one
 * agent may be under way, and none sees another's messages.
 */
export class Run<Output extends Stop = Stop> {
  readonly #agent: CompiledAgent;
  readonly #state: RunState;
  readonly #pipe: EventPipe;
  readonly #stepper: Stepper;
  readonly #limits: EffectiveLimits;
  readonly #isOutput: (candidate: unknown) => candidate is Output;
  readonly #forgetSignal: () => void;
  #reply: RunParts<Output>["reply"];
  #wallTimer: NodeJS.Timeout | undefined;
  #isBusy = false;
  #isOpen = false;
  #result: RunResult<Output> | undefined;
  #failure: Error | undefined;

  /** @internal Use `agent.start`. */
  constructor({ agent, state, isOutput, io, reply, signal, sinks = [], limits }: RunParts<Output>) {
    this.#agent = agent;
    this.#state = state;
    this.#isOutput = isOutput;
    this.#reply = reply;
    this.#limits = effectiveLimits(limits, agent.limits);
    const { name, strictSinks } = agent;
    this.#pipe = new EventPipe({
      runId: state.runId,
      agentName: name,
      sinks: [...agent.sinks, ...sinks],
      strictSinks,
    });
    const context = new StepContext(state, this.#pipe, io);
    this.#stepper = new Stepper({ agent, state, pipe: this.#pipe, context, limits: this.#limits });
    const cancel = (): void => {
      this.cancel(signal?.reason);
    };
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
    this.#forgetSignal = () => signal?.removeEventListener("abort", cancel);
  }

  get runId(): string {
    return this.#state.runId;
  }

  /** The conversation so far: live, and read-only. */
  get messages(): readonly Message[] {
    return this.#state.live;
  }

  /** What the run has done so far, counted. */
  get report(): RunReport {
    return this.#state.tally.report(this.#state.runId);
  }

  /** The run's state between two steps, as JSON; `agent.resume` goes on from it, in another process too. */
  snapshot(): RunSnapshot {
    return takeSnapshot(this.#agent, this.#state);
  }

  /** Attaches a sink to the events to come; the function returned detaches it. */
  addSink(sink: EventSink): () => void {
    return this.#pipe.addSink(sink);
  }

  /** Ends the run as cancelled; whatever it waits for is abandoned at once. */
  cancel(reason?: unknown): void {
    this.#pipe.cancel(reason);
  }

  /** Ends the model call under way; a user that can be asked then says how to go on. */
  interrupt(): void {
    this.#pipe.interrupt();
  }

  /**
   * Chooses the next tool, runs it, and records its output.
   *
   * @returns undefined while the run goes on; its result when it has ended or waits for a reply.
   * @throws What ended the run, with the run's state as its `run`; {@link RunBusyError} (`core/run-busy`) when a step is
   * under way already.
   */
  async step(): Promise<RunResult<Output> | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#result !== undefined) return this.#result;
    if (this.#isBusy) throw new RunBusyError();
    this.#isBusy = true;
    try {
      if (!this.#isOpen) await this.#open();
      const { pending } = this.#state;
      const output = pending === null ? await this.#stepper.advance() : undefined;
      if (output !== undefined) return this.#completed(output);
      return this.#state.pending === null ? undefined : this.#suspended();
    } catch (error) {
      return this.#ended(error);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Steps until the run has a result. */
  async finish(): Promise<RunResult<Output>> {
    for (;;) {
      const result = await this.step();
      if (result !== undefined) return result;
    }
  }

  async #open(): Promise<void> {
    this.#isOpen = true;
    const { wallMs } = this.#limits;
    if (wallMs !== Infinity) {
      const reached = new LimitReachedError({ limit: "wallMs", allowed: wallMs });
      this.#wallTimer = setTimeout(() => {
        this.#pipe.cancel(reached);
      }, wallMs);
    }
    this.#tellLifecycle("started");
    if (!this.#state.isStarted) await this.#putOpeningMessages();
    const reply = this.#reply;
    const node = reply === undefined ? undefined : this.#agent.graph.byKey.get(reply.tool);
    if (reply !== undefined && node !== undefined) this.#stepper.accept(node, reply.value);
    this.#reply = undefined;
  }

  async #putOpeningMessages(): Promise<void> {
    const { systemPrompt, initialMessages } = this.#agent;
    const prompt = systemPrompt();
    const opening = initialMessages.length === 0 ? [] : await openingMessages(initialMessages);
    const first = inputMessage(this.#state.output);
    this.#state.isStarted = true;
    if (prompt !== "") this.#stepper.append(systemMessage(prompt, { messageKind: "system_message" }));
    for (const message of opening) this.#stepper.append(message);
    if (first !== undefined) this.#stepper.append(first);
  }

  #completed(output: AnyValue): RunResult<Output> {
    if (!this.#isOutput(output))
      throw new Error("A Stop of another type passed the check of the agent's tools");
    return this.#close("completed", { status: "completed", output, ...this.#facts() });
  }

  #suspended(): RunResult<Output> | undefined {
    const { pending } = this.#state;
    if (pending === null) return undefined;
    const toolName = this.#agent.graph.byKey.get(pending.tool)?.name ?? pending.tool;
    const { request } = pending;
    return this.#close("suspended", {
      status: "suspended",
      request,
      toolName,
      ...this.#facts(),
      snapshot: this.snapshot(),
    });
  }

  /** What an error makes of the run: cancelled, or failed. */
  #ended(error: unknown): RunResult<Output> {
    const isLimit = error instanceof Cancellation && error.reason instanceof LimitReachedError;
    if (error instanceof Cancellation && !isLimit) {
      const { reason } = error;
      return this.#close("cancelled", {
        status: "cancelled",
        reason,
        ...this.#facts(),
        snapshot: this.snapshot(),
      });
    }
    const cause = error instanceof Cancellation ? error.reason : error;
    const state: FailedRun = { ...this.#facts(), snapshot: this.snapshot() };
    this.#failure = carrying(cause, state, this.#agent.name);
    this.#shut("failed");
    throw this.#failure;
  }

  #close(status: RunStatus, result: RunResult<Output>): RunResult<Output> {
    this.#result = result;
    this.#shut(status);
    return result;
  }

  #shut(status: RunStatus): void {
    clearTimeout(this.#wallTimer);
    this.#forgetSignal();
    this.#tellLifecycle("stopped", status);
  }

  #facts(): { readonly messages: readonly Message[]; readonly report: RunReport } {
    return { messages: [...this.#state.messages], report: this.report };
  }

  #tellLifecycle(kind: "started" | "stopped", status?: RunStatus): void {
    if (!this.#pipe.isListening) return;
    const { description, model } = this.#agent;
    const facts: LifecycleFacts = {
      agentDescription: description,
      parentAgentName: null,
      ...(model === undefined ? {} : endpointFacts(model.endpoint)),
    };
    this.#pipe.lifecycle(kind, status === undefined ? facts : { ...facts, status });
  }
}

/** The error that a failed run rejects with: the cause itself, with the run's state on it, where it can carry that. */
function carrying(cause: unknown, run: FailedRun, agentName: string): Error {
  if (cause instanceof Error && Object.isExtensible(cause)) {
    return Object.defineProperty(cause, "run", { value: run, configurable: true, enumerable: false });
  }
  return Object.defineProperty(new RunFailedError({ agentName, cause }), "run", {
    value: run,
    configurable: true,
  });
}

/**
 * Where a run stood when an error ended it.
 *
 * @returns undefined for an error that ended no run.
 */
export function failedRunOf(error: unknown): FailedRun | undefined {
  if (!(error instanceof Error) || !("run" in error)) return undefined;
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the seam: `carrying` wrote it
  return error.run as FailedRun;
}
