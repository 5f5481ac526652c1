import {
  errorMessage,
  ReplyError,
  CoreError,
  contentObject,
  userMessage,
  type Message,
  type Run,
  type RunEvent,
  type RunResult,
  type RunSnapshot,
  type Stop,
} from "@roboz/core";

import type { AgentTaskBoundary } from "../wire/tasks.ts";
import { LeaseLostError } from "../store/errors.ts";
import type { KeptMessage } from "../store/model-messages.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { closeTurn, type TurnEnd } from "../store/turn-end.ts";
import { releaseTurn } from "../store/turns.ts";
import { AnswerText, type FlushSettings } from "./answer-text.ts";
import type { ClientAnswer } from "./client-tool.ts";
import { ClientToolFailure } from "./client-tool.ts";
import {
  brokenOff,
  freshState,
  parseLoopMemory,
  repaired,
  snapshotAt,
  type LoopState,
} from "./loop-state.ts";
import { SpeechReader } from "./speech-reader.ts";
import { threadCalls, type ThreadCall } from "./thread-call.ts";
import type { TakenTurn } from "./take-turn.ts";
import { endOfFailure, endOfLimit } from "./turn-problem.ts";
import { TurnSession } from "./turn-session.ts";
import { spokenText } from "./step-values.ts";
import { TurnSteps, type StepEnd } from "./turn-steps.ts";
import type { TurnAgent } from "./turn-tools.ts";

/** How much a turn may do. */
export interface TurnLimits {
  /** Steps of the loop: turns of the model and tools. */
  readonly steps: number;
  /** Time that is worked on the turn, in milliseconds; waiting for a client does not count. */
  readonly wallMs: number;
  /** How often the model is told that goals are open when it ends the turn. */
  readonly reprompts: number;
}

/** Why a turn is given up by its worker. */
export type AbortReason = "lost" | "shutdown" | "time";

/** What a turn is run with. */
export interface TurnRunnerParts {
  readonly store: ThreadStore;
  readonly taken: TakenTurn;
  readonly parts: TurnAgent;
  readonly limits: TurnLimits;
  readonly flush: FlushSettings;
  /** Fires with an {@link AbortReason}. */
  readonly signal: AbortSignal;
  /** Told why a turn failed, which its thread does not show. */
  readonly onError: (error: unknown) => void;
}

/** How a turn left its worker. */
export type TurnOutcome = "done" | "waiting" | "failed" | "lost" | "released";

/** Drives the loop of one turn, and keeps each step. */
export class TurnRunner {
  readonly #session: TurnSession;
  readonly #steps: TurnSteps;
  readonly #answer: AnswerText;
  readonly #taken: TakenTurn;
  readonly #limits: TurnLimits;
  readonly #signal: AbortSignal;
  readonly #onError: (error: unknown) => void;
  #stream: string | undefined;
  #reader = new SpeechReader();

  constructor({ store, taken, parts, limits, flush, signal, onError }: TurnRunnerParts) {
    this.#session = new TurnSession(store, taken, parts);
    this.#answer = new AnswerText(this.#session.write, taken.turn.turnId, flush);
    this.#answer.reuse(taken.openMessage);
    this.#session.participants.push(() => this.#answer.mark());
    this.#steps = new TurnSteps(this.#session, this.#answer, limits.reprompts);
    this.#taken = taken;
    this.#limits = limits;
    this.#signal = signal;
    this.#onError = onError;
  }

  /** The call under way; empty for none. */
  get currentCall(): string {
    return this.#session.current?.toolUseId ?? "";
  }

  /** Where the call under way stands. */
  get boundary(): AgentTaskBoundary {
    const place = this.#session.places.get(this.currentCall);
    return place ?? { message_sequence_num: 0, content_sequence_num: 0 };
  }

  /**
   * Runs the turn to its end, or until it waits for a client.
   *
   * @throws What the store failed with; the turn is then taken up by another worker.
   */
  async run(): Promise<TurnOutcome> {
    try {
      let run = await this.#begin();
      for (;;) {
        if (this.#session.stepsUsed >= this.#limits.steps) return await this.#close(endOfLimit("steps"));
        this.#session.stepsUsed += 1;
        const end = await this.#step(run);
        if (end === "on") continue;
        if (end === "done" || end === "waiting") return end;
        run = this.#restore(end === "again" ? await this.#fresh(null) : end, this.#session.kept);
      }
    } catch (error) {
      return await this.#failed(error);
    } finally {
      this.#answer.drop();
    }
  }

  async #step(run: Run): Promise<StepEnd> {
    this.#steps.start();
    let result: RunResult<Stop> | undefined;
    try {
      result = await threadCalls.run(
        () => this.#call(),
        () => run.step(),
      );
    } finally {
      this.#stream = undefined;
      // The end of a reply is written with what it calls.
      if (!this.#signal.aborted) await (this.#steps.isReply ? this.#answer.pause() : this.#answer.settle());
    }
    if (result?.status === "cancelled") throw new Aborted();
    return this.#steps.keep(run, result);
  }

  /** Where the turn begins, or goes on. */
  async #begin(): Promise<Run> {
    const { facts, parts } = this.#session;
    this.#session.opening = (await parts.agent.describe()).messages;
    const { state } = this.#taken;
    const { conversation } = facts;
    if (state === undefined)
      return this.#restore(await this.#fresh(facts.trigger.text), repaired(conversation, false));
    this.#session.calls = state.calls;
    this.#session.upstream = state.upstream;
    const isOpen = state.run.position.output.kind === "invoke" || state.run.pending !== null;
    const kept = repaired(conversation, isOpen);
    if (state.waiting !== null)
      return this.#answered(state, kept, facts.answers.get(state.waiting.toolUseId));
    if (state.run.pending !== null) return this.#replied(state, kept, facts.trigger.text);
    const { output } = state.run.position;
    if (output.kind === "invoke" && state.calls[0] === "") this.#steps.resumeSaid(spokenText(output));
    return this.#restore(state, kept);
  }

