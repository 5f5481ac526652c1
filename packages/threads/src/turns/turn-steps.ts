import {
  contentObject,
  NO_MESSAGE,
  userMessage,
  type Run,
  type RunResult,
  type RunSnapshot,
  type Stop,
  type StoredValue,
  type ToolStart,
  type UserIo,
} from "@roboz/core";

import { stringifyJson } from "../wire/json.ts";
import type { ThreadTransaction } from "../store/thread-store.ts";
import type { ThreadWriter } from "../store/thread-writer.ts";
import { addCall, answerCall, beginCall, openResults, type CallKind } from "../store/tool-calls.ts";
import { leaveTurn, noteStep } from "../store/turns.ts";
import { reprompt } from "./achieve-tools.ts";
import type { AnswerText } from "./answer-text.ts";
import { callMessage, callOf, type LoopMemory, type LoopState } from "./loop-state.ts";
import { speechActions } from "./speech-reader.ts";
import { failureIn, outputOf, questionOf, spokenText } from "./step-values.ts";
import { GenerationFailure } from "./turn-problem.ts";
import type { TurnSession } from "./turn-session.ts";

/** What a step came to: the loop goes on, there or elsewhere, begins anew, or leaves the worker. */
export type StepEnd = "on" | "again" | "done" | "waiting" | LoopState;

/** Turns the steps of a loop into what a thread shows, and keeps both. */
export class TurnSteps {
  /** What the loop keeps for later, once it has ended. */
  memory: LoopMemory | undefined;
  readonly #session: TurnSession;
  readonly #answer: AnswerText;
  readonly #reprompts: number;
  #isPrompted = false;
  #isFailed = false;
  /** What was said to the user last. */
  #said: string | undefined;
  /** Whether the call under way has been said. */
  #isSaid = false;
  #notices: string[] = [];

