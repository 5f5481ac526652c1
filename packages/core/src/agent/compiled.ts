import type { GraphNode, ToolGraph } from "../chains/graph.ts";
import type { EndpointLike } from "../llm/endpoint.ts";
import type { EventSink } from "../runtime/events.ts";
import type { AnyValueType } from "../values/value.ts";
import type { EffectiveLimits } from "./limits.ts";
import type { AgentMode } from "./modes.ts";
import type { CompiledSkill } from "./compile-skills.ts";
import type { ReachOf } from "./reach.ts";
import type { InitialMessage } from "./settings.ts";
import type { GraphFingerprint } from "./snapshot.ts";

/** The model an agent asks. */
export interface AgentModel {
  readonly endpoint: EndpointLike;
  /** Whether the tools go beside the prompt, by the provider's native protocol, and not into it. */
  readonly isNative: boolean;
}

/** An agent, checked and compiled once; all its runs share it and none changes it. */
export interface CompiledAgent {
  readonly name: string;
  readonly description: string;
  readonly mode: AgentMode;
  /** With the tools of all skills; a run has only those of the skills it has loaded. */
  readonly graph: ToolGraph;
  readonly reachOf: ReachOf;
  /** Those on demand first. */
  readonly skills: readonly CompiledSkill[];
  /** None for a deterministic agent. */
  readonly model: AgentModel | undefined;
  /** The whole system prompt; empty for none. Generated when it is first asked for. */
  readonly systemPrompt: () => string;
  readonly initialMessages: readonly InitialMessage[];
  /** The tool that asks the user; none for an autonomous agent. */
  readonly promptUser: GraphNode | undefined;
  readonly stopType: AnyValueType;
  readonly limits: EffectiveLimits;
  readonly showsToolErrors: boolean;
  readonly sinks: readonly EventSink[];
  readonly strictSinks: boolean;
  /** Cancels every run. */
  readonly signal: AbortSignal | undefined;
  readonly fingerprint: () => GraphFingerprint;
}
