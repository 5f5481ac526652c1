import { LimitReachedError, ToolOutputError, UnknownToolError } from "../errors.ts";
import type { GraphNode } from "../chains/graph.ts";
import { narrowed, nextInChain } from "../chains/next.ts";
import { systemClock } from "../runtime/clock.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import { SkillPrerequisiteError } from "../skills/errors.ts";
import { checkOutput, inputFor } from "../tools/call.ts";
import { ERROR_RETRY } from "../truncation/policy.ts";
import { errorMessage, finaliseValue, type Message } from "../values/message.ts";
import { familyOf, type AnyValue } from "../values/value.ts";
import { askModel, promptTokens } from "./ask-model.ts";
import type { CompiledAgent } from "./compiled.ts";
import type { EffectiveLimits } from "./limits.ts";
import { failureText, interruptedNotice, recoveryQuestion, recoveryReason } from "./recovery.ts";
import { replyFor } from "./restore.ts";
import type { RunState } from "./run-state.ts";
import type { RunOptions } from "./settings.ts";
import type { ChosenBy, PendingRequest } from "./snapshot.ts";
import type { StepContext } from "./step-context.ts";
import { BodyFailure, Cancellation, ToolCaller } from "./tool-call.ts";
import { isForHost } from "./host-failure.ts";
import { toolFailed, toolStarted, toolSucceeded } from "./tool-events.ts";

/** A tool about to run. */
interface Chosen {
  readonly node: GraphNode;
  readonly input: AnyValue;
  readonly chosenBy: ChosenBy;
}

/** A tool whose body is about to run, or to go on with a reply. */
interface Step {
  readonly node: GraphNode;
  readonly chosenBy: ChosenBy;
  /** Whether it was counted when it suspended. */
  readonly isCounted: boolean;
}

/** What a step gives: the Stop that ends the run, or undefined while it goes on, or waits. */
type Advanced = AnyValue | undefined;

/** What a run's steps work with. */
export interface StepperParts {
  readonly agent: CompiledAgent;
  readonly state: RunState;
  readonly pipe: EventPipe;
  readonly context: StepContext;
  readonly limits: EffectiveLimits;
  readonly beforeTool?: RunOptions["beforeTool"];
}

/** Takes a run's steps: choose the next tool, run it, record its output. */
export class Stepper {
  readonly #agent: CompiledAgent;
  readonly #state: RunState;
  readonly #pipe: EventPipe;
  readonly #caller: ToolCaller;
  readonly #limits: EffectiveLimits;
  readonly #beforeTool: RunOptions["beforeTool"];
  #endedAt = 0;

  constructor({ agent, state, pipe, context, limits, beforeTool }: StepperParts) {
    this.#agent = agent;
    this.#state = state;
    this.#pipe = pipe;
    this.#caller = new ToolCaller(pipe, context);
    this.#limits = limits;
    this.#beforeTool = beforeTool;
  }

  /** When the last tool ended, by the machine's clock. */
  get endedAt(): number {
    return this.#endedAt;
  }

  /** Adds a message to the conversation and reports it. */
  append(message: Message): void {
    this.#state.append(message);
    this.#pipe.message(message);
  }

  /**
   * One step.
   *
   * @returns The Stop that ends the run; undefined while it goes on, or waits (`state.pending`). A promise only when
   * there is something to wait for.
   */
  advance(): Advanced | Promise<Advanced> {
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
    const { chosenBy, isRecovery, state } = pending ?? {
      chosenBy: "default",
      isRecovery: false,
      state: undefined,
    };
    if (node.tool.suspends?.resume !== undefined && !isRecovery) {
      await this.#carry({ node, chosenBy, isCounted: true }, () => this.#caller.resume(node, reply, state));
      return;
    }
    const output = replyFor(node, reply);
    this.#state.pending = null;
    if (isRecovery) this.#startOver(node, output);
    else this.#pipe.message(this.#moveTo(node, output, chosenBy));
  }

  #checkCancelled(): void {
    if (this.#pipe.isCancelled) throw new Cancellation(this.#pipe.cancelReason);
  }

  #choose(): Chosen {
    const { last, output, calls } = this.#state;
    if (last !== undefined) {
      if (familyOf(output) === "invoke") return this.#called(output, last);
      const child = nextInChain(last, output, this.#state.reach.isThere);
      if (child !== undefined)
        return { node: child, input: narrowed(last, child, output), chosenBy: "chain" };
    }
    const [call] = calls;
    const { prompter } = this.#agent.graph;
    if (call !== undefined && prompter !== undefined) {
      this.#pipe.message(this.#recordCall(prompter, call, calls.slice(1)));
      return this.#called(call, prompter);
    }
    const node = this.#state.nextDefault();
    return {
      node,
      input: node.role === "prompter" ? output : inputFor(node.tool, output),
      chosenBy: "default",
    };
  }

