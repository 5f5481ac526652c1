import type { Message, Run, RunSnapshot } from "@roboz/core";

import type { AgentTaskBoundary } from "../wire/tasks.ts";
import { stringifyJson } from "../wire/json.ts";
import { keepConversation, type KeptMessage } from "../store/model-messages.ts";
import type { ThreadStore, ThreadTransaction } from "../store/thread-store.ts";
import type { ThreadWriter } from "../store/thread-writer.ts";
import { holdTurn, noteStep, saveProgress, type ClaimedTurn } from "../store/turns.ts";
import type { TurnWork } from "./answer-text.ts";
import { stateOf, type LoopState } from "./loop-state.ts";
import type { TakenTurn } from "./take-turn.ts";
import type { TurnFacts } from "./turn-facts.ts";
import type { TurnAgent } from "./turn-tools.ts";

/** The call that a tool is carrying out. */
export interface RunningCall {
  /** Empty for what is said to the user, and for default tools, which have no call before they are done. */
  readonly toolUseId: string;
  /** As the thread has it. */
  readonly name: string;
  readonly chosenBy: string;
  readonly startedAt: number;
}

/** What a worker has in hand of one turn: its loop, and the way to the store. */
export class TurnSession {
  readonly store: ThreadStore;
  readonly turn: ClaimedTurn;
  readonly facts: TurnFacts;
  readonly parts: TurnAgent;
  repromptsUsed: number;
  stepsUsed: number;
  /** What every conversation of the agent starts with. */
  opening: readonly Message[] = [];
  /** The conversation as the thread keeps it; the run has the same messages. */
  kept: readonly KeptMessage[];
  calls: readonly string[] = [];
  upstream: string | null = null;
  /** Where the calls stand in the thread. */
  readonly places = new Map<string, AgentTaskBoundary>();
  current: RunningCall | undefined;
  /** Give what brings them back to where they are now. */
  readonly participants: (() => () => void)[] = [];
  /** Why the store could not be written. */
  storeFailure: unknown;
  readonly #startedAt = performance.now();

