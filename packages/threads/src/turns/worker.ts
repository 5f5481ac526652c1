import { randomUUID } from "node:crypto";

import { endClientWaits } from "../store/client-wait.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { lockThread } from "../store/thread-writer.ts";
import { closeTurn } from "../store/turn-end.ts";
import { holdTurn, keepTurn, reapTurns } from "../store/turns.ts";
import { readMessages } from "../store/transcript.ts";
import type { AgentMessage } from "../wire/message.ts";
import type { GoalTargets } from "./achieve-tools.ts";
import type { FlushSettings } from "./answer-text.ts";
import type { ThreadAgent } from "./thread-agent.ts";
import { takeTurn, type TakenTurn } from "./take-turn.ts";
import { endOfFailure } from "./turn-problem.ts";
import type { TurnQueue, TurnQueueOptions } from "./turn-queue.ts";
import { TurnRunner, type AbortReason, type TurnLimits, type TurnOutcome } from "./turn-runner.ts";
import { turnAgent } from "./turn-tools.ts";

/** How long a worker holds a turn. */
export interface LeaseSettings {
  /** How long a turn is held without a sign of life, in milliseconds. */
  readonly leaseMs: number;
  /** How often the sign is given. */
  readonly heartbeatMs: number;
  /** How often turns of workers that are gone are looked for. */
  readonly reapMs: number;
  /** How often a turn may lose its worker. */
  readonly attempts: number;
}

/** Makes a title of a thread's first messages; null for none. */
export type TitleMaker = (messages: readonly AgentMessage[]) => string | null | Promise<string | null>;

/** What a worker works with. */
export interface WorkerParts {
  readonly store: ThreadStore;
  readonly queue: TurnQueue;
  /** The agent of a thread, by the key that the thread has. */
  readonly agentFor: (agentKey: string) => ThreadAgent | undefined;
  readonly goals: GoalTargets;
  readonly limits: TurnLimits & TurnQueueOptions & { readonly clientToolTtlMs: number | null };
  readonly lease: LeaseSettings;
  readonly flush: FlushSettings;
  readonly title: TitleMaker;
  /** Told of what went wrong where no request could be answered with it. */
  readonly onError: (error: unknown) => void;
}

/** Takes turns, and drives them. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #name = `worker-${randomUUID()}`;
  readonly #running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  readonly #aside = new Set<Promise<void>>();
  #reaper: NodeJS.Timeout | undefined;
  #stopListening = (): void => undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** Begins to take turns. Turns of an earlier process are taken back at once where there is no other. */
  async start(): Promise<void> {
    const { store, queue, limits, lease } = this.#parts;
    await this.#reap(!store.database.isShared);
    this.#reaper = setInterval(() => {
      void this.#reap(false).catch(this.#parts.onError);
    }, lease.reapMs);
    this.#stopListening = store.onEnded((turnId) => {
      this.#running.get(turnId)?.stop.abort("lost" satisfies AbortReason);
    });
    await queue.start((turnId) => this.#work(turnId), limits);
  }

  /**
   * Takes no more turns, lets those under way and the makers of titles go on for a while, and gives the rest back.
   *
   * @param graceMs - How long they may go on.
   */
  async stop(graceMs: number): Promise<void> {
    clearInterval(this.#reaper);
    await this.#parts.queue.stop();
    const turns = [...this.#running.values()];
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    const ended = Promise.all(turns.map(({ done }) => done));
    await Promise.race([ended.then(() => Promise.all(this.#aside)), grace]);
    clearTimeout(timer);
    for (const { stop } of turns) stop.abort("shutdown" satisfies AbortReason);
    await ended;
    this.#stopListening();
  }

  async #reap(isAll: boolean): Promise<void> {
    const { store, lease, limits } = this.#parts;
    await store.write((transaction) => reapTurns(transaction, { maxAttempts: lease.attempts, isAll }));
    const { clientToolTtlMs: ttlMs } = limits;
    if (ttlMs !== null) await store.write((transaction) => endClientWaits(transaction, ttlMs));
  }

  async #work(turnId: string): Promise<void> {
    const stop = new AbortController();
    const done = this.#drive(turnId, stop).catch((error: unknown) => {
      this.#parts.onError(error);
    });
    this.#running.set(turnId, { stop, done });
    await done;
    this.#running.delete(turnId);
  }

  async #drive(turnId: string, stop: AbortController): Promise<void> {
    const { store, lease, limits } = this.#parts;
    const taken = await store.write((transaction) =>
      takeTurn(transaction, turnId, { worker: this.#name, leaseMs: lease.leaseMs }),
    );
    if (taken === undefined) return;
    const abort = (reason: AbortReason): void => {
      stop.abort(reason);
    };
    const heartbeat = setInterval(() => {
      store
        .write((transaction) => keepTurn(transaction, taken.turn, lease.leaseMs))
        .then((isHeld) => {
          if (!isHeld) abort("lost");
        }, this.#parts.onError);
    }, lease.heartbeatMs);
    const clock = setTimeout(
      () => {
        abort("time");
      },
      Math.max(0, limits.wallMs - taken.turn.spentMs),
    );
    try {
      const outcome = await this.#run(taken, stop.signal);
      if (outcome === "done" && taken.facts.row.title === null) this.#nameThread(taken.turn.threadId);
    } finally {
      clearInterval(heartbeat);
      clearTimeout(clock);
    }
  }

  async #run(taken: TakenTurn, signal: AbortSignal): Promise<TurnOutcome> {
    const { store, goals, limits, flush, agentFor, onError } = this.#parts;
    const { turn, facts } = taken;
    let runner: TurnRunner;
    try {
      const agent = agentFor(facts.row.agentKey);
      if (agent === undefined) throw new Error(`There is no agent \`${facts.row.agentKey}\` any more`);
      // The session is made by the runner, and the tools ask it for the call under way.
      const parts = turnAgent(agent, facts, goals, {
        toolUseId: () => runner.currentCall,
        boundary: () => runner.boundary,
      });
      runner = new TurnRunner({ store, taken, parts, limits, flush, signal, onError });
    } catch (error) {
      onError(error);
      await store.write(async (transaction) => {
        const thread = await holdTurn(transaction, turn);
        await closeTurn(transaction, thread, turn.turnId, endOfFailure(error));
        await thread.save();
      });
      return "failed";
    }
    return runner.run();
  }

  /** Gives a thread its title, beside its turns; a failure is nobody's trouble. */
  #nameThread(threadId: string): void {
    const { store, title } = this.#parts;
    const named = (async () => {
      const made = await title(await store.read((view) => readMessages(view, threadId, { to: 20 })));
      const text = made?.trim().slice(0, 200) ?? "";
      if (text === "") return;
      await store.write(async (transaction) => {
        const thread = await lockThread(transaction, threadId);
        if (thread.row.title !== null) return;
        await thread.setTitle(text);
        await thread.save();
      });
    })().catch(() => undefined);
    this.#aside.add(named);
    void named.finally(() => this.#aside.delete(named));
  }
}

/** The beginning of the first thing the user said. */
export function titleOfFirstMessage(messages: readonly AgentMessage[]): string | null {
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    const text = content.map((block) => (block.content_type === "text" ? block.text : "")).join(" ");
    const line = text.trim().replaceAll(/\s+/g, " ");
    if (line !== "") return line.replace(/^(.{59}).{2,}$/u, "$1…");
  }
  return null;
}
