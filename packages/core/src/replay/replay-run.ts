import type { Agent } from "../agent/agent.ts";
import type { RunResult, SuspendedRun } from "../agent/outcome.ts";
import { openRun } from "../agent/resume-run.ts";
import type { Run } from "../agent/run.ts";
import type { EventSink } from "../runtime/events.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import type { Stop } from "../values/builtin.ts";
import type { SameMessage } from "./difference.ts";
import { ReplayDivergedError } from "./errors.ts";
import { comparingStore, endInWords } from "./comparing-store.ts";
import { Playback, type Playbacks } from "./playback.ts";
import { readRecording, type Recording } from "./recording.ts";

/** How a run is replayed. */
export interface ReplayRunOptions {
  /** Lets messages pass that differ and are meant to, such as those with a time in them. */
  readonly isSame?: SameMessage | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receive the events of today's run. */
  readonly sinks?: readonly EventSink[] | undefined;
}

/** A run that was replayed as it was recorded. */
export interface Replay<Output> {
  /** How many steps were the same: all that the record has. */
  readonly steps: number;
  /** How many runs of agents that are tools were replayed with it. */
  readonly childRuns: number;
  /** How many model calls were answered from the record, those of such agents included. */
  readonly llmCalls: number;
  /** What the run came to today; null when the recorded one failed, was cancelled or was cut off. */
  readonly result: RunResult<Output> | null;
}

/**
 * Runs a recorded conversation again with today's agent, and without a model: its answers, the user's, the replies that the
 * run had waited for, and the results of effects done through `once` come from the record. Tools and conditions are
 * today's, and run. Every step is compared with the recorded one. Agents that are tools are replayed from the records of
 * their own runs in the same store; background agents are not started.
 *
 * @param agent - May have changed since; its name may not.
 * @throws {@link ReplayDivergedError} (`core/replay-diverged`) at the first difference, before an effect that the record
 * has no result of; {@link UnknownRunError} (`core/unknown-run`); {@link JournalDamagedError} (`core/journal-damaged`);
 * what restoring a run throws.
 */
export async function replayRun<Output extends Stop>(
  store: JournalStore,
  runId: string,
  agent: Agent<Output>,
  options: ReplayRunOptions = {},
): Promise<Replay<Output>> {
  const recording = await readRecording(store, runId);
  return new Replayer(store, recording, agent, options).play();
}

class Replayer<Output extends Stop> {
  readonly #recording: Recording;
  readonly #playbacks: Playbacks;
  readonly #playback: Playback<Output>;
  readonly #options: ReplayRunOptions;

  constructor(store: JournalStore, recording: Recording, agent: Agent<Output>, options: ReplayRunOptions) {
    const { isSame } = options;
    this.#recording = recording;
    this.#options = options;
    const comparison = comparingStore(isSame);
    this.#playbacks = { store, comparison, isSame, children: new Map(), endpoints: new Set() };
    this.#playback = new Playback(recording, agent, this.#playbacks, false);
  }

  async play(): Promise<Replay<Output>> {
    let run = this.#start();
    for (;;) {
      const result = await this.#untilResult(run);
      if (result === undefined) return this.#replay(null);
      const reply = result.status === "suspended" ? this.#playback.nextReply() : undefined;
      if (result.status !== "suspended" || reply === undefined) return this.#ended(result);
      run = await this.#resumed(result, reply);
    }
  }

  #start(): Run<Output> {
    const { agent } = this.#playback;
    const { runId } = this.#recording;
    return agent.restore(this.#playback.recordedOpening(), undefined, { ...this.#runOptions(), runId });
  }

  #resumed({ snapshot }: SuspendedRun, reply: unknown): Promise<Run<Output>> {
    const { store } = this.#playbacks.comparison;
    return openRun(store, snapshot.runId, this.#playback.agent, { ...this.#runOptions(), reply });
  }

  #runOptions() {
    const { signal, sinks } = this.#options;
    const { io } = this.#playback;
    const journal = this.#playbacks.comparison.store;
    return { io, journal, allowChanged: true, signal, sinks, replay: this.#playback };
  }

  get #steps(): number {
    return this.#playback.comparison.steps;
  }

  /** Steps as far as the record goes; undefined when it goes no further, or fails there as today's run does. */
  async #untilResult(run: Run<Output>): Promise<RunResult<Output> | undefined> {
    const { end, steps } = this.#recording;
    const status = end?.status ?? null;
    const isCutOff = status === null || status === "cancelled";
    const { comparison } = this.#playbacks;
    for (;;) {
      const isAtEnd = this.#steps === steps.length;
      if (isAtEnd && isCutOff) {
        run.cancel();
        await run.step();
        return undefined;
      }
      try {
        const result = await run.step();
        if (comparison.divergence !== undefined) throw comparison.divergence;
        if (result !== undefined) return result;
      } catch (caught) {
        const error = comparison.divergence ?? caught;
        if (error instanceof ReplayDivergedError) {
          // A reply and the step after it are one step of a run that goes on.
          if (isCutOff && error.difference.kind === "end" && error.runId === run.runId) return undefined;
          throw error;
        }
        if (!isAtEnd || status !== "failed") throw error;
        const failed = { status, errorType: error instanceof Error ? error.name : typeof error };
        if (failed.errorType !== end?.errorType)
          throw this.#endDiffers(endInWords({ status, errorType: end?.errorType }), endInWords(failed));
        return undefined;
      }
    }
  }

  /** Today's run has an end; whether it is the recorded one. */
  #ended(result: RunResult<Output>): Replay<Output> {
    this.#options.signal?.throwIfAborted();
    const { steps, end } = this.#recording;
    const recorded = end?.status ?? "running";
    if (this.#steps !== steps.length)
      throw this.#endDiffers(`${steps.length} steps`, `${result.status} after ${this.#steps}`);
    if (recorded !== result.status && recorded !== "running") throw this.#endDiffers(recorded, result.status);
    return this.#replay(result);
  }

  #replay(result: RunResult<Output> | null): Replay<Output> {
    const { endpoints, children } = this.#playbacks;
    let llmCalls = 0;
    for (const { requests } of endpoints) llmCalls += requests.length;
    return { steps: this.#steps, childRuns: children.size, llmCalls, result };
  }

  #endDiffers(recorded: string, today: string): ReplayDivergedError {
    return this.#playback.comparison.diverged({ kind: "end", what: "the run's end", recorded, today });
  }
}
