import { randomUUID } from "node:crypto";

import type { CompactionSettings } from "../compaction/settings.ts";
import { graphData, type AgentGraph } from "../chains/view.ts";
import type { ExternalDependency } from "../dependencies/external-dependency.ts";
import { AgentDefinitionError } from "../errors.ts";
import type { EndpointLike, Protocol } from "../llm/endpoint.ts";
import { defaultUserIo } from "../runtime/default-io.ts";
import type { RunEvent } from "../runtime/events.ts";
import { noUserIo, type UserIo } from "../runtime/user-io.ts";
import { Empty, Str, type Stop } from "../values/builtin.ts";
import { isValue, type AnyValue } from "../values/value.ts";
import { compileAgent } from "./compile.ts";
import { agentDependencies } from "./dependencies.ts";
import { CancelledError, ReplyError, SuspendedError } from "./errors.ts";
import type { CompiledAgent } from "./compiled.ts";
import { describeAgent, type AgentDescription } from "./describe.ts";
import { isInteractive } from "./modes.ts";
import type { CompletedRun, RunResult } from "./outcome.ts";
import { storableInput } from "./opening.ts";
import { replyFor, restoreState } from "./restore.ts";
import { optionProblems } from "./run-options.ts";
import { RunState } from "./run-state.ts";
import type { RunJournal } from "./run-parts.ts";
import { Run } from "./run.ts";
import type { AgentSettings, RunOptions } from "./settings.ts";
import type { RunSnapshot } from "./snapshot.ts";
import { streamRun } from "./stream.ts";

/** What a run starts from: nothing, a text, or a value. */
export type RunInput = string | AnyValue;

/** What a resumed run is given beside its snapshot. A `runId` of its own makes it a fork. */
export interface ResumeOptions extends RunOptions {
  /** Goes on although the agent's tools or links are not what they were; false by default. */
  readonly allowChanged?: boolean | undefined;
}

/**
 * An agent: an immutable description of tools, links and a model, of which any number of runs may be under way.
 *
 * Constructing one checks its whole graph, does nothing else, and copies the tools' names and links: what is renamed or
 * chained later does not reach it.
 *
 * @throws {@link NameError} (`core/name`); {@link AgentDefinitionError} (`core/agent-definition`) with every mistake found.
 */
export class Agent<Output extends Stop = Stop> {
  readonly #settings: AgentSettings<Output>;
  readonly #compiled: CompiledAgent;
  readonly #isOutput: (candidate: unknown) => candidate is Output;

  constructor(settings: AgentSettings<Output>) {
    this.#settings = { ...settings };
    this.#compiled = compileAgent(settings);
    const { stopType } = this.#compiled;
    this.#isOutput = (candidate): candidate is Output => stopType.is(candidate);
  }

  get name(): string {
    return this.#compiled.name;
  }

  get description(): string {
    return this.#compiled.description;
  }

  /** The whole system prompt, tools included. */
  get systemPrompt(): string {
    return this.#compiled.systemPrompt();
  }

