import { LimitReachedError, ToolOutputError, UnknownToolError } from "../errors.ts";
import type { GraphNode } from "../chains/graph.ts";
import { narrowed, nextInChain } from "../chains/next.ts";
import { JournalWriteError, OnceUncertainError } from "../runtime/journal/errors.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import { checkOutput, inputFor } from "../tools/call.ts";
import { ERROR_RETRY } from "../truncation/policy.ts";
import { errorMessage, finaliseValue, type Message } from "../values/message.ts";
import { familyOf, type AnyValue } from "../values/value.ts";
import { askModel, promptTokens } from "./ask-model.ts";
import type { CompiledAgent } from "./compiled.ts";
import { ReplyError } from "./errors.ts";
import type { EffectiveLimits } from "./limits.ts";
import { interruptedNotice, recoveryQuestions, recoveryReason } from "./recovery.ts";
import { replyFor } from "./restore.ts";
import type { RunState } from "./run-state.ts";
import type { ChosenBy } from "./snapshot.ts";
import type { StepContext } from "./step-context.ts";
import { BodyFailure, Cancellation, ToolCaller } from "./tool-call.ts";
import { toolFailed, toolStarted, toolSucceeded } from "./tool-events.ts";

/** A tool about to run. */
interface Chosen {
  readonly node: GraphNode;
  readonly input: AnyValue;
  readonly chosenBy: ChosenBy;
}

/** What a run's steps work with. */
export interface StepperParts {
  readonly agent: CompiledAgent;
  readonly state: RunState;
  readonly pipe: EventPipe;
  readonly context: StepContext;
  readonly limits: EffectiveLimits;
}

/** Takes a run's steps: choose the next tool, run it, record its output. */
export class Stepper {
  readonly #agent: CompiledAgent;
  readonly #state: RunState;
  readonly #pipe: EventPipe;
  readonly #context: StepContext;
  readonly #caller: ToolCaller;
  readonly #limits: EffectiveLimits;

  constructor({ agent, state, pipe, context, limits }: StepperParts) {
    this.#agent = agent;
    this.#state = state;
    this.#pipe = pipe;
    this.#context = context;
    this.#caller = new ToolCaller(pipe, context);
    this.#limits = limits;
  }

  /** Adds a message to the conversation and reports it. */
  append(message: Message): void {
    this.#state.append(message);
    this.#pipe.message(message);
  }

  /**
   * One step.
   *
   * @returns The Stop that ends the run; undefined while it goes on, or waits (`state.pending`).
   */
  async advance(): Promise<AnyValue | undefined> {
    this.#checkCancelled();
    const { last, output } = this.#state;
    if (last !== undefined && familyOf(output) === "stop") return output;
    const chosen = this.#choose();
    this.#checkCancelled();
    return chosen.node.role === "prompter" ? this.#promptModel(chosen.node) : this.#runTool(chosen);
  }

