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
import { contribute, type Parts } from "./contribute.ts";
import { quoted, SettingTypeError } from "./errors.ts";
import { checkOptions, typeName } from "./option-object.ts";
import type { Plan, PlannedAgent } from "./plan.ts";

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
  /** What runs in the background, in the order in which they are handed out; each has its handle once it is made. */
  readonly started: Map<string, BackgroundAgent | undefined>;
  /** By the name of a nested agent, that of the one it is nested in. */
  readonly nestedIn: Map<string, string>;
}

/** A definition whose own parts are built, and whose children are still being built. */
interface OpenBranch {
  readonly planned: PlannedAgent;
  /** What it is a child of; undefined for the root. */
  readonly parent: OpenBranch | undefined;
  /** Whether its parent starts it in the background. */
  readonly isStarted: boolean;
  /** Whether it, or one above it, is started in the background. */
  readonly isInBackground: boolean;
  readonly pipe: AgentPipe;
  readonly parts: Parts;
  /** The children that are still to be built: the nested ones first. */
  readonly left: { readonly definition: AgentDefinition; readonly isStarted: boolean }[];
  readonly nested: Agent[];
  readonly background: BackgroundAgent[];
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

/** Builds a graph that was checked. It may be deeper than calls can be: each agent is made after all those below it. */
export function buildAgents(root: AgentDefinition, plan: Plan, options: BuildOptions): BuiltAgents {
  const build: Build = { plan, options, pipes: new Map(), started: new Map(), nestedIn: new Map() };
  let open = openBranch({ definition: root, isStarted: false }, undefined, build);
  for (;;) {
    const child = open.left.shift();
    if (child !== undefined) {
      open = openBranch(child, open, build);
      continue;
    }
    const agent = makeAgent(open, build);
    const { parent } = open;
    if (parent === undefined) {
      const backgroundAgents = [...build.started.values()].filter((handle) => handle !== undefined);
      return { root: agent, backgroundAgents, pipes: build.pipes };
    }
    if (open.isStarted) {
      const handle = new BackgroundAgent(agent, { journal: options.backgroundJournal });
      build.started.set(agent.name, handle);
      parent.background.push(handle);
    } else {
      parent.nested.push(agent);
    }
    open = parent;
  }
}

function openBranch(
  { definition, isStarted }: OpenBranch["left"][number],
  parent: OpenBranch | undefined,
  build: Build,
): OpenBranch {
  const planned = build.plan.get(definition);
  if (planned === undefined) throw new Error("A definition that was not checked is being built");
  const { name, nestedAgents, backgroundAgents } = planned;
  const isInBackground = isStarted || parent?.isInBackground === true;
  const pipe = new AgentPipe({ agentName: name, sinks: sinksFor(name, isInBackground, build.options) });
  build.pipes.set(name, pipe);
  if (isStarted) build.started.set(name, undefined);
  else if (parent !== undefined) build.nestedIn.set(name, parent.planned.name);
  const parts = contribute(planned, pipe);
  const left = [
    ...nestedAgents.map((child) => ({ definition: child, isStarted: false })),
    ...backgroundAgents.map((child) => ({ definition: child, isStarted: true })),
  ];
  return { planned, parent, isStarted, isInBackground, pipe, parts, left, nested: [], background: [] };
}

function makeAgent({ planned, pipe, parts, nested, background }: OpenBranch, { nestedIn }: Build): Agent {
  const { name } = planned;
  return new Agent({
    ...planned.settings,
    name,
    tools: [...parts.tools, ...nested.map((child) => asTool(child))],
    defaultTools: [
      ...parts.defaultTools,
      ...background.map((handle) => handle.asTool({ name: `start_background_agent_${handle.agent.name}` })),
    ],
    skills: parts.skills,
    autoLoadedSkills: parts.autoLoadedSkills,
    sinks: nested.length === 0 ? pipe.sinks : ownSinks(pipe.sinks, name, nestedIn),
    signal: pipe.signal,
  });
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
function ownSinks(
  sinks: readonly EventSink[],
  name: string,
  nestedIn: ReadonlyMap<string, string>,
): readonly EventSink[] {
  const isOfNested = (agentName: string): boolean => {
    for (let at = nestedIn.get(agentName); at !== undefined; at = nestedIn.get(at))
      if (at === name) return true;
    return false;
  };
  return sinks.map((sink) => {
    const hear: (event: RunEvent) => unknown = sink;
    const { settle, dataPath, isListening } = sink;
    // What a sink returns is passed on: the failure of one that is asynchronous is in it.
    return Object.assign((event: RunEvent) => (isOfNested(event.agentName) ? undefined : hear(event)), {
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
