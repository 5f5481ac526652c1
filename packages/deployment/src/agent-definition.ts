import type { AgentMode, EndpointLike, InitialMessage } from "@roboz/core";

import type { AnyCapability } from "./capability.ts";
import type { SkillLoading } from "./label.ts";

/** What a definition's capability may be set to. */
export type CapabilityChoice = boolean | SkillLoading;

/** The attributes of a definition, by name. */
export interface AttributeView {
  has(name: string): boolean;
  get(name: string): unknown;
}

/** A definition as others see it: children, builders, and those that publish what it can do. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly mode: AgentMode;
  readonly automaticToolPrompt: boolean;
  readonly agentEndpoint: EndpointLike | undefined;
  readonly initialMessages: readonly InitialMessage[];
  readonly capabilities: readonly AnyCapability[];
  readonly nestedAgents: readonly AgentDefinition[];
  readonly backgroundAgents: readonly AgentDefinition[];
  readonly attributes: AttributeView;
  resolveCapabilities(): Record<string, CapabilityChoice>;
}