  /** What a call leads to: the model's own, or one that another tool returned. */
  #called(call: AnyValue, caller: GraphNode): Chosen {
    const action = String(Reflect.get(call, "action"));
    const { callable } = this.#state.reach;
    const node = callable.get(action);
    if (node === undefined)
      throw new UnknownToolError({ caller: `\`${caller.name}\``, action, known: [...callable.keys()] });
    if (caller.role !== "prompter") return { node, input: inputFor(node.tool, call), chosenBy: "tool" };
    const input = this.#state.prepared.get(call) ?? inputFor(node.tool, argumentsOf(call));
    return { node, input, chosenBy: "model" };
  }

  #recordCall(prompter: GraphNode, call: AnyValue, others: readonly AnyValue[]): Message {
    const message = finaliseValue(call);
    this.#state.repeats.called(this.#state.messages.length);
    this.#state.append(message);
    this.#state.takeCall(prompter, call, others);
    return message;
  }

  async #promptModel(node: GraphNode): Promise<undefined> {
    toolStarted(this.#pipe, node.name, "default");
    const startedAt = systemClock.now();
    let calls: readonly AnyValue[];
    try {
      calls = await askModel({
        agent: this.#agent,
        state: this.#state,
        pipe: this.#pipe,
        limits: this.#limits,
        append: (message) => {
          this.append(message);
        },
      });
    } catch (error) {
      this.#pipe.dropStream();
      this.#failed(node, error, startedAt);
      if (this.#pipe.isCancelled) throw new Cancellation(this.#pipe.cancelReason);
      return this.#recover(error);
    }
    const [first, ...others] = calls;
    if (first === undefined) throw new Error("A completion without an action was accepted");
    const durationMs = this.#spend(node, startedAt);
    this.#state.endTurn();
    const message = this.#recordCall(node, first, others);
    toolSucceeded(this.#pipe, node.name, first, durationMs);
    this.#pipe.message(message);
    return undefined;
  }

  #runTool({ node, input, chosenBy }: Chosen): Advanced | Promise<Advanced> {
    this.#checkSteps();
    this.#checkPrerequisite(node);
    if (node.tool.polls) this.#state.repeats.exempt();
    const step = { node, chosenBy, isCounted: false };
    const body = (): unknown => this.#caller.call(node, input);
    if (this.#beforeTool === undefined) return this.#carry(step, body);
    return this.#carryAfter(this.#beforeTool({ toolName: node.name, chosenBy, input }), step, body);
  }

  /** Runs a tool's body once its host is ready for it. */
  async #carryAfter(ready: unknown, step: Step, body: () => unknown): Promise<Advanced> {
    await ready;
    this.#checkCancelled();
    return this.#carry(step, body);
  }

  /** Runs a tool's body and takes its output, or its failure. */
  #carry(step: Step, body: () => unknown): Advanced | Promise<Advanced> {
    toolStarted(this.#pipe, step.node.name, step.chosenBy);
    const startedAt = systemClock.now();
    let returned: unknown;
    try {
      returned = body();
    } catch (error) {
      return this.#break(step, error, startedAt);
    }
    return returned instanceof Promise
      ? this.#carryOn(step, returned, startedAt)
      : this.#take(step, returned, startedAt);
  }

  async #carryOn(step: Step, promise: Promise<unknown>, startedAt: number): Promise<Advanced> {
    let returned: unknown;
    try {
      returned = await promise;
    } catch (error) {
      return this.#break(step, error, startedAt);
    }
    return this.#take(step, returned, startedAt);
  }

  async #break(step: Step, error: unknown, startedAt: number): Promise<Advanced> {
    this.#caller.close();
    this.#failed(step.node, error, startedAt);
    await this.#survive(error, step);
    return undefined;
  }

  #take(step: Step, returned: unknown, startedAt: number): Advanced | Promise<Advanced> {
    const { node, chosenBy } = step;
    let output: AnyValue;
    let waiting: PendingRequest | null;
    try {
      output = checkOutput(node.tool, returned);
      waiting =
        familyOf(output) === "suspend" ? requestOf(node, output, { chosenBy, isRecovery: false }) : null;
    } catch (error) {
      return this.#break(step, error, startedAt);
    }
    const durationMs = this.#spend(node, startedAt);
    this.#state.tally.failuresInRow = 0;
    this.#state.pending = waiting;
    if (node.loads !== null) this.#state.load([node.loads.name]);
    this.#count(step);
    for (const { range, messages } of this.#caller.close()) this.#state.replace(range, messages);
    if (waiting !== null) {
      toolSucceeded(this.#pipe, node.name, output, durationMs);
      return undefined;
    }
    // The state first, then those who hear of it: what a sink throws, or a snapshot it takes, finds the step finished.
    const message = this.#moveTo(node, output, chosenBy);
    toolSucceeded(this.#pipe, node.name, output, durationMs);
    this.#pipe.message(message);
    return familyOf(output) === "stop" ? output : undefined;
  }

  /** Records a tool's output, and moves on to what it leads to. */
  #moveTo(node: GraphNode, output: AnyValue, chosenBy: ChosenBy): Message {
    const { tally } = this.#state;
    const message = finaliseValue(output, { caller: node.name });
    this.#state.append(message);
    this.#state.moveTo(node, output, chosenBy);
    if (familyOf(output) === "stop" && chosenBy !== "model")
      tally.skip(promptTokens(this.#agent.model, this.#state));
    return message;
  }

  #checkSteps(): void {
    const { steps } = this.#limits;
    if (this.#state.tally.steps >= steps) throw new LimitReachedError({ limit: "steps", allowed: steps });
  }

  #checkPrerequisite({ loads }: GraphNode): void {
    const prerequisite = loads?.dependsOn?.name;
    const { skills } = this.#state.reach;
    if (loads !== null && prerequisite !== undefined && !skills.has(prerequisite))
      throw new SkillPrerequisiteError({ skillName: loads.name, prerequisite });
  }

  /** Counts a step that is about to be recorded: one that has failed the run, or was cut off, is not. */
  #count({ chosenBy, isCounted }: Step): void {
    const { tally } = this.#state;
    if (isCounted) return;
    tally.steps += 1;
    if (chosenBy === "chain") tally.chainedSteps += 1;
    if (chosenBy === "chain" || chosenBy === "tool") tally.skip(promptTokens(this.#agent.model, this.#state));
  }

  #spend({ name }: GraphNode, startedAt: number): number {
    this.#endedAt = systemClock.now();
    const durationMs = this.#endedAt - startedAt;
    this.#state.tally.spend(name, durationMs);
    return durationMs;
  }

  #failed(node: GraphNode, error: unknown, startedAt: number): void {
    toolFailed(this.#pipe, node.name, error, this.#spend(node, startedAt));
  }

  /** Goes on after a tool's failure, where the model can be told of it; else the failure ends the run. */
  async #survive(error: unknown, step: Step): Promise<void> {
    if (!(error instanceof BodyFailure)) throw error;
    const { cause } = error;
    // No model can mend these: the host has to know.
    if (isForHost(cause)) throw cause;
    if (recoveryReason(cause) !== undefined) return this.#recover(cause);
    const { tally } = this.#state;
    tally.failuresInRow += 1;
    if (!this.#agent.showsToolErrors || tally.failuresInRow >= this.#limits.toolFailures) throw cause;
    this.#count(step);
    const text = JSON.stringify({ caller: step.node.name, error: failureText(cause) });
    const message = errorMessage(text, { truncation: ERROR_RETRY });
    this.#state.append(message);
    this.#state.breakOff(step.chosenBy);
    this.#pipe.message(message);
  }

  /** Asks the user how to go on after a failure of the model's provider, or an interruption. */
  async #recover(error: unknown): Promise<undefined> {
    const reason = recoveryReason(error);
    const node = this.#agent.promptUser;
    if (reason === undefined || node === undefined) throw error;
    this.#checkSteps();
    if (reason === "interrupted") {
      this.#pipe.clearInterrupt();
      this.append(interruptedNotice());
    }
    const output = await this.#ask(node, recoveryQuestion(error));
    const waiting =
      familyOf(output) === "suspend"
        ? requestOf(node, output, { chosenBy: "default", isRecovery: true })
        : null;
    this.#state.tally.steps += 1;
    if (waiting === null) this.#startOver(node, output);
    else this.#state.pending = waiting;
    return undefined;
  }

  async #ask(node: GraphNode, question: string): Promise<AnyValue> {
    try {
      return checkOutput(node.tool, await this.#caller.call(node, inputFor(node.tool, { value: question })));
    } catch (error) {
      throw error instanceof BodyFailure ? error.cause : error;
    } finally {
      this.#caller.close();
    }
  }

  /** After a recovery: the user's reply is recorded, and a new cycle of defaults begins. */
  #startOver(node: GraphNode, reply: AnyValue): void {
    const message = finaliseValue(reply, { caller: node.name });
    this.#state.append(message);
    this.#state.startOver();
    this.#pipe.message(message);
  }
}

/** What a tool waits for, and for which question, as its contract has it. */
function requestOf(
  { key, tool }: GraphNode,
  output: AnyValue,
  origin: Pick<PendingRequest, "chosenBy" | "isRecovery">,
): PendingRequest {
  const parsed = tool.suspends?.request.safeParse(Reflect.get(output, "request"));
  if (parsed?.success !== true) {
    throw new ToolOutputError({
      toolName: tool.name,
      returned: "a request that `suspends.request` rejects",
      declared: tool.outputs.map(({ kind }) => kind),
    });
  }
  const state: unknown = Reflect.get(output, "state");
  const pending = { tool: key, request: parsed.data, ...origin };
  return state === undefined ? pending : { ...pending, state };
}

/** The arguments of a model's call, without what the call itself consists of. */
function argumentsOf(call: AnyValue): Readonly<Record<string, unknown>> {
  const { action: _action, rationale: _rationale, ...rest }: Readonly<Record<string, unknown>> = { ...call };
  return rest;
}
