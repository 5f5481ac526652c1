import type { RunState } from "../../agent/run-state.ts";
import { storePosition } from "../../agent/store-position.ts";
import type { GraphFingerprint, RunSnapshot, StoredValue } from "../../agent/snapshot.ts";
import type { RunEvent, RunStatus } from "../events.ts";
import { JournalWriteError } from "./errors.ts";
import { OutsideLog } from "./outside.ts";
import type { JournalEvent, JournalMessage, JournalRecord, JournalReplacement } from "./record.ts";
import type { JournalHandle } from "./store.ts";

/** What the first record of a run says. */
export interface RunFacts {
  readonly agentName: string;
  readonly agentDescription: string;
  readonly fingerprint: GraphFingerprint;
  readonly input: StoredValue;
  readonly base: RunSnapshot | null;
  readonly parentRunId: string | null;
  readonly parentAgentName: string | null;
}

type Unstamped<T> = T extends unknown ? Omit<T, "sequence" | "at"> : never;

/** Writes one run's journal: gathers what a step reports, and writes it as one record when the step is finished. */
export class JournalRecorder {
  /** What reaches the run from outside. */
  readonly outside: OutsideLog;
  readonly #handle: JournalHandle;
  readonly #state: RunState;
  #sequence: number;
  #messages: JournalMessage[] = [];
  #events: JournalEvent[] = [];
  #replacements: JournalReplacement[] = [];
  #lastEvent = 0;
  #failure: JournalWriteError | undefined;

  constructor(handle: JournalHandle, state: RunState, sequence: number) {
    this.#handle = handle;
    this.#state = state;
    this.outside = new OutsideLog(state);
    this.#sequence = sequence;
    state.onReplace = ({ from, to }, messages) => {
      this.#replacements.push({ from, to, messages });
    };
  }

  /** Hears a run's events; attached to its pipe as a sink. */
  hear(event: RunEvent): void {
    // A child's events are in the child's journal.
    if (event.runId !== this.#state.runId) return;
    this.#lastEvent = event.sequence;
    const at = new Date().toISOString();
    if (event.type === "message") {
      const { message, sequence } = event;
      const isRepair = this.#state.messages.at(-1) !== message;
      this.#messages.push(
        isRepair ? { event: sequence, at, message, isRepair } : { event: sequence, at, message },
      );
    } else if (event.type === "runtime") {
      const { category, kind, level, message, data, sequence } = event;
      this.#events.push({ event: sequence, at, category, kind, level, message, data });
    }
  }

  opened(facts: RunFacts): Promise<void> {
    return this.#write({ type: "opened", schemaVersion: 1, runId: this.#state.runId, ...facts });
  }

  resumed(): Promise<void> {
    return this.#write({ type: "resumed" });
  }

  /** A step is finished: what it reported, and where the run stands. */
  step(): Promise<void> {
    const { view, tally, repeats, pending, skills } = this.#state;
    const gathered = { replacements: this.#replacements, messages: this.#messages, events: this.#events };
    const outside = this.outside.take();
    this.#replacements = [];
    this.#messages = [];
    this.#events = [];
    return this.#write({
      type: "step",
      ...gathered,
      ...(outside.length === 0 ? undefined : { outside }),
      position: storePosition(this.#state),
      pending,
      ...(skills.length === 0 ? undefined : { skills }),
      counts: tally.counts(),
      repeats: repeats.state(),
      showings: view.showings(),
    });
  }

  failed(key: string): Promise<void> {
    return this.#write({ type: "once-failed", key });
  }

  intent(key: string): Promise<void> {
    return this.#write({ type: "once-intent", key });
  }

  result(key: string, result: unknown): Promise<void> {
    return this.#write({ type: "once-result", key, result });
  }

  /** The stretch is over. What cannot be written then is not worth the run's result. */
  async ended(status: RunStatus, error?: unknown): Promise<void> {
    const errorType = error instanceof Error ? error.name : undefined;
    const [events, messages, outside] = [this.#events, this.#messages, this.outside.take()];
    try {
      await this.#write({
        type: "ended",
        status,
        ...(errorType === undefined ? undefined : { errorType }),
        ...(messages.length === 0 ? undefined : { messages }),
        ...(outside.length === 0 ? undefined : { outside }),
        events,
        lastEvent: this.#lastEvent,
      });
    } catch {
      // The step before stands, and a reader finds the run as it would after a crash.
    } finally {
      await this.#handle.close();
    }
  }

  /** Behind a record that could not be written there is nothing: a reader could not tell it from a damaged journal. */
  async #write(record: Unstamped<JournalRecord>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#sequence += 1;
    try {
      await this.#handle.append(
        JSON.stringify({ sequence: this.#sequence, at: new Date().toISOString(), ...record }),
      );
    } catch (error) {
      const { runId } = this.#state;
      this.#failure =
        error instanceof JournalWriteError ? error : new JournalWriteError({ runId, cause: error });
      throw this.#failure;
    }
  }
}
