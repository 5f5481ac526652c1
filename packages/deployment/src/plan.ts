import type { AgentSettings } from "@roboz/core";

import type { AgentDefinition } from "./agent-definition.ts";
import { breadthFirst, graphProblems } from "./agent-graph.ts";
import type { AnyCapability } from "./capability.ts";
import {
  DeploymentValidationError,
  quoted,
  type AttributeProblem,
  type DeploymentProblem,
} from "./errors.ts";
import type { Label } from "./label.ts";
import { expectedTypes, meets } from "./requirement.ts";
import { effectiveLabel } from "./selection.ts";

/** A capability that is to be built, with all it needs. */
export interface PlannedCapability {
  readonly capability: AnyCapability;
  /** The label it is built under, with the loading mode that was selected. */
  readonly label: Label;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Which of their capabilities agents are built with: those that are selected, or all that are declared. */
export type Scope = "selected" | "declared";

/** What one agent is built from, as it was when the graph was checked: what builders change of it comes too late. */
export interface PlannedAgent {
  /** What its builders are given. */
  readonly definition: AgentDefinition;
  readonly name: string;
  readonly settings: Pick<
    AgentSettings,
    | "description"
    | "mode"
    | "systemPrompt"
    | "automaticToolPrompt"
    | "endpoint"
    | "initialMessages"
    | "limits"
  >;
  readonly capabilities: readonly PlannedCapability[];
  readonly nestedAgents: readonly AgentDefinition[];
  readonly backgroundAgents: readonly AgentDefinition[];
}

/** What the agents of a graph are built from, breadth first. */
export type Plan = ReadonlyMap<AgentDefinition, PlannedAgent>;

/**
 * Checks a graph and takes down what it is built from.
 *
 * @throws {@link DeploymentValidationError} (`deployment/validation`) with every problem found.
 */
export function planOf(root: AgentDefinition, scope: Scope): Plan {
  const problems: DeploymentProblem[] = [...graphProblems(root)];
  const plan = new Map(
    breadthFirst(root).map((definition) => [definition, planAgent(definition, scope, problems)] as const),
  );
  if (problems.length > 0) throw new DeploymentValidationError({ agentName: root.name, problems });
  return plan;
}

/** @throws {@link DeploymentValidationError} (`deployment/validation`) for cycles and names that are not unique. */
export function checkGraph(root: AgentDefinition): void {
  const problems = graphProblems(root);
  if (problems.length > 0) throw new DeploymentValidationError({ agentName: root.name, problems });
}

function planAgent(definition: AgentDefinition, scope: Scope, problems: DeploymentProblem[]): PlannedAgent {
  const { name, description, mode, systemPrompt, automaticToolPrompt, agentEndpoint, initialMessages } =
    definition;
  const { limits, nestedAgents, backgroundAgents } = definition;
  return {
    definition,
    name,
    settings: {
      description,
      mode,
      systemPrompt,
      automaticToolPrompt,
      endpoint: agentEndpoint,
      initialMessages,
      limits,
    },
    capabilities: planCapabilities(definition, scope, problems),
    nestedAgents,
    backgroundAgents,
  };
}

function planCapabilities(
  definition: AgentDefinition,
  scope: Scope,
  problems: DeploymentProblem[],
): readonly PlannedCapability[] {
  const { capabilities, capabilitySelection } = definition;
  const selection = capabilitySelection === null ? null : new Map(Object.entries(capabilitySelection));
  return capabilities.flatMap((capability) => {
    const label = scope === "declared" ? capability.label : effectiveLabel(capability.label, selection);
    if (label === undefined) return [];
    return [{ capability, label, attributes: attributesFor(definition, capability, problems) }];
  });
}

function attributesFor(
  definition: AgentDefinition,
  capability: AnyCapability,
  problems: DeploymentProblem[],
): Readonly<Record<string, unknown>> {
  const met = Object.entries(capability.requiredAttributes).flatMap(([name, schema]) => {
    const { isSet, value } = attributeOf(definition, name);
    const outcome = meets(schema, isSet, value);
    if (outcome.met) return [[name, outcome.value] as const];
    problems.push(unmet(definition, capability, { name, expected: expectedTypes(schema), ...outcome }));
    return [];
  });
  return Object.freeze(Object.fromEntries(met));
}

/** An attribute that was set, or a field of the definition; never what every object has. */
function attributeOf(definition: AgentDefinition, name: string): { isSet: boolean; value: unknown } {
  if (definition.attributes.has(name)) return { isSet: true, value: definition.attributes.get(name) };
  const isField = name in definition && !(name in Object.prototype);
  return { isSet: isField, value: isField ? Reflect.get(definition, name) : undefined };
}

function unmet(
  { name: agentName }: AgentDefinition,
  capability: AnyCapability,
  missed: { name: string; expected: string; found: string; detail?: string },
): AttributeProblem {
  const capabilityName = capability.label.name;
  const capabilityClass = capability.constructor.name;
  const { name: attributeName, expected, found, detail } = missed;
  const more = detail === undefined ? "" : ` and does not fit: ${detail}`;
  const message =
    `Agent ${quoted(agentName)}: its capability ${quoted(capabilityName)} (${capabilityClass}) needs the attribute ` +
    `${quoted(attributeName)} as ${expected}, which is ${found === "missing" ? found : `of type ${found}`}${more}`;
  return {
    code: "unmet-attribute",
    agentName,
    capabilityName,
    capabilityClass,
    attributeName,
    expected,
    found,
    message: message.replace(/\s+/g, " "),
  };
}