  constructor(store: ThreadStore, { turn, facts }: TakenTurn, parts: TurnAgent) {
    this.store = store;
    this.turn = turn;
    this.facts = facts;
    this.parts = parts;
    this.kept = facts.conversation;
    this.repromptsUsed = turn.repromptsUsed;
    this.stepsUsed = turn.stepsUsed;
    this.#noted = new Map(
      facts.openCalls.flatMap(({ kind, name, toolUseId }) => (kind === "chain" ? [[name, toolUseId]] : [])),
    );
    for (const { toolUseId, seq, block } of facts.openCalls)
      this.places.set(toolUseId, { message_sequence_num: seq, content_sequence_num: block });
  }

  readonly #noted: Map<string, string>;

  /** A chained call of this tool that was noted before a crash; once. */
  takeNoted(name: string): string | undefined {
    const toolUseId = this.#noted.get(name);
    this.#noted.delete(name);
    return toolUseId;
  }

  /** Puts another message in the place of the conversation's last one. */
  async replaceLast(thread: ThreadWriter, message: Message): Promise<void> {
    const last = this.kept.at(-1);
    if (last === undefined) return;
    await thread.retireModelMessages([last.n]);
    const n = await thread.addModelMessage(last.seq, stringifyJson(message));
    this.kept = [...this.kept.slice(0, -1), { n, seq: last.seq, message }];
  }

  /** Changes the thread, unless the turn is another worker's by now. */
  readonly write = async <T>(work: TurnWork<T>): Promise<T> => {
    const undo = [this.#mark(), ...this.participants.map((mark) => mark())];
    try {
      return await this.store.write(async (transaction) => {
        // A database may have the work begun again; what it did before is not there.
        for (const restore of undo) restore();
        const thread = await holdTurn(transaction, this.turn);
        const result = await work(transaction, thread);
        await thread.save();
        return result;
      });
    } catch (error) {
      this.storeFailure ??= error;
      throw error;
    }
  };

  #mark(): () => void {
    const { kept, calls, upstream, repromptsUsed } = this;
    const goals = this.facts.goals.map(({ status, isChanged }) => ({ status, isChanged }));
    const { isChanged } = this.parts.tasks;
    return () => {
      Object.assign(this, { kept, calls, upstream, repromptsUsed });
      for (const [index, goal] of this.facts.goals.entries()) Object.assign(goal, goals[index]);
      this.parts.tasks.isChanged = isChanged;
    };
  }

  /** Takes a run's conversation for what is kept: restoring it has made its messages anew. */
  follow({ messages }: Run, kept: readonly KeptMessage[]): void {
    const from = this.opening.length;
    this.opening = messages.slice(0, from);
    this.kept = kept.map((one, index) => ({ ...one, message: messages[from + index] ?? one.message }));
  }

  /** Keeps what a step added to the conversation, and where the loop stands now. */
  async keep(
    transaction: ThreadTransaction,
    thread: ThreadWriter,
    snapshot: RunSnapshot,
    step: {
      /** The thread's message that new ones of the conversation belong to. */
      readonly seq: number;
      readonly kind: "llm" | "tool" | "chain";
      readonly name: string;
      readonly waiting?: LoopState["waiting"];
    },
  ): Promise<LoopState> {
    this.kept = await keepConversation(thread, this.kept, this.#withoutOpening(snapshot.messages), step.seq);
    await this.keepGoalsAndTasks(transaction, thread);
    const { calls, upstream } = this;
    const state = stateOf(snapshot, this, { calls, upstream, waiting: step.waiting ?? null });
    await noteStep(transaction, this.turn.turnId, step.kind, JSON.stringify({ name: step.name }));
    await this.saveState(transaction, state);
    return state;
  }

  async saveState(transaction: ThreadTransaction, state: LoopState | null): Promise<void> {
    await saveProgress(transaction, this.turn.turnId, {
      position: state === null ? null : JSON.stringify(state),
      repromptsUsed: this.repromptsUsed,
      stepsUsed: this.stepsUsed,
      spentMs: this.spentMs,
    });
  }

  /** Time that was worked on the turn, in milliseconds. */
  get spentMs(): number {
    return this.turn.spentMs + (performance.now() - this.#startedAt);
  }

  async keepGoalsAndTasks({ queries, now }: ThreadTransaction, thread: ThreadWriter): Promise<void> {
    const changed = this.facts.goals.filter(({ isChanged }) => isChanged);
    for (const goal of changed) {
      await queries.run(
        `UPDATE goals SET status = $3, achieve_tool_use_id = $4, concluded_at = $5
          WHERE thread_id = $1 AND ord = $2`,
        thread.threadId,
        goal.ord,
        goal.status,
        goal.achieveToolUseId,
        goal.status === "pending" ? null : now(),
      );
      goal.isChanged = false;
    }
    if (changed.length > 0) await thread.tell("goals");
    const { tasks } = this.parts;
    if (!tasks.isChanged) return;
    tasks.isChanged = false;
    for (const task of tasks.tasks) {
      await queries.run(
        `INSERT INTO tasks (thread_id, task_id, position, data) VALUES ($1, $2, $3, $4)
          ON CONFLICT (thread_id, task_id) DO UPDATE SET position = $3, data = $4`,
        thread.threadId,
        task.task_id,
        task.position,
        stringifyJson(task),
      );
    }
    await thread.tell("tasks");
  }

  #withoutOpening(messages: readonly Message[]): readonly Message[] {
    const isWhole = this.opening.every((message, index) => message === messages[index]);
    if (isWhole) return messages.slice(this.opening.length);
    const opening = new Set(this.opening);
    return messages.filter((message) => !opening.has(message));
  }
}
