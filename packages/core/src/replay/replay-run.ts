import type { Agent } from "../agent/agent.ts";
import type { RunResult, SuspendedRun } from "../agent/outcome.ts";
import { openRun } from "../agent/resume-run.ts";
import type { Run } from "../agent/run.ts";
import type { OnceEntry, StoredValue } from "../agent/snapshot.ts";
import { UserInputUnavailableError } from "../errors.ts";
import type { EventSink } from "../runtime/events.ts";
import type { RecordedAnswer, RecordedReply } from "../runtime/journal/outside.ts";
import { rebuildRun } from "../runtime/journal/rebuild.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import type { UserIo } from "../runtime/user-io.ts";
import { Str, StrImage, type Stop } from "../values/builtin.ts";
import type { SameMessage } from "./difference.ts";
import { excerpts } from "./difference.ts";
import { ReplayDivergedError } from "./errors.ts";
import { comparingStore, type Comparison } from "./comparing-store.ts";
import { readRecording, type Recording } from "./recording.ts";
import { ReplayEndpoint } from "./replay-endpoint.ts";

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
  readonly llmCalls: number;
  /** What the run came to today; null when the recorded one failed, was cancelled or was cut off. */
  readonly result: RunResult<Output> | null;
}

/**
 * Runs a recorded conversation again with today's agent, and without a model: its answers, the user's, the replies that the
 * run had waited for, and the results of effects done through `once` come from the record. Tools and conditions are
 * today's, and run. Every step is compared with the recorded one.
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
  return new Replayer(recording, agent, options).play();
}

class Replayer<Output extends Stop> {
  readonly #recording: Recording;
  readonly #agent: Agent<Output>;
  readonly #endpoint: ReplayEndpoint | undefined;
  readonly #comparison: Comparison;
  readonly #answers: readonly Placed<RecordedAnswer>[];
  readonly #replies: readonly Placed<RecordedReply>[];
  readonly #options: ReplayRunOptions;
  #answered = 0;
  #replied = 0;

  constructor(recording: Recording, agent: Agent<Output>, options: ReplayRunOptions) {
    this.#recording = recording;
    this.#options = options;
    const asksModel = agent.graph().nodes.some(({ role }) => role === "prompter");
    this.#endpoint = asksModel ? new ReplayEndpoint(recording, options) : undefined;
    this.#agent = this.#endpoint === undefined ? agent : agent.copy({ endpoint: this.#endpoint });
    this.#comparison = comparingStore(recording, options.isSame);
    this.#answers = placed(recording, "answer");
    this.#replies = placed(recording, "reply");
  }

  async play(): Promise<Replay<Output>> {
    let run = this.#start();
    for (;;) {
      const result = await this.#untilResult(run);
      if (result === undefined) return this.#replay(null);
      const reply = result.status === "suspended" ? this.#nextReply() : undefined;
      if (result.status !== "suspended" || reply === undefined) return this.#ended(result);
      run = await this.#resumed(result, reply);
    }
  }

  #start(): Run<Output> {
    const { runId, opened, records } = this.#recording;
    const { snapshot } = rebuildRun(runId, [opened]);
    return this.#agent.restore({ ...snapshot, once: onceOf(records, snapshot.once) }, undefined, {
      ...this.#runOptions(),
      runId,
    });
  }

  #resumed({ snapshot }: SuspendedRun, reply: unknown): Promise<Run<Output>> {
    return openRun(this.#comparison.store, snapshot.runId, this.#agent, { ...this.#runOptions(), reply });
  }

  #runOptions() {
    const { signal, sinks } = this.#options;
    return { io: this.#io(), journal: this.#comparison.store, allowChanged: true, signal, sinks };
  }

  /** Steps as far as the record goes; undefined when it goes no further, or fails there as today's run does. */
  async #untilResult(run: Run<Output>): Promise<RunResult<Output> | undefined> {
    const { end, steps } = this.#recording;
    const status = end?.status ?? null;
    const isCutOff = status === null || status === "cancelled";
    for (;;) {
      const isAtEnd = this.#comparison.steps === steps.length;
      if (isAtEnd && isCutOff) {
        run.cancel();
        await run.step();
        return undefined;
      }
      try {
        const result = await run.step();
        if (this.#comparison.divergence !== undefined) throw this.#comparison.divergence;
        if (result !== undefined) return result;
      } catch (caught) {
        const error = this.#comparison.divergence ?? caught;
        if (error instanceof ReplayDivergedError) {
          // A reply and the step after it are one step of a run that goes on.
          if (isCutOff && error.difference.kind === "end") return undefined;
          throw error;
        }
        if (!isAtEnd || status !== "failed") throw error;
        const name = error instanceof Error ? error.name : typeof error;
        if (name !== end?.errorType)
          throw this.#endDiffers(`failed: ${end?.errorType ?? "unknown"}`, `failed: ${name}`);
        return undefined;
      }
    }
  }

  /** Today's run has an end; whether it is the recorded one. */
  #ended(result: RunResult<Output>): Replay<Output> {
    this.#options.signal?.throwIfAborted();
    const { steps, end } = this.#recording;
    const isAtEnd = this.#comparison.steps === steps.length;
    const recorded = end?.status ?? "running";
    if (!isAtEnd)
      throw this.#endDiffers(`${steps.length} steps`, `${result.status} after ${this.#comparison.steps}`);
    if (recorded !== result.status && recorded !== "running") throw this.#endDiffers(recorded, result.status);
    return this.#replay(result);
  }

  #replay(result: RunResult<Output> | null): Replay<Output> {
    return { steps: this.#comparison.steps, llmCalls: this.#endpoint?.requests.length ?? 0, result };
  }

  #nextReply(): unknown {
    const next = this.#replies[this.#replied];
    if (next === undefined) return undefined;
    this.#replied += 1;
    const { kind, reply } = next.entry;
    return kind === undefined ? reply : (valueOf({ kind, fields: fieldsOf(reply) }) ?? reply);
  }

  /** The user as they answered then. Nobody is there where nobody was asked. */
  #io(): UserIo {
    const isAnswered = (): boolean => this.#answers[this.#answered]?.step === this.#comparison.steps + 1;
    return {
      get isLive() {
        return isAnswered();
      },
      ask: (question) => {
        const next = this.#answers[this.#answered];
        if (next?.entry.question !== question || !isAnswered()) {
          const what = "a question to the user";
          const difference = {
            kind: "question" as const,
            what,
            ...excerpts(next?.entry.question ?? null, question),
          };
          return Promise.reject(this.#comparison.diverged(difference));
        }
        this.#answered += 1;
        const { answer, unavailable } = next.entry;
        if (unavailable !== undefined) return Promise.reject(new UserInputUnavailableError(unavailable));
        return Promise.resolve(answer === null ? null : (valueOf(answer) ?? null));
      },
      notify: () => undefined,
    };
  }

  #endDiffers(recorded: string, today: string): ReplayDivergedError {
    return this.#comparison.diverged({ kind: "end", what: "the run's end", recorded, today });
  }
}