  constructor(session: TurnSession, answer: AnswerText, reprompts: number) {
    this.#session = session;
    this.#answer = answer;
    this.#reprompts = reprompts;
    session.participants.push(() => {
      const [said, notices, memory] = [this.#said, this.#notices, this.memory];
      return () => {
        this.#said = said;
        this.#notices = notices;
        this.memory = memory;
      };
    });
  }

  /** Nobody answers at once: a question ends the turn. What is told to the user is text of the thread. */
  readonly io: UserIo = {
    isLive: false,
    ask: () => Promise.resolve(null),
    notify: (text) => {
      this.#notices.push(text);
    },
  };

  /** A step begins. */
  start(): void {
    this.#isPrompted = false;
    this.#isFailed = false;
    this.#session.current = undefined;
  }

  /** Whether the step was a reply of the model. */
  get isReply(): boolean {
    return this.#isPrompted && this.#session.current === undefined;
  }

  /** Hears of a tool. */
  hear(kind: string, tool: unknown): void {
    if (tool === "prompt_llm") {
      if (kind !== "started") return;
      this.#isPrompted = true;
      this.#answer.open();
    } else if (kind === "failed") this.#isFailed = true;
  }

  /** Notes a call before it is made. */
  async beforeTool({ toolName, chosenBy, input }: ToolStart, run: Run): Promise<void> {
    const { parts, calls, upstream, facts, write, turn } = this.#session;
    const name = parts.nameInThread(toolName);
    const startedAt = performance.now();
    if (chosenBy === "default") {
      this.#session.current = { toolUseId: "", name, chosenBy, startedAt };
      return;
    }
    if (chosenBy === "model") {
      const [toolUseId = ""] = calls;
      this.#session.current = { toolUseId, name, chosenBy, startedAt };
      if (toolUseId === "") await this.#say(run);
      else if (!parts.isIdempotent(toolName))
        await write((transaction) => beginCall(transaction, facts.row.threadId, toolUseId));
      return;
    }
    // One that was noted before a crash is gone on with.
    const noted = this.#session.takeNoted(name);
    const isIdempotent = parts.isIdempotent(toolName);
    const toolUseId = await write(async (transaction, thread) => {
      const id = noted ?? transaction.newId("tu_chn");
      if (noted === undefined) {
        const seq = await openResults(transaction, thread, turn.turnId);
        await this.#call(transaction, thread, seq, {
          toolUseId: id,
          name,
          kind: "chain",
          input: { ...input },
          rawRequest: { chained_from: upstream, input: { ...input } },
          isIdempotent,
        });
      }
      if (!isIdempotent) await beginCall(transaction, thread.threadId, id);
      return id;
    });
    this.#session.current = { toolUseId, name, chosenBy, startedAt };
  }

  /** Keeps what a step did. */
  async keep(run: Run, result: RunResult<Stop> | undefined): Promise<StepEnd> {
    const snapshot = run.snapshot();
    if (snapshot.pending?.isRecovery === true) throw new GenerationFailure(questionOf(snapshot) ?? "");
    if (this.isReply) return this.#keepReply(snapshot);
    if (this.#session.current === undefined) return "on";
    return this.#keepTool(snapshot, result);
  }

  /** Keeps the model's reply: what it says, and what it calls. */
  async #keepReply(snapshot: RunSnapshot): Promise<StepEnd> {
    const { write, parts } = this.#session;
    const calls = [snapshot.position.output, ...snapshot.position.calls];
    const [first] = calls;
    const isSpeech = first !== undefined && speechActions.has(callOf(first).action);
    const text = isSpeech ? spokenText(first) : "";
    const moved = await write(async (transaction, thread) => {
      const seq = await this.#answer.complete(thread, text);
      const ids: string[] = [];
      for (const call of calls) ids.push(await this.#addModelCall(transaction, thread, seq, call));
      await thread.setMessageStatus(seq, "completed");
      this.#session.calls = ids;
      this.#session.upstream = null;
      const step = { seq, kind: "llm", name: parts.agent.name } as const;
      const state = await this.#session.keep(transaction, thread, snapshot, step);
      return this.#clientsLast(transaction, thread, state);
    });
    this.#answer.close();
    this.#isSaid = isSpeech;
    if (isSpeech) this.#said = text;
    return moved ?? "on";
  }

  /** Puts the calls that clients carry out behind the others, which are done before anybody waits. */
  async #clientsLast(
    transaction: ThreadTransaction,
    thread: ThreadWriter,
    state: LoopState,
  ): Promise<LoopState | undefined> {
    const { parts } = this.#session;
    const { position } = state.run;
    const calls = [position.output, ...position.calls].map((call, index) => ({
      call,
      id: state.calls[index] ?? "",
      isClient: parts.isClientTool(callOf(call).action),
    }));
    const ordered = [
      ...calls.filter(({ isClient }) => !isClient),
      ...calls.filter(({ isClient }) => isClient),
    ];
    const [first, ...others] = ordered;
    if (first === undefined || ordered.every((one, index) => one === calls[index])) return undefined;
    const moved = {
      ...state,
      run: {
        ...state.run,
        position: { ...position, output: first.call, calls: others.map(({ call }) => call) },
      },
      calls: ordered.map(({ id }) => id),
    };
    this.#session.calls = moved.calls;
    await this.#session.replaceLast(thread, callMessage(first.call));
    await this.#session.saveState(transaction, moved);
    return moved;
  }

  /** What the call that comes next says was said already. */
  resumeSaid(text: string): void {
    this.#isSaid = true;
    this.#said = text;
  }

  async #addModelCall(
    transaction: ThreadTransaction,
    thread: ThreadWriter,
    seq: number,
    call: StoredValue,
  ): Promise<string> {
    const { parts } = this.#session;
    const { action, input } = callOf(call);
    if (speechActions.has(action)) return "";
    const toolUseId = transaction.newId("tu");
    await this.#call(transaction, thread, seq, {
      toolUseId,
      name: parts.nameInThread(action),
      kind: parts.isClientTool(action) ? "client" : "server",
      input,
      rawRequest: { ...call.fields },
      isIdempotent: parts.isIdempotent(action),
    });
    return toolUseId;
  }

  async #call(
    transaction: ThreadTransaction,
    thread: ThreadWriter,
    seq: number,
    call: {
      readonly toolUseId: string;
      readonly name: string;
      readonly kind: CallKind;
      readonly input: Record<string, unknown>;
      readonly rawRequest: Record<string, unknown>;
      readonly isIdempotent: boolean;
    },
  ): Promise<void> {
    const { turn, places } = this.#session;
    const block = await addCall(transaction, thread, seq, { ...call, turnId: turn.turnId });
    places.set(call.toolUseId, { message_sequence_num: seq, content_sequence_num: block });
  }

  /** Says what the call under way says, unless its reply has said it already. */
  async #say(run: Run): Promise<void> {
    if (this.#isSaid) {
      this.#isSaid = false;
      return;
    }
    const value = contentObject(run.messages.at(-1)?.content ?? "")?.["value"];
    const text = typeof value === "string" ? value : "";
    this.#said = text;
    await this.#session.write((_transaction, thread) => this.#addText(thread, text));
  }

  async #addText(thread: ThreadWriter, text: string): Promise<void> {
    if (text.trim() === "") return;
    const seq = await thread.addMessage("assistant", "generating", { turnId: this.#session.turn.turnId });
    await thread.addBlock(seq, { content_type: "text", text });
    await thread.setMessageStatus(seq, "completed");
  }

  /** Keeps what a tool gave, or that it waits. */
  async #keepTool(snapshot: RunSnapshot, result: RunResult<Stop> | undefined): Promise<StepEnd> {
    const { write, current, calls } = this.#session;
    if (current === undefined) return "on";
    const isModelCall = current.chosenBy === "model";
    const question = questionOf(snapshot);
    return write(async (transaction, thread) => {
      if (isModelCall) this.#session.calls = calls.slice(1);
      const toolUseId = await this.#result(transaction, thread, snapshot, result);
      await this.#addNotices(thread);
      this.#session.upstream = toolUseId === "" ? this.#session.upstream : toolUseId;
      const isWaiting = snapshot.pending !== null && question === undefined;
      const state = await this.#session.keep(transaction, thread, snapshot, {
        seq: thread.messageCount - 1,
        kind: current.chosenBy === "chain" ? "chain" : "tool",
        name: current.name,
        waiting: isWaiting ? { toolUseId, toolName: current.name } : null,
      });
      if (isWaiting) {
        await leaveTurn(transaction, this.#session.turn.turnId, "waiting_client");
        await thread.setStatus("client_tool_turn");
        return "waiting";
      }
      if (question !== undefined) {
        if (this.#said !== question) await this.#addText(thread, question);
        return this.#end(transaction, thread, state, true);
      }
      if (result?.status !== "completed") return "on";
      const { value } = result.output;
      if (value !== null && value !== this.#said) await this.#addText(thread, value);
      return this.#end(transaction, thread, state, false);
    });
  }

  /** Adds the result of the call under way; gives the call's identifier, empty for what has none. */
  async #result(
    transaction: ThreadTransaction,
    thread: ThreadWriter,
    snapshot: RunSnapshot,
    result: RunResult<Stop> | undefined,
  ): Promise<string> {
    const { current, turn, facts } = this.#session;
    if (current === undefined) return "";
    const isWaiting = snapshot.pending !== null && questionOf(snapshot) === undefined;
    let { toolUseId } = current;
    if (current.chosenBy === "default") {
      const isShown = JSON.stringify(snapshot.messages.at(-1)?.truncation) !== JSON.stringify(NO_MESSAGE);
      if (snapshot.pending !== null ? !isWaiting : !isShown) return "";
      toolUseId = transaction.newId("tu_dft");
      const seq = await openResults(transaction, thread, turn.turnId);
      await this.#call(transaction, thread, seq, {
        toolUseId,
        name: current.name,
        kind: "default",
        input: {},
        rawRequest: {},
        isIdempotent: true,
      });
    }
    if (toolUseId === "") return "";
    if (isWaiting) {
      await transaction.queries.run(
        "UPDATE tool_calls SET kind = 'client', state = 'pending' WHERE thread_id = $1 AND tool_use_id = $2",
        thread.threadId,
        toolUseId,
      );
      return toolUseId;
    }
    // A client's answer stands there already.
    if (facts.answers.has(toolUseId)) return toolUseId;
    await answerCall(transaction, thread, turn.turnId, {
      toolUseId,
      name: current.name,
      status: this.#isFailed ? "error" : "success",
      runtimeMs: Math.round(performance.now() - current.startedAt),
      output: this.#isFailed ? { error: failureIn(snapshot) } : outputOf(snapshot, result),
    });
    return toolUseId;
  }

  /** What tools told the user is text among their results. */
  async #addNotices(thread: ThreadWriter): Promise<void> {
    const notices = this.#notices;
    this.#notices = [];
    for (const notice of notices) await this.#addText(thread, notice);
  }

  /** The loop wants to end the turn: it may when no goal is open, or when it was told often enough. */
  async #end(
    transaction: ThreadTransaction,
    thread: ThreadWriter,
    state: LoopState,
    isQuestion: boolean,
  ): Promise<StepEnd> {
    const { facts, turn } = this.#session;
    const { turnId } = turn;
    this.memory = { skills: state.run.skills, showings: state.showings };
    thread.setMemory(JSON.stringify(this.memory));
    const open = facts.goals.filter(({ status }) => status === "pending");
    if (open.length > 0 && this.#session.repromptsUsed < this.#reprompts) {
      this.#session.repromptsUsed += 1;
      const message = userMessage(reprompt(facts.goals));
      const seq = thread.messageCount - 1;
      const n = await thread.addModelMessage(seq, stringifyJson(message));
      this.#session.kept = [...this.#session.kept, { n, seq, message }];
      await noteStep(transaction, turnId, "reprompt", "{}");
      await this.#session.saveState(transaction, null);
      this.#said = undefined;
      return "again";
    }
    for (const goal of open) {
      goal.status = "failed";
      goal.isChanged = true;
    }
    await this.#session.keepGoalsAndTasks(transaction, thread);
    thread.setQuestion(isQuestion && open.length === 0 ? JSON.stringify(state) : null);
    await leaveTurn(transaction, turnId, "done");
    await thread.setStatus(open.length > 0 ? "goals_failed" : "user_turn");
    return "done";
  }
}
