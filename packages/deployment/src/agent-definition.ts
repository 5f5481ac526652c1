import type { AgentMode, EndpointLike, InitialMessage, Limits } from "@roboz/core";

import type { AnyCapability } from "./capability.ts";
import type { SkillLoading } from "./label.ts";

/** What a capability can be set to: left out, included as it is declared, or loaded in a mode. */
export type CapabilityChoice = boolean | SkillLoading;

/** The fields that every definition has; a capability may require one of them like an attribute. */
export interface AgentFields {
  /** An identifier, unique in the graph; a nested agent is a tool of this name. */
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly mode: AgentMode;
  readonly automaticToolPrompt: boolean;
  readonly agentEndpoint: EndpointLike;
  readonly initialMessages: readonly InitialMessage[];
}

/** The attributes of a definition, by name. */
export interface AttributeView {
  has(name: string): boolean;
  get(name: string): unknown;
}

/** A definition as its builders, its parents and those who publish it see it; every `DeployableAgent` is one. */
export interface AgentDefinition extends Omit<AgentFields, "agentEndpoint"> {
  readonly agentEndpoint: EndpointLike | undefined;
  readonly limits: Limits | undefined;
  readonly capabilities: readonly AnyCapability[];
  readonly nestedAgents: readonly AgentDefinition[];
  readonly backgroundAgents: readonly AgentDefinition[];
  readonly attributes: AttributeView;
  readonly capabilitySelection: Readonly<Record<string, CapabilityChoice>> | null;
  resolveCapabilities(): Record<string, CapabilityChoice>;
  copy(options?: { readonly deep?: boolean | undefined }): AgentDefinition;
}

const definitionKey = Symbol.for("@roboz/deployment/agent");

/** The property that makes an object a definition, for every installed copy of this package. */
export const definitionProperty: PropertyDescriptorMap = { [definitionKey]: { value: true } };

/** Whether anything is a definition, of any installed copy of this package. */
export function isAgentDefinition(candidate: unknown): candidate is AgentDefinition {
  return typeof candidate === "object" && candidate !== null && definitionKey in candidate;
}
