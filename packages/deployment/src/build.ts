import {
  Agent,
  asTool,
  BackgroundAgent,
  type EventSink,
  type JournalStore,
  type RunEvent,
} from "@roboz/core";

import type { AgentDefinition } from "./agent-definition.ts";
import { AgentPipe } from "./agent-pipe.ts";
import { contribute } from "./contribute.ts";
import { quoted, SettingTypeError } from "./errors.ts";
import { checkOptions, typeName } from "./option-object.ts";
import type { Plan } from "./plan.ts";

/** Who hears the agents of a build. */
export interface BuildOptions {
  /** Hear the root and its nested agents, but no background agent and nothing below one. */
  readonly eventSinks?: readonly EventSink[] | undefined;
  /** Gives each agent sinks of its own, by its name; they come before `eventSinks`. */
  readonly eventSinkFactory?: ((agentName: string) => readonly EventSink[]) | undefined;
  /**
   * Where the runs of background agents, and of agents nested in them, are written; the root's journal is given with its run, and its
   * nested agents keep theirs there.
   */
  readonly backgroundJournal?: JournalStore | undefined;
}

/** The agents of one build; nothing has been started. */
export interface BuiltAgents {
  readonly root: Agent;
  /**
   * All agents that run in the background, wherever in the graph: first those below nested agents, then each of the root's own
   * with those below it behind it.
   */
  readonly backgroundAgents: readonly BackgroundAgent[];
  /** Each agent's line to the outside, by the agent's name: `pipes.get(name)?.cancel()` ends its runs, and nobody else's. */
  readonly pipes: ReadonlyMap<string, AgentPipe>;
}

/** What the agents of one build have in common. */
interface Build {
  readonly plan: Plan;
  readonly options: BuildOptions;
  readonly pipes: Map<string, AgentPipe>;
}

/** An agent, with the background agents that came of it. */
interface Branch {
  readonly agent: Agent;
  readonly background: readonly BackgroundAgent[];
  /** Its name, and those of the agents nested in it. */
  readonly names: readonly string[];
}

/** Refuses options that make no build. */
export function checkBuildOptions(agentName: string, options: BuildOptions): void {
  const owner = `The build of ${quoted(agentName)}`;
  checkOptions(owner, options, ["eventSinks", "eventSinkFactory", "backgroundJournal"]);
  const { eventSinks = [], eventSinkFactory, backgroundJournal } = options;
  checkSinks(owner, "eventSinks", eventSinks);
  if (backgroundJournal !== undefined && !isStore(backgroundJournal)) {
    const problem = `takes a journal store as \`backgroundJournal\`; got ${typeName(backgroundJournal)}`;
    throw new SettingTypeError({ owner, setting: "backgroundJournal", problem });
  }
  if (eventSinkFactory === undefined || typeof eventSinkFactory === "function") return;
  const problem = `takes a function as \`eventSinkFactory\`; got ${typeName(eventSinkFactory)}`;
  throw new SettingTypeError({ owner, setting: "eventSinkFactory", problem });
}

/** Builds a graph that was checked. */
export function buildAgents(root: AgentDefinition, plan: Plan, options: BuildOptions): BuiltAgents {
  const pipes = new Map<string, AgentPipe>();
  const { agent, background } = buildBranch(root, false, { plan, options, pipes });
  return { root: agent, backgroundAgents: background, pipes };
}

function buildBranch(definition: AgentDefinition, inBackground: boolean, build: Build): Branch {
  const planned = build.plan.get(definition);
  if (planned === undefined) throw new Error("A definition that was not checked is being built");
  const { name } = planned;
  const pipe = new AgentPipe({ agentName: name, sinks: sinksFor(name, inBackground, build.options) });
  build.pipes.set(name, pipe);
  const { tools, defaultTools, skills, autoLoadedSkills } = contribute(planned, pipe);
  const nested = planned.nestedAgents.map((child) => buildBranch(child, inBackground, build));
  const background = planned.backgroundAgents.map((child) => {
    const { agent, background: below } = buildBranch(child, true, build);
    return { handle: new BackgroundAgent(agent, { journal: build.options.backgroundJournal }), below };
  });
  const names = nested.flatMap((child) => child.names);
  const agent = new Agent({
    ...planned.settings,
    name,
    tools: [...tools, ...nested.map((child) => asTool(child.agent))],
    defaultTools: [
      ...defaultTools,
      ...background.map(({ handle }) =>
        handle.asTool({ name: `start_background_agent_${handle.agent.name}` }),
      ),
    ],
    skills,
    autoLoadedSkills,
    sinks: ownSinks(pipe.sinks, new Set(names)),
    signal: pipe.signal,
  });
  return {
    agent,
    names: [name, ...names],
    background: [
      ...nested.flatMap((child) => child.background),
      ...background.flatMap(({ handle, below }) => [handle, ...below]),
    ],
  };
}

/** Sinks of the factory first; those of the caller hear no background agent and nothing below one. */
function sinksFor(agentName: string, inBackground: boolean, options: BuildOptions): readonly EventSink[] {
  const { eventSinks = [], eventSinkFactory } = options;
  const made: unknown = eventSinkFactory?.(agentName) ?? [];
  const own = checkSinks(`The event sink factory, for ${quoted(agentName)},`, "eventSinkFactory", made);
  return inBackground ? own : [...own, ...eventSinks];
}

/**
 * A nested agent's events reach its parent's sinks as well. Since it has sinks of its own here, they are kept from them, or
 * they would be heard twice.
 */
function ownSinks(sinks: readonly EventSink[], nested: ReadonlySet<string>): readonly EventSink[] {
  if (nested.size === 0) return sinks;
  return sinks.map((sink) => {
    const hear: (event: RunEvent) => unknown = sink;
    const { settle, dataPath, isListening } = sink;
    // What a sink returns is passed on: the failure of one that is asynchronous is in it.
    return Object.assign((event: RunEvent) => (nested.has(event.agentName) ? undefined : hear(event)), {
      ...(settle === undefined ? {} : { settle }),
      ...(dataPath === undefined ? {} : { dataPath }),
      ...(isListening === undefined ? {} : { isListening }),
    });
  });
}

function checkSinks(owner: string, setting: string, given: unknown): readonly EventSink[] {
  if (Array.isArray(given) && given.every(isSink)) return given;
  const problem = `takes a list of functions as sinks; got ${typeName(given)}`;
  throw new SettingTypeError({ owner, setting, problem });
}

function isStore(candidate: unknown): boolean {
  if (typeof candidate !== "object" || candidate === null) return false;
  return ["open", "read"].every((name) => typeof Reflect.get(candidate, name) === "function");
}

function isSink(candidate: unknown): candidate is EventSink {
  return typeof candidate === "function";
}
