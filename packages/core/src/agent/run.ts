import { LimitReachedError } from "../errors.ts";
import type { EventSink, RunLifecycleEvent, RunStatus } from "../runtime/events.ts";
import { systemClock } from "../runtime/clock.ts";
import { EventPipe, type LifecycleFacts } from "../runtime/pipe.ts";
import { JournalDamagedError, RunExistsError } from "../runtime/journal/errors.ts";
import { isUnbegun, parseJournal } from "../runtime/journal/parse-journal.ts";
import { openUnlessAborted } from "../runtime/journal/open-unless-aborted.ts";
import { JournalRecorder } from "../runtime/journal/recorder.ts";
import type { JournalHandle } from "../runtime/journal/store.ts";
import { endpointFacts } from "../llm/endpoint.ts";
import { makeOnce } from "../make-once.ts";
import type { Stop } from "../values/builtin.ts";
import { metadataFor } from "../values/metadata.ts";
import { systemMessage, type Message } from "../values/message.ts";
import type { AnyValue } from "../values/value.ts";
import { RunBusyError } from "./errors.ts";
import type { CompiledAgent } from "./compiled.ts";
import { carrying } from "./failed-run.ts";
import { effectiveLimits, limitsBelow, type EffectiveLimits } from "./limits.ts";
import { autoLoadedMessages, inputMessage, openingMessages } from "./opening.ts";
import { ParentOf, type ParentRun } from "./nesting.ts";
import type { CompletedRun, FailedRun, RunReport, RunResult, SuspendedRun } from "./outcome.ts";
import { takeSnapshot } from "./restore.ts";
import type { RunJournal, RunParts } from "./run-parts.ts";
import type { RunState } from "./run-state.ts";
import type { RunSnapshot } from "./snapshot.ts";
import { StepContext } from "./step-context.ts";
import { storeValue } from "./stored-value.ts";
import { Stepper } from "./stepper.ts";
import { Cancellation } from "./tool-call.ts";

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
  readonly #signals: readonly AbortSignal[];
  readonly #onAbort = (): void => {
    this.cancel(this.#signals.find(({ aborted }) => aborted)?.reason);
  };
  /** Made for a run that has a limit of time: an error is the dearest part of a run that needs none. */
  #wallReached: LimitReachedError | undefined;
  readonly #context: StepContext;
  readonly #journal: RunJournal | undefined;
  readonly #parent: ParentRun | undefined;
  readonly #asParent: ParentOf;
  #recorder: JournalRecorder | undefined;
  #stopClock: () => void = () => undefined;
  #reply: RunParts<Output>["reply"];
  #isBusy = false;
  #isOpen = false;
  #isShut = false;
  #result: RunResult<Output> | undefined;
  #failure: Error | undefined;

  /** @internal Use `agent.start`. */
  constructor({
    agent,
    state,
    isOutput,
    io,
    hostIo,
    reply,
    signal,
    sinks = [],
    limits,
    journal,
    store,
    parent,
    allowChanged = false,
    replay,
    ceiling,
    beforeTool,
  }: RunParts<Output>) {
    this.#agent = agent;
    this.#state = state;
    this.#isOutput = isOutput;
    this.#reply = reply;
    this.#limits = limitsBelow(effectiveLimits(limits, agent.limits), ceiling);
    const { name, strictSinks } = agent;
    this.#pipe = new EventPipe({
      runId: state.runId,
      agentName: name,
      sinks: [...agent.sinks, ...sinks],
      strictSinks,
      sequence: journal?.eventSequence ?? 0,
    });
    this.#journal = journal;
    this.#parent = parent;
    this.#asParent = new ParentOf({
      state,
      pipe: this.#pipe,
      limits: this.#limits,
      depth: (parent?.depth ?? 0) + 1,
      journal: store,
      io: hostIo,
      allowChanged,
      replay,
    });
    this.#context = new StepContext(state, this.#pipe, io, this.#asParent);
    const context = this.#context;
    this.#stepper = new Stepper({
      agent,
      state,
      pipe: this.#pipe,
      context,
      limits: this.#limits,
      beforeTool,
    });
    this.#signals = [agent.signal, signal].filter((one) => one !== undefined);
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

  /**
   * The run's state between two steps, as JSON; `agent.resume` goes on from it, in another process too. While a step is
   * under way it is the state before that step.
   */
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
    return this.#steps(() => true);
  }

  /** Steps until the run has a result. */
  async finish(): Promise<RunResult<Output>> {
    for (;;) {
      const sliceEnd = systemClock.now() + sliceMs;
      const result = await this.#steps((endedAt) => endedAt >= sliceEnd);
      if (result !== undefined) return result;
      await nextTurn();
    }
  }

  /** Takes one step, and more until it is told that they are enough or the run has a result. */
  async #steps(isEnough: (endedAt: number) => boolean): Promise<RunResult<Output> | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#result !== undefined) return this.#result;
    if (this.#isBusy) throw new RunBusyError();
    this.#isBusy = true;
    try {
      // One function for all that steps await: each one more would cost as much as a short tool does.
      let result: RunResult<Output> | undefined;
      try {
        if (!this.#isOpen) await this.#open();
        result = this.#waiting();
        while (result === undefined) {
          const advanced = this.#stepper.advance();
          const output = advanced instanceof Promise ? await advanced : advanced;
          if (this.#recorder !== undefined) await this.#recorder.step();
          result = output === undefined ? this.#waiting() : this.#completed(output);
          if (isEnough(this.#stepper.endedAt)) break;
          // Whoever reads the run's events has its turn between two steps.
          if (this.#pipe.isListening) await Promise.resolve();
        }
      } catch (error) {
        result = this.#cancelled(error);
      }
      if (result !== undefined) await this.#close(result);
      return result;
    } catch (error) {
      throw await this.#fail(error);
    } finally {
      this.#isBusy = false;
    }
  }

  /** What a step comes to that was cut off; what else failed it is thrown. */
  #cancelled(error: unknown): RunResult<Output> {
    if (!(error instanceof Cancellation)) throw error;
    const { reason } = error;
    if (reason === this.#wallReached && reason instanceof Error) throw reason;
    return { status: "cancelled", reason, ...this.#factsCutOff() };
  }

  async #open(): Promise<void> {
    this.#isOpen = true;
    if (this.#signals.some(({ aborted }) => aborted)) this.#onAbort();
    else for (const signal of this.#signals) signal.addEventListener("abort", this.#onAbort, { once: true });
    if (this.#journal !== undefined) await this.#openJournal(this.#journal);
    // A run that only asks again does nothing meanwhile.
    if (this.#state.pending === null || this.#reply !== undefined) this.#startClock();
    this.#tellLifecycle("started");
    if (!this.#state.isStarted) await this.#putOpeningMessages();
    const reply = this.#reply;
    const node = reply === undefined ? undefined : this.#agent.graph.byKey.get(reply.tool);
    if (reply !== undefined) this.#recorder?.outside.replyTaken(reply.value);
    if (reply !== undefined && node !== undefined) await this.#stepper.accept(node, reply.value);
    // The reply is not to be asked for again, whatever the next step comes to.
    if (reply !== undefined) await this.#recorder?.step();
    this.#reply = undefined;
  }

  #startClock(): void {
    const { tally } = this.#state;
    const { wallMs: allowed } = this.#limits;
    const leftMs = allowed - tally.wallMs;
    tally.startStretch();
    if (leftMs === Infinity) return;
    const reached = (this.#wallReached = new LimitReachedError({ limit: "wallMs", allowed }));
    const end = (): void => {
      this.#pipe.cancel(reached);
    };
    if (leftMs <= 0) end();
    else this.#stopClock = systemClock.after(leftMs, end);
  }

  async #openJournal({ sequence, open, base }: RunJournal): Promise<void> {
    const { name, description, fingerprint } = this.#agent;
    const handle = await openUnlessAborted(open(), this.#pipe.cancelSignal);
    if (handle === undefined) throw new Cancellation(this.#pipe.cancelReason);
    if (sequence === 0) await checkNew(handle);
    const recorder = new JournalRecorder(handle, this.#state, sequence);
    this.#recorder = recorder;
    this.#context.effects.journal = recorder;
    this.#state.outside = recorder.outside;
    this.#pipe.addSink((event) => {
      recorder.hear(event);
    });
    if (sequence > 0) return recorder.resumed();
    const input = storeValue(this.#state.output);
    return recorder.opened({
      agentName: name,
      agentDescription: description,
      fingerprint: fingerprint(),
      input,
      base,
      parentRunId: this.#parent?.runId ?? null,
      parentAgentName: this.#parent?.agentName ?? null,
    });
  }

  async #putOpeningMessages(): Promise<void> {
    const { systemPrompt, initialMessages, skills } = this.#agent;
    const prompt = systemPrompt();
    const opening = initialMessages.length === 0 ? [] : await openingMessages(initialMessages);
    const first = inputMessage(this.#state.output);
    this.#state.isStarted = true;
    if (prompt !== "") this.#stepper.append(systemMessage(prompt, promptMetadata()));
    for (const message of [...opening, ...autoLoadedMessages(skills)]) this.#stepper.append(message);
    this.#state.load(skills.filter(({ isAutoLoaded }) => isAutoLoaded).map(({ name }) => name));
    if (first !== undefined) this.#stepper.append(first);
  }

  #completed(output: AnyValue): CompletedRun<Output> {
    if (!this.#isOutput(output))
      throw new Error("A Stop of another type passed the check of the agent's tools");
    return { status: "completed", output, ...this.#facts() };
  }

  /** The result of a run that waits for a reply. */
  #waiting(): SuspendedRun | undefined {
    const { pending } = this.#state;
    if (pending === null) return undefined;
    const { tool, request } = pending;
    const toolName = this.#agent.graph.byKey.get(tool)?.name ?? tool;
    return { status: "suspended", request, toolName, ...this.#facts(), snapshot: this.snapshot() };
  }

  async #close(result: RunResult<Output>): Promise<void> {
    await this.#shut(result.status);
    this.#result = result;
  }

  /** The error that the run fails with; its last event has been sent then, whatever the sinks made of it. */
  async #fail(cause: unknown): Promise<Error> {
    const failure = carrying(cause, this.#factsCutOff(), this.#agent.name);
    this.#failure = failure;
    try {
      await this.#shut("failed", failure);
    } catch {
      // A strict sink failed on the last event. The run has failed already, and the caller is told why.
    }
    return failure;
  }

  async #shut(status: RunStatus, error?: Error): Promise<void> {
    if (this.#isShut) return;
    this.#isShut = true;
    this.#stopClock();
    this.#state.tally.endStretch();
    for (const signal of this.#signals) signal.removeEventListener("abort", this.#onAbort);
    try {
      this.#tellLifecycle("stopped", { status, ...(error === undefined ? {} : { errorType: error.name }) });
    } finally {
      this.#pipe.close();
      await this.#recorder?.ended(status, error);
      if (this.#pipe.hasSettling) await this.#pipe.settle(this.runId);
    }
  }

  #facts(): { readonly messages: readonly Message[]; readonly report: RunReport } {
    return { messages: [...this.#state.messages], report: this.report };
  }

  /** Where the run stands when a step was cut off: its report counts what the step's children did, its snapshot does not. */
  #factsCutOff(): FailedRun {
    const snapshot = this.snapshot();
    this.#asParent.countRunning();
    return { ...this.#facts(), snapshot };
  }

  #tellLifecycle(
    kind: "started" | "stopped",
    end: Pick<RunLifecycleEvent, "status" | "errorType"> = {},
  ): void {
    if (!this.#pipe.isListening) return;
    const { description, model } = this.#agent;
    const facts: LifecycleFacts = {
      agentDescription: description,
      parentAgentName: this.#parent?.agentName ?? null,
      ...(this.#parent === undefined ? undefined : { parentRunId: this.#parent.runId }),
      ...(model === undefined ? {} : endpointFacts(model.endpoint)),
    };
    this.#pipe.lifecycle(kind, { ...facts, ...end });
  }
}

/** Lets go of a journal that holds something already: a new run is not written behind it. */
async function checkNew(handle: JournalHandle): Promise<void> {
  const { lines, runId } = handle;
  const isTaken = parseJournal(lines).records.length > 0;
  if (!isTaken && isUnbegun(lines)) return;
  await handle.close();
  throw isTaken
    ? new RunExistsError({ runId })
    : new JournalDamagedError({ runId, problem: "what stands in its place is no journal" });
}

const promptMetadata = makeOnce(() => metadataFor("message", { messageKind: "system_message" }));

/** How long a run of tools that wait for nothing keeps the process to itself. */
const sliceMs = 10;

/** Lets timers, signals and other runs have their turn: promises alone never do. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