interface Placed<Entry> {
  /** From 1. */
  readonly step: number;
  readonly entry: Entry;
}

function placed<Type extends "answer" | "reply">(
  { steps, end }: Recording,
  type: Type,
): readonly Placed<Extract<RecordedAnswer | RecordedReply, { readonly type: Type }>>[] {
  const records = end === undefined ? steps : [...steps, end];
  return records.flatMap(({ outside = [] }, index) =>
    outside.flatMap((entry) => (isOfType(entry, type) ? [{ step: index + 1, entry }] : [])),
  );
}

function isOfType<Entry extends { readonly type: string }, Type extends string>(
  entry: Entry,
  type: Type,
): entry is Extract<Entry, { readonly type: Type }> {
  return entry.type === type;
}

/** Every effect that the record has a result of. */
function onceOf(
  records: Recording["records"],
  before: Readonly<Record<string, OnceEntry>>,
): Readonly<Record<string, OnceEntry>> {
  const once = new Map(Object.entries(before));
  for (const record of records)
    if (record.type === "once-result") once.set(record.key, { isDone: true, result: record.result });
  return Object.fromEntries(once);
}

/** What a person said, as it was. */
function valueOf({ kind, fields }: StoredValue): Str | StrImage | undefined {
  if (kind === StrImage.kind) return StrImage(StrImage.schema.parse(fields));
  return kind === Str.kind ? Str(Str.schema.parse(fields)) : undefined;
}

function fieldsOf(reply: unknown): Readonly<Record<string, unknown>> {
  return typeof reply === "object" && reply !== null ? { ...reply } : {};
}
