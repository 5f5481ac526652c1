import type { CompactionSettings } from "../compaction/settings.ts";
import type { EndpointLike } from "../llm/endpoint.ts";
import type { EventSink } from "../runtime/events.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import type { UserIo } from "../runtime/user-io.ts";
import type { Skill } from "../skills/skill.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { Stop } from "../values/builtin.ts";
import type { AnyValue, AnyValueType } from "../values/value.ts";
import type { Limits } from "./limits.ts";
import type { ParentRun } from "./nesting.ts";
import type { AgentMode } from "./modes.ts";
import type { ChosenBy } from "./snapshot.ts";
import type { RunReplay } from "./run-replay.ts";

/** A list of tools; a nested list, such as a chain kept together, counts as its members. */
export type ToolList = readonly (AnyTool | readonly AnyTool[])[];

/** A text, or a file or folder of Markdown, read when a run starts. */
export type InitialMessage = string | { readonly path: string };

/** What an agent is made of. */
export interface AgentSettings<Output extends Stop = Stop> {
  /** An identifier: letters, digits and underscores, not starting with a digit. */
  readonly name: string;
  readonly description?: string | undefined;
  /** `"steerable"` by default. */
  readonly mode?: AgentMode | undefined;
  /** The tools the model may call, and those chained to them. */
  readonly tools?: ToolList | undefined;
  /** Run in turn whenever no chain goes on; a model-driven agent asks its model after them. */
  readonly defaultTools?: ToolList | undefined;
  /** Instructions and tools that a run loads when its model calls them by name. */
  readonly skills?: readonly Skill[] | undefined;
  /** Skills that every run loads when it starts, in this order. */
  readonly autoLoadedSkills?: readonly Skill[] | undefined;
  /** Required, unless the agent is deterministic. */
  readonly systemPrompt?: string | undefined;
  /** Adds how to call tools, and which there are, to the system prompt; true by default. */
  readonly automaticToolPrompt?: boolean | undefined;
  /** The model; required, unless the agent is deterministic. */
  readonly endpoint?: EndpointLike | undefined;
  /** Put before the conversation of each run. */
  readonly initialMessages?: readonly InitialMessage[] | undefined;
  /** Takes the place of `prompt_user`; must accept an input of just `value`. Not for autonomous agents. */
  readonly promptUserTool?: AnyTool | undefined;
  /**
   * Replaces the conversation by a summary whenever it fills most of the model's context: `true`, or how. It is the last of the
   * default tools, `compactify_messages_when_needed`, and not for deterministic agents. Off by default.
   */
  readonly compaction?: boolean | CompactionSettings | undefined;
  /** The Stop that every run ends with; types the result. */
  readonly output?: (AnyValueType & { readonly is: (candidate: unknown) => candidate is Output }) | undefined;
  readonly limits?: Limits | undefined;
  /** `"show"` (the default) tells the model of a tool's failure; `"throw"` ends the run. Deterministic agents always throw. */
  readonly toolErrors?: "show" | "throw" | undefined;
  /** Receive the events of every run. */
  readonly sinks?: readonly EventSink[] | undefined;
  /** Lets a sink's error fail the run, instead of detaching the sink; false by default. */
  readonly strictSinks?: boolean | undefined;
  /** Cancels every run of the agent, those to come too, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A tool that is about to run. */
export interface ToolStart {
  readonly toolName: string;
  readonly chosenBy: ChosenBy;
  readonly input: AnyValue;
}

/** What one run is given beside its input. */
export interface RunOptions {
  /** Cancels the run; the result then has the status `"cancelled"`. */
  readonly signal?: AbortSignal | undefined;
  /** Receive this run's events, after the agent's own sinks. */
  readonly sinks?: readonly EventSink[] | undefined;
  /** The user's channel; without it the run asks in the terminal when there is one, else it suspends. */
  readonly io?: UserIo | undefined;
  /** Take the place of the agent's limits, one by one. */
  readonly limits?: Limits | undefined;
  /** Where each finished step is written before the next one starts; `resumeRun` goes on from there, in another process too. */
  readonly journal?: JournalStore | undefined;
  /**
   * Is told which tool is about to run, before its body does and each time; the run waits for it. What it throws fails the
   * run. Not told of the model's turns, nor of the tools of agents that are tools.
   */
  readonly beforeTool?: ((call: ToolStart) => void | Promise<void>) | undefined;
  /** A name for the run; by default a new UUID. With a journal: letters, digits, `.`, `_` and `-`. */
  readonly runId?: string | undefined;
  /** The run whose tool this one is; set by `asTool`. @internal */
  readonly parent?: ParentRun | undefined;
  /** What stands in for the surroundings of a run that is played again; set by `replayRun`. @internal */
  readonly replay?: RunReplay | undefined;
  /** What the parent has left to spend; holds where it is less than the run's own limits. @internal */
  readonly ceiling?: Limits | undefined;
}
