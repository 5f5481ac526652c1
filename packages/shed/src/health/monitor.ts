import {
  dedupeExternalDependencies,
  DependencyFailure,
  redactSecrets,
  systemClock,
  type Clock,
  type EventLevel,
  type ExternalDependency,
} from "@roboz/core";
import { setMaxListeners } from "node:events";

import { HealthSettingsError } from "./errors.ts";
import { observe } from "./observation.ts";
import { detached, pendingRecord, type HealthRecord } from "./record.ts";
import { Slots } from "./slots.ts";

/** One thing that a monitor has to say. */
export interface HealthLogEntry {
  /**
   * `warning`: became unavailable, or for another reason than before. `info`: available again. `error`: could not be checked at all.
   * `debug`: anything else.
   */
  readonly level: EventLevel;
  /** For people; shows no secret. */
  readonly message: string;
  /** What is known of the dependency now; null when it is not about one. */
  readonly data: HealthRecord | null;
}

/** How a {@link DependencyHealthMonitor} works. */
export interface HealthMonitorSettings {
  /** Milliseconds from the start of one round to the start of the next; 60 000 by default. */
  readonly intervalMs?: number | undefined;
  /** Milliseconds that a check is waited for; 20 000 by default. */
  readonly timeoutMs?: number | undefined;
  /** How many checks go on at once; 4 by default. */
  readonly maxConcurrency?: number | undefined;
  /** Hears of every check; nobody does by default. What it throws fails the round. */
  readonly log?: ((entry: HealthLogEntry) => void) | undefined;
  /** Values that no text may show, beside those that are known to be secret. */
  readonly secrets?: readonly string[] | undefined;
  /** Measures and waits; the machine's clock by default. */
  readonly clock?: Clock | undefined;
  /** Tells the time of a check; the machine's by default. */
  readonly now?: (() => Date) | undefined;
}

/**
 * Keeps an eye on what agents need from outside: checks it once (`runOnce`) or again and again (`start`), and knows what came of it.
 * Nothing is checked before one of these is called.
 *
 * A check that takes too long is recorded as `timeout`. It is told so by its signal, keeps its place among those that go on at once,
 * and is not begun again until it has ended.
 */
export class DependencyHealthMonitor {
  readonly #dependencies: readonly ExternalDependency[];
  readonly #records = new Map<string, HealthRecord>();
  readonly #intervalMs: number;
  readonly #timeoutMs: number;
  readonly #maxConcurrency: number;
  readonly #log: (entry: HealthLogEntry) => void;
  readonly #secrets: readonly string[];
  readonly #clock: Clock;
  readonly #now: () => Date;
  readonly #slots: Slots;
  /** Checks that have not ended, also those that nobody waits for any more. */
  readonly #working = new Set<string>();
  /** The waits for checks, which end in time. */
  readonly #observing = new Map<string, Promise<void>>();
  #ending = newEnding();
  readonly #rounds = new Set<Promise<unknown>>();
  #scheduler: Promise<void> | undefined;

