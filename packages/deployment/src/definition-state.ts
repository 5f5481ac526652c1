import {
  isEndpointLike,
  type AgentMode,
  type EndpointLike,
  type InitialMessage,
  type Limits,
} from "@roboz/core";

import { isAgentDefinition, type AgentDefinition } from "./agent-definition.ts";
import type { AttributeStore } from "./attribute-store.ts";
import { isCapability, type AnyCapability } from "./capability.ts";
import { DuplicateCapabilityError, quoted, SettingTypeError, SettingValueError } from "./errors.ts";
import { typeName } from "./option-object.ts";
import type { Selection } from "./selection.ts";

/** What a definition holds; every list in it is frozen, and replaced as a whole. */
export interface DefinitionState {
  name: string;
  description: string;
  systemPrompt: string;
  mode: AgentMode;
  automaticToolPrompt: boolean;
  agentEndpoint: EndpointLike | undefined;
  initialMessages: readonly InitialMessage[];
  limits: Limits | undefined;
  capabilities: readonly AnyCapability[];
  nestedAgents: readonly AgentDefinition[];
  backgroundAgents: readonly AgentDefinition[];
  selection: Selection;
  attributes: AttributeStore;
}

/** Beside the objects, and not in them, so that a definition may be copied, extended and frozen like any other object. */
const states = new WeakMap<object, DefinitionState>();

export function keepState(definition: object, state: DefinitionState): void {
  states.set(definition, state);
}

/** The state of a definition of this copy of the package; undefined for anything else. */
export function findState(definition: object): DefinitionState | undefined {
  return states.get(definition);
}

export function stateOf(definition: object): DefinitionState {
  const state = states.get(definition);
  if (state !== undefined) return state;
  throw new SettingTypeError({
    owner: "An agent",
    setting: "",
    problem: "is not there: a method of DeployableAgent was called on something that is none",
  });
}

/** How messages call an agent. */
export function ownerOf(name: string): string {
  return `The agent ${quoted(name)}`;
}

function wrongType(agentName: string, setting: string, expected: string, given: unknown): never {
  const problem = `takes ${expected} as \`${setting}\`; got ${typeName(given)}`;
  throw new SettingTypeError({ owner: ownerOf(agentName), setting, problem });
}

/** A name as the agent will have it, without blanks around it; whether it is an identifier is seen when it is built. */
export function checkName(given: unknown): string {
  const refused = { owner: "An agent", setting: "name" };
  if (typeof given !== "string") {
    throw new SettingTypeError({ ...refused, problem: `takes a text as \`name\`; got ${typeName(given)}` });
  }
  if (given.trim() !== "") return given.trim();
  throw new SettingValueError({ ...refused, problem: "takes a `name` that is not blank" });
}

export function checkText(agentName: string, setting: string, given: unknown): string {
  return typeof given === "string" ? given : wrongType(agentName, setting, "a text", given);
}

export function checkSwitch(agentName: string, setting: string, given: unknown): boolean {
  return typeof given === "boolean" ? given : wrongType(agentName, setting, "true or false", given);
}

const modes: readonly AgentMode[] = ["deterministic", "steerable", "autonomous"];

export function checkMode(agentName: string, given: unknown): AgentMode {
  const mode = modes.find((one) => one === given);
  if (mode !== undefined) return mode;
  throw new SettingValueError({
    owner: ownerOf(agentName),
    setting: "mode",
    problem: `takes one of ${modes.map(quoted).join(", ")} as \`mode\`; got ${typeof given === "string" ? quoted(given) : typeName(given)}`,
  });
}

/** An endpoint, or none: null and undefined defer it. */
export function checkEndpoint(agentName: string, given: unknown): EndpointLike | undefined {
  if (given === undefined || given === null) return undefined;
  return isEndpointLike(given) ? given : wrongType(agentName, "agentEndpoint", "an endpoint", given);
}

export function checkMessages(agentName: string, given: unknown): readonly InitialMessage[] {
  const messages = isList(given) ? given : wrongType(agentName, "initialMessages", "a list", given);
  return Object.freeze(
    messages.map((message): InitialMessage => {
      if (typeof message === "string") return message;
      if (typeof message === "object" && message !== null && "path" in message) {
        if (typeof message.path === "string") return Object.freeze({ path: message.path });
      }
      return wrongType(agentName, "initialMessages", "texts and { path } in the list", message);
    }),
  );
}

/** Limits, or none. Whether there are such limits is seen when the agent is built. */
export function checkLimits(agentName: string, given: Limits | undefined): Limits | undefined {
  if (given === undefined) return undefined;
  const candidate: unknown = given;
  if (typeof candidate !== "object" || candidate === null || Array.isArray(candidate))
    return wrongType(agentName, "limits", "an object of limits", candidate);
  return Object.freeze({ ...given });
}

/** The definitions there are, and those given; none is added when one is no definition. */
export function withAgents(
  agentName: string,
  setting: string,
  present: readonly AgentDefinition[],
  given: unknown,
): readonly AgentDefinition[] {
  const added = isList(given) ? given : wrongType(agentName, setting, "a list of deployable agents", given);
  const wrong = added.findIndex((one) => !isAgentDefinition(one));
  if (wrong >= 0) return wrongType(agentName, setting, "deployable agents alone", added[wrong]);
  return Object.freeze([...present, ...added.filter(isAgentDefinition)]);
}

/** The capabilities there are, and those given; none is added when one is no capability, or has a name that is taken. */
export function withCapabilities(
  agentName: string,
  present: readonly AnyCapability[],
  given: unknown,
): readonly AnyCapability[] {
  const added = isList(given) ? given : wrongType(agentName, "capabilities", "a list of capabilities", given);
  const wrong = added.findIndex((one) => !isCapability(one));
  if (wrong >= 0) return wrongType(agentName, "capabilities", "capabilities alone", added[wrong]);
  const all = [...present, ...added.filter(isCapability)];
  const names = new Set<string>();
  for (const { label } of all) {
    if (names.has(label.name)) {
      throw new DuplicateCapabilityError({ agentName, capabilityName: label.name });
    }
    names.add(label.name);
  }
  return Object.freeze(all);
}

function isList(given: unknown): given is readonly unknown[] {
  return Array.isArray(given);
}