  /** A loop with nothing but its conversation. */
  #fresh(text: string | null): Promise<LoopState> {
    const { parts, facts, turn, opening } = this.#session;
    const memory = this.#steps.memory ?? parseLoopMemory(facts.row.memory);
    const loaded = opening.flatMap(({ messageKind, content }) => {
      const name = messageKind === "auto_loaded_skill" ? contentObject(content)?.["caller"] : undefined;
      return typeof name === "string" ? [name] : [];
    });
    const blank = parts.agent.start(undefined, { runId: turn.turnId }).snapshot();
    const skills = [...new Set([...loaded, ...memory.skills])];
    this.#session.calls = [];
    this.#session.upstream = null;
    return Promise.resolve(freshState(blank, { ...memory, skills }, text));
  }

  /** Goes on with what a client answered. */
  #answered(state: LoopState, kept: readonly KeptMessage[], answer: ClientAnswer | undefined): Run {
    const { toolName = "" } = state.waiting ?? {};
    if (answer?.status === "success") {
      try {
        return this.#restore(state, kept, { reply: answer.output });
      } catch (error) {
        if (!(error instanceof ReplyError)) throw error;
        return this.#broken(state, kept, toolName, "ClientToolError: the result is not what the tool gives");
      }
    }
    const failure = new ClientToolFailure(answer ?? { status: "error", output: {} });
    return this.#broken(state, kept, toolName, `${failure.name}: ${failure.message}`);
  }

  /** Goes on after a call that failed, which the model is told of. */
  #broken(state: LoopState, kept: readonly KeptMessage[], toolName: string, problem: string): Run {
    const said = errorMessage(JSON.stringify({ caller: toolName, error: problem }));
    return this.#restore(brokenOff(state), kept, { added: [said] });
  }

  /** Goes on with what the user replied; a reply that is none begins anew. */
  async #replied(state: LoopState, kept: readonly KeptMessage[], text: string | null): Promise<Run> {
    if (text !== null) {
      try {
        return this.#restore(state, kept, { reply: text });
      } catch (error) {
        if (!CoreError.is(error)) throw error;
      }
    }
    const added = text === null ? [] : [userMessage(text)];
    return this.#restore(await this.#fresh(text), repaired(this.#session.facts.conversation, false), {
      added,
    });
  }

  #restore(
    state: LoopState,
    kept: readonly KeptMessage[],
    { reply, added = [] }: { readonly reply?: unknown; readonly added?: readonly Message[] } = {},
  ): Run {
    const { parts, opening } = this.#session;
    const at = snapshotAt(state, { opening, kept });
    const snapshot: RunSnapshot = { ...at, messages: [...at.messages, ...added] };
    const run = parts.agent.restore(snapshot, reply, {
      allowChanged: true,
      signal: this.#signal,
      sinks: [
        (event) => {
          if (event.runId === run.runId) this.#hear(event);
        },
      ],
      io: this.#steps.io,
      // The server counts steps itself, and goes on for as long as the model finds a way.
      limits: { toolFailures: null, steps: null, llmCalls: null },
      beforeTool: (start) => this.#steps.beforeTool(start, run),
    });
    this.#session.follow(run, kept);
    return run;
  }

  #hear(event: RunEvent): void {
    if (event.type === "message-delta") {
      if (event.messageId !== this.#stream) {
        if (this.#stream !== undefined) this.#answer.restart();
        this.#stream = event.messageId;
        this.#reader = new SpeechReader();
      }
      this.#answer.take(this.#reader.take(event.delta));
      return;
    }
    if (event.type !== "runtime" || event.category !== "tool") return;
    this.#steps.hear(event.kind, event.data["tool"]);
  }

  /** What tools may know of the call under way. */
  #call(): ThreadCall {
    const { facts, current } = this.#session;
    const { threadId, orgId, createdBy } = facts.row;
    return {
      threadId,
      orgId,
      userId: createdBy,
      toolUseId: current?.toolUseId ?? "",
      analysisScope: facts.scope,
      clientContext: facts.clientContext,
    };
  }

  async #failed(error: unknown): Promise<TurnOutcome> {
    const { storeFailure, store, turn } = this.#session;
    if (storeFailure instanceof LeaseLostError) return "lost";
    if (storeFailure !== undefined) throw asError(storeFailure);
    if (!this.#signal.aborted) {
      this.#onError(error);
      return this.#close(endOfFailure(error));
    }
    const reason: unknown = this.#signal.reason;
    if (reason === "time") return this.#close(endOfLimit("time"));
    if (reason === "lost") return "lost";
    await this.#answer.settle();
    await store.write((transaction) => releaseTurn(transaction, turn));
    return "released";
  }

  async #close(end: TurnEnd): Promise<TurnOutcome> {
    const { write, turn } = this.#session;
    try {
      await this.#answer.settle();
      await write(async (transaction, thread) => {
        await this.#session.keepGoalsAndTasks(transaction, thread);
        await closeTurn(transaction, thread, turn.turnId, end);
      });
    } catch (error) {
      if (error instanceof LeaseLostError) return "lost";
      throw error;
    }
    return "failed";
  }
}

function asError(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error(String(failure));
}

/** The run was given up; why is the signal's reason. */
class Aborted extends Error {}
