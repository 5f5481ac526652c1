import type { GraphNode, ToolGraph } from "../chains/graph.ts";
import type { ActionSet } from "../llm/completion/validate.ts";
import type { EndpointLike } from "../llm/endpoint.ts";
import type { EventSink } from "../runtime/events.ts";
import type { AnyValueType } from "../values/value.ts";
import type { EffectiveLimits } from "./limits.ts";
import type { AgentMode } from "./modes.ts";
import type { InitialMessage } from "./settings.ts";
import type { GraphFingerprint } from "./snapshot.ts";

/** The model an agent asks, with what it is asked by. */
export interface AgentModel {
  readonly endpoint: EndpointLike;
  readonly actions: ActionSet;
  /** Whether the tools go beside the prompt, by the provider's native protocol, and not into it. */
  readonly isNative: boolean;
}

/** An agent, checked and compiled once; all its runs share it and none changes it. */
export interface CompiledAgent {
  readonly name: string;
  readonly description: string;
  readonly mode: AgentMode;
  readonly graph: ToolGraph;
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
  readonly fingerprint: () => GraphFingerprint;
}
