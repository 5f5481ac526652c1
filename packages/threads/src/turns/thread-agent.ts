import { Capability, ToolLabel, type BuiltAgents } from "@roboz/deployment";
import type { Agent, AgentMode, AnyTool } from "@roboz/core";

/** What the server needs of a deployable agent; every `DeployableAgent` has it. */
export interface AgentSource {
  readonly name: string;
  readonly description: string;
  readonly mode: AgentMode;
  systemPrompt: string;
  copy(): AgentSource;
  addCapabilities(...capabilities: readonly Capability[]): void;
  build(): BuiltAgents;
}

/** An agent that threads may be started with, and how it is run. */
export interface ThreadAgent {
  readonly agent: AgentSource;
  /** What people choose it by; its key by default. */
  readonly label?: string | undefined;
  /** Its own description by default. */
  readonly description?: string | undefined;
  /** Tools that may run again after a crash, such as those that only read. All others are not: their result is then unknown. */
  readonly idempotentTools?: readonly string[] | undefined;
  /** Tools of the agent's own that suspend and that clients carry out; a client may declare them as its own. */
  readonly clientTools?: readonly string[] | undefined;
  /** Whether the agent can plan with tasks, which takes tools of its own; true by default. */
  readonly tasks?: boolean | undefined;
}

/** A deployable agent, or one with how it is run. */
export type GivenAgent = AgentSource | ThreadAgent;

/** The same form for both. */
export function threadAgent(given: GivenAgent): ThreadAgent {
  return "agent" in given ? given : { agent: given };
}

/** What an agent is built with for one turn. */
export interface TurnTools {
  readonly tools: readonly AnyTool[];
  /** Added to its system prompt, each a paragraph. */
  readonly prompts: readonly string[];
}

/** Builds the agent of one turn. */
export function buildTurnAgent({ agent }: ThreadAgent, { tools, prompts }: TurnTools): Agent {
  const copy = agent.copy();
  const more = prompts.filter((prompt) => prompt.trim() !== "");
  if (more.length > 0 && copy.mode !== "deterministic")
    copy.systemPrompt = [copy.systemPrompt, ...more].join("\n\n");
  if (tools.length > 0 && copy.mode !== "deterministic") {
    copy.addCapabilities(
      new Capability({ label: ToolLabel("roboz_thread_tools"), build: () => tools.map((one) => one) }),
    );
  }
  return copy.build().root;
}

/** The names of an agent's own tools, which no client may take. */
export function toolNamesOf({ agent }: ThreadAgent): ReadonlySet<string> {
  const built = agent.copy().build().root;
  return new Set(built.graph().nodes.map(({ name }) => name));
}