  /** Another agent with these settings changed. A tool that asks the user does not come along to an autonomous one. */
  copy(changes: Partial<AgentSettings<Output>>): Agent<Output> {
    const settings = { ...this.#settings, ...changes };
    const keepsUser = isInteractive(settings.mode ?? "steerable") || changes.promptUserTool !== undefined;
    return new Agent(keepsUser ? settings : { ...settings, promptUserTool: undefined });
  }

  /** @internal The agent with another model of the same protocol; itself when it asks none. What compacts its conversations stays. */
  askingInstead(modelOf: (protocol: Protocol) => EndpointLike): Agent<Output> {
    const { model } = this.#compiled;
    if (model === undefined) return this;
    const endpoint = modelOf(model.isNative ? "tools" : "json");
    const { compaction = false } = this.#settings;
    if (compaction === false) return this.copy({ endpoint });
    const settings: CompactionSettings = compaction === true ? {} : compaction;
    return this.copy({
      endpoint,
      compaction: { ...settings, endpoint: settings.endpoint ?? model.endpoint },
    });
  }

  /** The tools and links as data; `toMermaid` draws it. */
  graph(): AgentGraph {
    return graphData(this.#compiled.name, this.#compiled.graph);
  }

  /**
   * What the agent needs from outside, each thing once: its model, then what its default tools and its other tools need,
   * agents that are tools among them. Asks the tools' contexts, and checks, opens and calls nothing.
   *
   * @throws {@link ToolDefinitionError} (`core/tool-definition`) when a context's `externalDependencies` gives no list of
   * dependencies; what a route's choice throws.
   */
  externalDependencies(): readonly ExternalDependency[] {
    return agentDependencies(this.#compiled);
  }

  /**
   * The agent as it is before it runs: its tools, their links and needs, and the messages that its conversations start
   * with. `describeTable` prints it.
   *
   * @throws {@link ToolDefinitionError} (`core/tool-definition`) when a context's `externalDependencies` gives no list of
   * dependencies; what reading a file of `initialMessages` throws.
   */
  describe(): Promise<AgentDescription> {
    return describeAgent(this.#compiled);
  }

  /**
   * Runs the agent until it stops, waits for a reply, or is cancelled.
   *
   * @param input - Handed to the first default tool; a text becomes the conversation's first user message.
   * @throws What failed the run; the error's `run` has the messages, the report and a snapshot.
   */
  async invoke(input?: RunInput, options: RunOptions = {}): Promise<RunResult<Output>> {
    return this.start(input, options).finish();
  }

  /**
   * Runs the agent to its end.
   *
   * @throws {@link SuspendedError} (`core/suspended`) when the run waits for a reply; {@link CancelledError}
   * (`core/cancelled`); what failed the run.
   */
  async complete(input?: RunInput, options: RunOptions = {}): Promise<CompletedRun<Output>> {
    const result = await this.invoke(input, options);
    switch (result.status) {
      case "completed":
        return result;
      case "suspended":
        throw new SuspendedError({ agentName: this.name, result });
      case "cancelled":
        throw new CancelledError({ agentName: this.name, result });
    }
  }

  /** Runs the agent and yields its events; leaving the loop cancels the run. */
  stream(input?: RunInput, options: RunOptions = {}): AsyncGenerator<RunEvent, RunResult<Output>, undefined> {
    return streamRun(this.start(input, options));
  }

  /**
   * A run that has not taken a step yet.
   *
   * @throws {@link AgentDefinitionError} (`core/agent-definition`) for options that are none, with every mistake found.
   */
  start(input?: RunInput, options: RunOptions = {}): Run<Output> {
    this.#checkOptions(options);
    const runId = options.runId ?? randomUUID();
    const { types } = this.#compiled.graph;
    const state = new RunState(runId, this.#compiled, storableInput(asValue(input), types));
    return this.#run(state, options, newJournal(runId, options, null));
  }

  /**
   * Goes on from a snapshot to the end of the run, or to its next question. Without the reply it waits for, it is
   * suspended with the same question again.
   *
   * @param reply - What the run waits for: a value of the reply type, its fields, or a text for a reply with a `value`.
   * @throws {@link ReplyError} (`core/reply`), {@link AgentChangedError} (`core/agent-changed`), {@link SnapshotError}
   * (`core/snapshot`), {@link UnknownKindError} (`core/unknown-kind`); what failed the run.
   */
  async resume(
    snapshot: RunSnapshot,
    reply?: unknown,
    options: ResumeOptions = {},
  ): Promise<RunResult<Output>> {
    return this.restore(snapshot, reply, options).finish();
  }

  /** The run of a snapshot, to be stepped; throws as `resume` does. */
  restore(snapshot: RunSnapshot, reply?: unknown, options: ResumeOptions = {}): Run<Output> {
    this.#checkOptions(options);
    const state = restoreState(this.#compiled, snapshot, options);
    return this.#restored(state, reply, options, newJournal(state.runId, options, snapshot));
  }

  /** @internal The run of a journal that was opened; see `resumeRun`. */
  restoreFrom(
    journal: RunJournal,
    snapshot: RunSnapshot,
    reply: unknown,
    options: ResumeOptions,
  ): Run<Output> {
    this.#checkOptions(options);
    return this.#restored(restoreState(this.#compiled, snapshot, options), reply, options, journal);
  }

  #checkOptions(options: RunOptions): void {
    const problems = optionProblems(options);
    if (problems.length > 0) throw new AgentDefinitionError({ agentName: this.name, problems });
  }

  #restored(
    state: RunState,
    given: unknown,
    options: ResumeOptions,
    journal: RunJournal | undefined,
  ): Run<Output> {
    if (given === undefined) return this.#run(state, options, journal);
    const node = state.pending === null ? undefined : this.#compiled.graph.byKey.get(state.pending.tool);
    if (node === undefined) {
      throw new ReplyError(`The run of \`${this.name}\` waits for no reply; resume it without one`);
    }
    // Checked at once, unless the tool has to work it into its output first.
    const isOutput = node.tool.suspends?.resume === undefined || state.pending?.isRecovery === true;
    return this.#run(state, options, journal, {
      tool: node.key,
      value: isOutput ? replyFor(node, given) : given,
    });
  }

  #run(
    state: RunState,
    {
      signal,
      sinks,
      io,
      limits,
      journal: store,
      parent,
      replay,
      ceiling,
      allowChanged,
      beforeTool,
    }: ResumeOptions,
    journal?: RunJournal,
    reply?: { readonly tool: string; readonly value: unknown },
  ): Run<Output> {
    return new Run({
      agent: this.#compiled,
      state,
      isOutput: this.#isOutput,
      io: this.#channel(io),
      hostIo: io,
      reply,
      signal,
      sinks,
      limits,
      journal,
      store,
      parent,
      allowChanged,
      replay,
      ceiling,
      beforeTool,
    });
  }

  #channel(io: UserIo | undefined): UserIo {
    return isInteractive(this.#compiled.mode) ? (io ?? defaultUserIo()) : noUserIo;
  }
}

/** The journal of a run that has none yet. */
function newJournal(
  runId: string,
  { journal }: RunOptions,
  base: RunSnapshot | null,
): RunJournal | undefined {
  return journal === undefined
    ? undefined
    : { open: () => journal.open(runId), base, sequence: 0, eventSequence: 0 };
}

function asValue(input: RunInput | undefined): AnyValue {
  if (input === undefined) return Empty();
  if (typeof input === "string") return Str({ value: input });
  if (isValue(input)) return input;
  throw new TypeError("A run starts from a text or a value; make one with its type, such as Str({ value })");
}
