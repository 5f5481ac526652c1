import * as z from "zod";

import { systemClock, type Clock } from "../runtime/clock.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { noUserIo, type UserIo } from "../runtime/user-io.ts";
import type { ToolContext } from "../tools/context.ts";
import { factory } from "../tools/factory.ts";
import type { Tool } from "../tools/tool.ts";
import { NO_MESSAGE } from "../truncation/policy.ts";
import { Empty } from "../values/builtin.ts";
import { value, type Of } from "../values/value.ts";
import type { Agent } from "./agent.ts";
import { BackgroundStartError } from "./errors.ts";
import { parentOf } from "./nesting.ts";
import type { RunReplay } from "./run-replay.ts";
import type { Run } from "./run.ts";

/** What the tool that looks after a background agent returns. */
export const BackgroundStatus = value("background_status", {
  /** What the call found: it started the agent, the agent was running, or it had ended and was started again. */
  status: z.enum(["started", "alive", "restarted"]),
  agent: z.string(),
  /** How many calls there have been, this one included. */
  checks: z.number().int().positive(),
  /** How long the run under way has been going, such as `42s`, `3m07s` or `2h05m`. */
  uptime: z.string(),
});
/** What the tool that looks after a background agent returns. */
export type BackgroundStatus = Of<typeof BackgroundStatus>;

/** How an agent runs in the background. */
export interface BackgroundOptions {
  /** Whom the agent asks; by default nobody, so that a run that asks is suspended, which ends it here. */
  readonly io?: UserIo | undefined;
  /** Where its runs are written. */
  readonly journal?: JournalStore | undefined;
  /** Cancels the run under way, and those that later checks start. */
  readonly signal?: AbortSignal | undefined;
  /** How long a start may take before {@link BackgroundStartError}; 5 000 by default. */
  readonly startTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** A run in the background. */
interface Current {
  readonly run: Run;
  readonly startedAt: number;
  /** Settles when the run says that it started, or is over; never rejects. */
  readonly begun: Promise<void>;
  /** Settles when the run is over; never rejects. */
  readonly ended: Promise<void>;
  isStopping: boolean;
}

const startTimeoutMs = 5_000;

/**
 * An agent that runs beside others: each call of its tool starts it when it is not running, and else only says that it is
 * alive. Its run is nobody's child: it has its own messages and sinks, asks no caller's user, and goes on when the caller ends.
 * All tools made from one of these look after the same run.
 */
export class BackgroundAgent {
  readonly agent: Agent;
  readonly #options: BackgroundOptions;
  readonly #clock: Clock;
  #checks = 0;
  #hasRun = false;
  #current: Current | undefined;
  /** What the last run came to, when its caller is to know of it. */
  #failure: string | undefined;

  constructor(agent: Agent, options: BackgroundOptions = {}) {
    this.agent = agent;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Whether a run is under way. */
  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Starts the agent unless it runs. What its runs come to, also when they fail at once, is told to its sinks, and never
   * to whoever asks here.
   *
   * @throws {@link BackgroundStartError} (`core/background-start`)
   */
  async check(): Promise<BackgroundStatus> {
    this.#checks += 1;
    if (this.#current?.isStopping === true) await this.#current.ended;
    const known = this.#current;
    const status = known !== undefined ? "alive" : this.#hasRun ? "restarted" : "started";
    const current = known ?? this.#start();
    await this.#waitFor(current);
    const { name } = this.agent;
    const uptime = inWords(this.#clock.now() - current.startedAt);
    return BackgroundStatus(
      { status, agent: name, checks: this.#checks, uptime },
      { truncation: NO_MESSAGE },
    );
  }

  /** Cancels the run under way, and resolves when it has ended. The next check starts the agent again. */
  async stop(reason?: unknown): Promise<void> {
    const current = this.#current;
    if (current === undefined) return;
    current.isStopping = true;
    current.run.cancel(reason);
    await current.ended;
  }

  /** Resolves when the run under way has ended, by itself or stopped; at once when none is. It never rejects. */
  async ended(): Promise<void> {
    await this.#current?.ended;
  }

  /** A tool, best among the default tools, that checks the agent; the model is not told what it returns. */
  asTool<const Name extends string = "run_background_agent">(options?: {
    readonly name?: Name;
    readonly description?: string;
  }): Tool<Empty, BackgroundStatus, Name>;
  asTool({
    name = "run_background_agent",
    description = "Start a background agent, or check that it is running.",
  } = {}): Tool<Empty, BackgroundStatus> {
    return factory<Agent>()({
      name,
      description,
      input: Empty,
      output: BackgroundStatus,
      run: (_input, context) => {
        const replay = parentOf(context)?.replay;
        if (replay !== undefined) return recordedStatus(replay, this.agent.name);
        this.#tellFailure(context);
        return this.check();
      },
      // What the agent needs from outside, the tool needs.
    })(this.agent);
  }

  #start(): Current {
    const { io = noUserIo, journal, signal } = this.#options;
    const run = this.agent.start(undefined, { io, journal, signal });
    let begin: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const stopListening = run.addSink(({ type }) => {
      if (type === "run-lifecycle") begin();
    });
    const ended = run
      .finish()
      .then(
        ({ status }) => {
          if (status === "suspended") this.#failure = "waits for a reply that nobody here can give";
        },
        (error: unknown) => {
          this.#failure = `failed with ${error instanceof Error ? error.name : typeof error}`;
        },
      )
      .finally(() => {
        this.#current = undefined;
      });
    const begun = Promise.race([started, ended]).finally(stopListening);
    this.#hasRun = true;
    this.#failure = undefined;
    this.#current = { run, startedAt: this.#clock.now(), begun, ended, isStopping: false };
    return this.#current;
  }

  async #waitFor({ begun }: Current): Promise<void> {
    const timeoutMs = this.#options.startTimeoutMs ?? startTimeoutMs;
    let callOff: () => void = () => undefined;
    const timeUp = new Promise<never>((_resolve, reject) => {
      callOff = this.#clock.after(timeoutMs, () => {
        reject(new BackgroundStartError({ agentName: this.agent.name, timeoutMs }));
      });
    });
    await Promise.race([begun, timeUp]).finally(callOff);
  }

  #tellFailure({ emit }: ToolContext): void {
    if (this.#failure === undefined) return;
    const message = `The background agent ${this.agent.name} ${this.#failure}`;
    emit({ type: "runtime", kind: "failed", level: "warning", message, data: { agent: this.agent.name } });
    this.#failure = undefined;
  }
}

/** What a check found then: in a replay no background agent is started. */
function recordedStatus(replay: RunReplay, agent: string): BackgroundStatus {
  const recorded = replay.recordedOutput();
  const fields =
    recorded?.kind === BackgroundStatus.kind
      ? BackgroundStatus.schema.parse(recorded.fields)
      : { status: "started" as const, agent, checks: 1, uptime: "0s" };
  return BackgroundStatus(fields, { truncation: NO_MESSAGE });
}

function inWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const two = (count: number): string => String(count % 60).padStart(2, "0");
  if (hours > 0) return `${hours}h${two(minutes)}m`;
  return minutes > 0 ? `${minutes}m${two(seconds)}s` : `${seconds}s`;
}
