import type { Agent } from "../agent/agent.ts";
import type { RunReplay } from "../agent/run-replay.ts";
import type { OnceEntry, RunSnapshot, StoredValue } from "../agent/snapshot.ts";
import { storeValue } from "../agent/stored-value.ts";
import { UserInputUnavailableError } from "../errors.ts";
import type { RecordedAnswer, RecordedReply } from "../runtime/journal/outside.ts";
import { rebuildRun } from "../runtime/journal/rebuild.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import type { UserIo } from "../runtime/user-io.ts";
import { Str, StrImage, type Stop } from "../values/builtin.ts";
import type { AnyValue } from "../values/value.ts";
import type { Comparison, RunComparison } from "./comparing-store.ts";
import { excerpts, type SameMessage } from "./difference.ts";
import { readRecording, type Recording } from "./recording.ts";
import { ReplayEndpoint } from "./replay-endpoint.ts";

/** What the runs of one replay share. */
export interface Playbacks {
  readonly store: JournalStore;
  readonly comparison: Comparison;
  readonly isSame: SameMessage | undefined;
  /** By run id. */
  readonly children: Map<string, Playback<Stop>>;
  /** All model calls that were answered from the record. */
  readonly endpoints: Set<ReplayEndpoint>;
}

/** One recorded run as it is played again: its model, its user, its effects, and the runs it called. */
export class Playback<Output extends Stop> implements RunReplay {
  readonly agent: Agent<Output>;
  readonly comparison: RunComparison;
  readonly #recording: Recording;
  readonly #shared: Playbacks;
  readonly #answers: readonly Placed<RecordedAnswer>[];
  readonly #replies: readonly Placed<RecordedReply>[];
  #answered = 0;
  #replied = 0;

  /** @param whole - Whether the run's end is compared as its steps are. */
  constructor(recording: Recording, agent: Agent<Output>, shared: Playbacks, whole: boolean) {
    const { comparison, isSame, endpoints } = shared;
    this.#recording = recording;
    this.#shared = shared;
    this.comparison = comparison.add(recording, whole);
    this.agent = agent.askingInstead((protocol) => {
      const endpoint = new ReplayEndpoint(recording, { isSame, protocol, note: comparison.note });
      endpoints.add(endpoint);
      return endpoint;
    });
    this.#answers = placed(recording, "answer");
    this.#replies = placed(recording, "reply");
  }

  /** Where the run starts, as it was recorded. */
  recordedOpening(): RunSnapshot {
    const { runId, opened } = this.#recording;
    return this.withEffects(rebuildRun(runId, [opened]).snapshot);
  }

  readonly opening = (given: AnyValue): RunSnapshot => {
    const recorded = this.recordedOpening();
    return { ...recorded, position: { ...recorded.position, output: storeValue(given) } };
  };

  readonly withEffects = (snapshot: RunSnapshot): RunSnapshot => {
    const once = new Map<string, OnceEntry>(Object.entries(snapshot.once));
    for (const record of this.#recording.records)
      if (record.type === "once-result") once.set(record.key, { isDone: true, result: record.result });
    return { ...snapshot, once: Object.fromEntries(once) };
  };

  readonly recordedOutput = (): StoredValue | undefined =>
    this.#recording.steps[this.comparison.steps]?.position.output;

  readonly child = async (runId: string, agent: Agent): Promise<RunReplay> => {
    const { children, store } = this.#shared;
    const known = children.get(runId);
    if (known !== undefined) return known;
    if ((await store.read(runId)) === undefined)
      throw this.comparison.diverged({
        kind: "child",
        what: `the call of the agent \`${agent.name}\`, as the run \`${runId}\``,
        recorded: null,
        today: "about to be called",
      });
    const child = new Playback(await readRecording(store, runId), agent, this.#shared, true);
    children.set(runId, child);
    return child;
  };

  /** The next reply that the run had waited for. */
  nextReply(): unknown {
    const next = this.#replies[this.#replied];
    if (next === undefined) return undefined;
    this.#replied += 1;
    const { kind, reply } = next.entry;
    return kind === undefined ? reply : (valueOf({ kind, fields: fieldsOf(reply) }) ?? reply);
  }

  /** The user as they answered then. Nobody is there where nobody was asked. */
  readonly io: UserIo = this.#recordedUser();

  #recordedUser(): UserIo {
    const isAnswered = (): boolean => this.#answers[this.#answered]?.step === this.comparison.steps + 1;
    const hasSuspended = (): boolean => this.#recording.steps[this.comparison.steps]?.pending !== null;
    let wasRefused = false;
    return {
      /** A channel that refused a question was found to be at its end if the run then waited for the reply. */
      get isLive() {
        return isAnswered() || (wasRefused && !hasSuspended());
      },
      ask: (question) => {
        const next = this.#answers[this.#answered];
        if (next?.entry.question !== question || !isAnswered()) {
          const sides = excerpts(next?.entry.question ?? null, question);
          return Promise.reject(
            this.comparison.diverged({ kind: "question", what: "a question to the user", ...sides }),
          );
        }
        this.#answered += 1;
        const { answer, unavailable } = next.entry;
        wasRefused = unavailable !== undefined;
        if (unavailable !== undefined) return Promise.reject(new UserInputUnavailableError(unavailable));
        return Promise.resolve(answer === null ? null : (valueOf(answer) ?? null));
      },
      notify: () => undefined,
    };
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

/** What a person said, as it was. */
function valueOf({ kind, fields }: StoredValue): Str | StrImage | undefined {
  if (kind === StrImage.kind) return StrImage(StrImage.schema.parse(fields));
  return kind === Str.kind ? Str(Str.schema.parse(fields)) : undefined;
}

function fieldsOf(reply: unknown): Readonly<Record<string, unknown>> {
  return typeof reply === "object" && reply !== null ? { ...reply } : {};
}