  /** Takes a reply for the output of the tool that asked for it, or lets the tool work it into one. */
  async accept(node: GraphNode, reply: unknown): Promise<void> {
    const { pending } = this.#state;
    const resume = node.tool.suspends?.resume;
    if (resume === undefined || pending?.isRecovery === true) this.#take(node, replyFor(node, reply));
    else
      await this.#carry(node, pending?.chosenBy ?? "default", () =>
        this.#caller.resume(node, reply, pending?.state),
      );
  }

  #take(node: GraphNode, reply: AnyValue): void {
    const { pending } = this.#state;
    this.#state.pending = null;
    this.append(finaliseValue(reply, { caller: node.name }));
    if (pending?.isRecovery === true) this.#state.startOver();
    else this.#state.moveTo(node, reply, pending?.chosenBy ?? "default");
  }

  #checkCancelled(): void {
    if (this.#pipe.isCancelled) throw new Cancellation(this.#pipe.cancelReason);
  }

  #choose(): Chosen {
    const { last, output, calls } = this.#state;
    if (last !== undefined) {
      if (familyOf(output) === "invoke") return this.#called(output, last);
      const child = nextInChain(last, output);
      if (child !== undefined)
        return { node: child, input: narrowed(last, child, output), chosenBy: "chain" };
    }
    const call = calls.shift();
    if (call !== undefined) {
      this.#recordCall(call);
      return this.#called(call, undefined);
    }
    const node = this.#state.nextDefault(this.#agent);
    return {
      node,
      input: node.role === "prompter" ? output : inputFor(node.tool, output),
      chosenBy: "default",
    };
  }

  /** What a call leads to: the model's own, or one that another tool returned. */
  #called(call: AnyValue, caller: GraphNode | undefined): Chosen {
    const action = String(Reflect.get(call, "action"));
    const { callable } = this.#agent.graph;
    const node = callable.get(action);
    if (node === undefined) {
      throw new UnknownToolError({
        caller: `\`${caller?.name ?? "prompt_llm"}\``,
        action,
        known: [...callable.keys()],
      });
    }
    const isTool = caller !== undefined && caller.role !== "prompter";
    const input = this.#state.prepared.get(call) ?? inputFor(node.tool, call);
    return { node, input, chosenBy: isTool ? "tool" : "model" };
  }

  #recordCall(call: AnyValue): void {
    this.#state.repeats.called(this.#state.messages.length);
    this.append(finaliseValue(call));
  }

  async #promptModel(node: GraphNode): Promise<undefined> {
    const state = this.#state;
    toolStarted(this.#pipe, node.name);
    const startedAt = performance.now();
    const append = (message: Message): void => {
      this.append(message);
    };
    try {
      const [first, ...others] = await askModel({
        agent: this.#agent,
        state,
        pipe: this.#pipe,
        limits: this.#limits,
        append,
      });
      if (first === undefined) throw new Error("A completion without an action was accepted");
      const durationMs = performance.now() - startedAt;
      state.tally.spend(node.name, durationMs);
      toolSucceeded(this.#pipe, node.name, first, durationMs);
      this.#recordCall(first);
      state.moveTo(node, first, "default");
      state.calls = others;
    } catch (error) {
      this.#failed(node, error, startedAt);
      if (this.#pipe.isCancelled) throw new Cancellation(this.#pipe.cancelReason);
      await this.#recover(error);
    }
  }

  async #runTool({ node, input, chosenBy }: Chosen): Promise<AnyValue | undefined> {
    const { tally, repeats } = this.#state;
    if (tally.steps >= this.#limits.steps)
      throw new LimitReachedError({ limit: "steps", allowed: this.#limits.steps });
    tally.steps += 1;
    if (chosenBy === "chain") tally.chainedSteps += 1;
    if (chosenBy === "chain" || chosenBy === "tool") tally.skip(promptTokens(this.#agent.model, this.#state));
    if (node.tool.polls) repeats.exempt();
    return this.#carry(node, chosenBy, () => this.#caller.call(node, input));
  }

  /** Runs a tool's body and takes its output, or its failure. */
  async #carry(node: GraphNode, chosenBy: ChosenBy, body: () => unknown): Promise<AnyValue | undefined> {
    const { tally } = this.#state;
    toolStarted(this.#pipe, node.name);
    const startedAt = performance.now();
    let output: AnyValue;
    try {
      const returned = body();
      output = checkOutput(node.tool, returned instanceof Promise ? await returned : returned);
    } catch (error) {
      this.#failed(node, error, startedAt);
      await this.#survive(error);
      return undefined;
    }
    const durationMs = performance.now() - startedAt;
    tally.spend(node.name, durationMs);
    toolSucceeded(this.#pipe, node.name, output, durationMs);
    tally.failuresInRow = 0;
    this.#state.pending = null;
    return this.#finish(node, output, chosenBy);
  }

  /** Records a tool's output, and moves on to what it leads to. */
  #finish(node: GraphNode, output: AnyValue, chosenBy: ChosenBy): AnyValue | undefined {
    const { tally } = this.#state;
    for (const { range, messages } of this.#context.takeReplacements()) this.#state.replace(range, messages);
    if (familyOf(output) === "suspend") {
      this.#wait(node, output, chosenBy, false);
      return undefined;
    }
    this.append(finaliseValue(output, { caller: node.name }));
    this.#state.moveTo(node, output, chosenBy);
    if (familyOf(output) !== "stop") return undefined;
    if (chosenBy !== "model") tally.skip(promptTokens(this.#agent.model, this.#state));
    return output;
  }

  #failed(node: GraphNode, error: unknown, startedAt: number): void {
    const durationMs = performance.now() - startedAt;
    this.#state.tally.spend(node.name, durationMs);
    toolFailed(this.#pipe, node.name, error, durationMs);
    this.#context.takeReplacements();
  }

  /** Goes on after a tool's failure, where the model can be told of it; else the failure ends the run. */
  async #survive(error: unknown): Promise<void> {
    if (!(error instanceof BodyFailure)) throw error;
    const { cause, node } = error;
    // No model can mend these: the host has to know.
    if (isForHost(cause)) throw cause;
    if (recoveryReason(cause) !== undefined) return this.#recover(cause);
    const { tally } = this.#state;
    tally.failuresInRow += 1;
    if (!this.#agent.showsToolErrors || tally.failuresInRow >= this.#limits.toolFailures) throw cause;
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    this.append(
      errorMessage(JSON.stringify({ caller: node.name, error: text }), { truncation: ERROR_RETRY }),
    );
    this.#state.breakOff();
  }

  /** Asks the user how to go on after a failure of the model's provider, or an interruption. */
  async #recover(error: unknown): Promise<void> {
    const reason = recoveryReason(error);
    const node = this.#agent.promptUser;
    if (reason === undefined || node === undefined) throw error;
    if (reason === "interrupted") {
      this.#pipe.clearInterrupt();
      this.append(interruptedNotice());
    }
    const returned = await this.#ask(node, recoveryQuestions[reason]);
    const output = checkOutput(node.tool, returned);
    if (familyOf(output) === "suspend") {
      this.#wait(node, output, "default", true);
      return;
    }
    this.append(finaliseValue(output, { caller: node.name }));
    this.#state.startOver();
  }

  async #ask(node: GraphNode, question: string): Promise<unknown> {
    try {
      return await this.#caller.call(node, inputFor(node.tool, { value: question }));
    } catch (error) {
      throw error instanceof BodyFailure ? error.cause : error;
    }
  }

  /** Parks the run until somebody brings the reply. */
  #wait(node: GraphNode, output: AnyValue, chosenBy: ChosenBy, isRecovery: boolean): void {
    const { name, suspends, outputs } = node.tool;
    const parsed = suspends?.request.safeParse(Reflect.get(output, "request"));
    if (parsed?.success !== true) {
      throw new ToolOutputError({
        toolName: name,
        returned: "a request that `suspends.request` rejects",
        declared: outputs.map(({ kind }) => kind),
      });
    }
    const state: unknown = Reflect.get(output, "state");
    const pending = { tool: node.key, request: parsed.data, chosenBy, isRecovery };
    this.#state.pending = state === undefined ? pending : { ...pending, state };
  }
}

/** Whether a tool's failure is one that only whoever runs the agent can mend. */
function isForHost(cause: unknown): boolean {
  return (
    cause instanceof OnceUncertainError || cause instanceof JournalWriteError || cause instanceof ReplyError
  );
}