  /**
   * @param dependencies - The first of each id counts; combine what `agent.externalDependencies()` gives with others.
   * @throws `DependencyError` (`core/dependency`) for an entry that is no dependency; {@link HealthSettingsError}
   * (`shed/health-settings`).
   */
  constructor(dependencies: Iterable<ExternalDependency>, settings: HealthMonitorSettings = {}) {
    const { log = () => undefined, secrets = [], clock = systemClock, now = () => new Date() } = settings;
    this.#dependencies = dedupeExternalDependencies(dependencies);
    this.#intervalMs = checkDuration("intervalMs", settings.intervalMs ?? 60_000);
    this.#timeoutMs = checkDuration("timeoutMs", settings.timeoutMs ?? 20_000);
    this.#maxConcurrency = checkCount("maxConcurrency", settings.maxConcurrency ?? 4);
    this.#log = log;
    this.#secrets = [...secrets];
    this.#clock = clock;
    this.#now = now;
    this.#slots = new Slots(this.#maxConcurrency);
    for (const dependency of this.#dependencies)
      this.#records.set(dependency.dependencyId, pendingRecord(dependency));
  }

  /** Whether `start` was called, and `stop` was not since. */
  get isRunning(): boolean {
    return this.#scheduler !== undefined;
  }

  /** What is known, in the order in which the dependencies were given; copies. */
  records(): readonly HealthRecord[] {
    return [...this.#records.values()].map(detached);
  }

  /** What is known of one dependency; null for an id that was not given. */
  record(dependencyId: string): HealthRecord | null {
    const record = this.#records.get(dependencyId);
    return record === undefined ? null : detached(record);
  }

  /**
   * Checks all dependencies, except those whose last check has not ended, and waits for the results, or for the time to be over.
   *
   * @returns What is known then.
   * @throws What `log` throws, once all was checked.
   */
  async runOnce(): Promise<readonly HealthRecord[]> {
    const round = this.#round(this.#ending.signal);
    this.#rounds.add(round);
    try {
      await round;
    } finally {
      this.#rounds.delete(round);
    }
    return this.records();
  }

  /** Begins to check all dependencies at every interval, from now on until `stop`; nothing new when it does already. */
  start(): void {
    if (this.#scheduler !== undefined) return;
    const { signal } = this.#ending;
    const scheduler = this.#schedule(signal)
      .catch((error: unknown) => {
        this.#reportFailure(error);
      })
      .finally(() => {
        if (this.#scheduler === scheduler) this.#scheduler = undefined;
      });
    this.#scheduler = scheduler;
  }

  /** Ends the rounds that go on, and the schedule, and waits for both; not for checks that do not end. Records stay. */
  async stop(): Promise<void> {
    const ending = this.#ending;
    const scheduler = this.#scheduler;
    this.#ending = newEnding();
    this.#scheduler = undefined;
    ending.abort(new DOMException("The health monitor was stopped", "AbortError"));
    await Promise.allSettled([...this.#rounds, scheduler]);
  }

  async #schedule(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const begun = this.#clock.now();
      try {
        await this.#round(signal);
      } catch (error) {
        this.#reportFailure(error);
      }
      await this.#pause(this.#intervalMs - (this.#clock.now() - begun), signal);
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        stopClock();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const stopClock = this.#clock.after(Math.max(ms, 0), end);
      signal.addEventListener("abort", end, { once: true });
    });
  }

  /** One look at everything. One that fails keeps no other from being made. */
  async #round(signal: AbortSignal): Promise<void> {
    const looks = await Promise.allSettled(this.#dependencies.map((each) => this.#look(each, signal)));
    for (const look of looks) if (look.status === "rejected") throw look.reason;
  }

  async #look(dependency: ExternalDependency, signal: AbortSignal): Promise<void> {
    const { dependencyId: id } = dependency;
    const other = this.#observing.get(id);
    if (other !== undefined) return other;
    if (this.#working.has(id)) return;
    const look = this.#observe(dependency, signal).finally(() => {
      this.#observing.delete(id);
    });
    this.#observing.set(id, look);
    return look;
  }

  async #observe(dependency: ExternalDependency, signal: AbortSignal): Promise<void> {
    const { dependencyId: id } = dependency;
    this.#working.add(id);
    const observed = await observe(dependency, {
      slots: this.#slots,
      clock: this.#clock,
      timeoutMs: this.#timeoutMs,
      signal,
      onEnd: () => {
        this.#working.delete(id);
      },
    });
    const before = this.#records.get(id);
    if (before === undefined || observed.kind === "stopped") return;
    if (observed.kind === "no-slot") {
      const places =
        this.#maxConcurrency === 1 ? "the one place is" : `all ${this.#maxConcurrency} places are`;
      const message = `\`${id}\` was not checked: ${places} taken by checks that do not end`;
      this.#log({ level: "error", message, data: detached(before) });
      return;
    }
    const { failure, latencyMs } = observed;
    const after: HealthRecord = {
      ...before,
      status: failure === null ? "available" : "unavailable",
      checkedAt: this.#now(),
      latencyMs,
      reasonCode: failure?.reasonCode ?? null,
      message: failure === null ? null : redactSecrets(failure.message, { secrets: this.#secrets }),
    };
    this.#records.set(id, after);
    this.#log({ level: levelOf(before, after), message: sentence(after), data: detached(after) });
  }

  /** Says that a round failed. When that cannot be said either, the rounds to come matter more. */
  #reportFailure(error: unknown): void {
    try {
      const { message } = DependencyFailure.fromError(error, { secrets: this.#secrets });
      this.#log({ level: "error", message: `A round of health checks failed: ${message}`, data: null });
    } catch {
      // Nobody is left to tell.
    }
  }
}

/** What ends the rounds that go on. */
function newEnding(): AbortController {
  const ending = new AbortController();
  // Every check listens, which is no leak.
  setMaxListeners(0, ending.signal);
  return ending;
}

function levelOf(before: HealthRecord, after: HealthRecord): EventLevel {
  if (after.status === "available") return before.status === "unavailable" ? "info" : "debug";
  const isNew =
    before.status !== after.status ||
    before.reasonCode !== after.reasonCode ||
    before.message !== after.message;
  return isNew ? "warning" : "debug";
}

function sentence({ dependencyId, status, reasonCode, message }: HealthRecord): string {
  return status === "unavailable"
    ? `\`${dependencyId}\` is unavailable (${reasonCode ?? "check_failed"}): ${message ?? ""}`
    : `\`${dependencyId}\` is ${status}`;
}

function checkDuration(setting: string, given: number): number {
  if (typeof given === "number" && Number.isFinite(given) && given > 0) return given;
  throw new HealthSettingsError({ setting, problem: "is not a finite number above 0" });
}

function checkCount(setting: string, given: number): number {
  if (Number.isSafeInteger(given) && given > 0) return given;
  throw new HealthSettingsError({ setting, problem: "is not a whole number above 0" });
}
