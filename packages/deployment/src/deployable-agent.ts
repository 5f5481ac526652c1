import type { AgentMode, EndpointLike, ExternalDependency, InitialMessage, Limits } from "@roboz/core";

import {
  definitionProperty,
  type AgentDefinition,
  type AgentFields,
  type CapabilityChoice,
} from "./agent-definition.ts";
import { namesIn } from "./agent-graph.ts";
import { AttributeStore, typedView, type Attributes, type GivenAttributes } from "./attribute-store.ts";
import { buildAgents, checkBuildOptions, type BuildOptions, type BuiltAgents } from "./build.ts";
import type { AnyCapability, Capability } from "./capability.ts";
import { copyDefinition } from "./copy-definition.ts";
import * as settled from "./definition-state.ts";
import { inspectDependencies } from "./dependency-inspection.ts";
import { checkOptions } from "./option-object.ts";
import { checkGraph, planOf } from "./plan.ts";
import { checkSelection, resolveSelection } from "./selection.ts";

/** The capabilities that an agent with these attributes can have; without any at type level all of them. */
export type CapabilityFor<Given extends object> = [Given] extends [never]
  ? AnyCapability
  : Capability<Given & AgentFields>;

/** What an agent is described by. */
export interface DeployableAgentSettings<Given extends object> {
  /** An identifier, unique in the graph; in lower snake case for a nested or background agent, which is a tool of its parent. */
  readonly name: string;
  /** What a parent's model is told of a nested agent; empty by default. */
  readonly description?: string | undefined;
  /** Empty by default; needed unless the agent is deterministic. */
  readonly systemPrompt?: string | undefined;
  /** `"steerable"` by default. */
  readonly mode?: AgentMode | undefined;
  /** Adds how to call tools, and which there are, to the system prompt; true by default. */
  readonly automaticToolPrompt?: boolean | undefined;
  readonly agentEndpoint?: EndpointLike | undefined;
  readonly initialMessages?: readonly InitialMessage[] | undefined;
  /** What one run may use, and those of agents nested in it with it; those of `@roboz/core` by default, `null` for no limit. */
  readonly limits?: Limits | undefined;
  /** In the order in which their tools and skills come; names are unique. */
  readonly capabilities?: readonly CapabilityFor<NoInfer<Given>>[] | undefined;
  /** Tools of this agent, named and described like themselves. */
  readonly nestedAgents?: readonly AgentDefinition[] | undefined;
  /** Started by default tools of this agent, and left running beside it. */
  readonly backgroundAgents?: readonly AgentDefinition[] | undefined;
  /** What capabilities require; given here, the compiler holds the capabilities against it. */
  readonly attributes?: Given | undefined;
}

const settingNames: readonly (keyof DeployableAgentSettings<object>)[] = [
  "name",
  "description",
  "systemPrompt",
  "mode",
  "automaticToolPrompt",
  "agentEndpoint",
  "initialMessages",
  "limits",
  "capabilities",
  "nestedAgents",
  "backgroundAgents",
  "attributes",
];

/**
 * A description of an agent and of the agents it uses, which may be changed, checked and built any number of times. It holds
 * nothing of a run: every build gives agents of its own, and later changes reach later builds alone.
 *
 * With `attributes`, or an explicit type argument, the compiler checks that capabilities find the attributes they require;
 * `validate()` and `build()` always do.
 *
 * @throws {@link SettingTypeError} (`deployment/setting-type`), {@link SettingValueError} (`deployment/setting-value`),
 * {@link DuplicateCapabilityError} (`deployment/duplicate-capability`), {@link AttributeNameError}
 * (`deployment/attribute-name`). A setter throws as the constructor does, and then changes nothing.
 */
export class DeployableAgent<Given extends object = never> implements AgentDefinition {
  constructor(settings: DeployableAgentSettings<Given>) {
    checkOptions("A deployable agent", settings, settingNames);
    const name = settled.checkName(settings.name);
    const { description = "", systemPrompt = "", mode = "steerable", automaticToolPrompt = true } = settings;
    const state: settled.DefinitionState = {
      name,
      description: settled.checkText(name, "description", description),
      systemPrompt: settled.checkText(name, "systemPrompt", systemPrompt),
      mode: settled.checkMode(name, mode),
      automaticToolPrompt: settled.checkSwitch(name, "automaticToolPrompt", automaticToolPrompt),
      agentEndpoint: settled.checkEndpoint(name, settings.agentEndpoint),
      initialMessages: settled.checkMessages(name, settings.initialMessages ?? []),
      limits: settled.checkLimits(name, settings.limits),
      capabilities: settled.withCapabilities(name, [], settings.capabilities ?? []),
      nestedAgents: settled.withAgents(name, "nestedAgents", [], settings.nestedAgents ?? []),
      backgroundAgents: settled.withAgents(name, "backgroundAgents", [], settings.backgroundAgents ?? []),
      selection: null,
      attributes: new AttributeStore(() => state.name),
    };
    settled.keepState(this, state);
    Object.defineProperties(this, definitionProperty);
    if (settings.attributes !== undefined) state.attributes.set(settings.attributes, (key) => key in this);
  }

  /** Without blanks around it; whether it is an identifier is seen when the agent is built. */
  get name(): string {
    return settled.stateOf(this).name;
  }
  set name(given: string) {
    settled.stateOf(this).name = settled.checkName(given);
  }

  /** What a parent's model is told of this agent. */
  get description(): string {
    return settled.stateOf(this).description;
  }
  set description(given: string) {
    settled.stateOf(this).description = settled.checkText(this.name, "description", given);
  }

  /** Needed unless the agent is deterministic. */
  get systemPrompt(): string {
    return settled.stateOf(this).systemPrompt;
  }
  set systemPrompt(given: string) {
    settled.stateOf(this).systemPrompt = settled.checkText(this.name, "systemPrompt", given);
  }

  /** How the agent is driven; a text that is no mode is refused. */
  get mode(): AgentMode {
    return settled.stateOf(this).mode;
  }
  set mode(given: AgentMode) {
    settled.stateOf(this).mode = settled.checkMode(this.name, given);
  }

  /** Whether how to call tools, and which there are, is added to the system prompt. */
  get automaticToolPrompt(): boolean {
    return settled.stateOf(this).automaticToolPrompt;
  }
  set automaticToolPrompt(given: boolean) {
    settled.stateOf(this).automaticToolPrompt = settled.checkSwitch(this.name, "automaticToolPrompt", given);
  }

  /** The model; undefined while it is not decided. */
  get agentEndpoint(): EndpointLike | undefined {
    return settled.stateOf(this).agentEndpoint;
  }
  set agentEndpoint(given: EndpointLike | undefined) {
    settled.stateOf(this).agentEndpoint = settled.checkEndpoint(this.name, given);
  }

  /** Put before each conversation: a frozen list of its own. */
  get initialMessages(): readonly InitialMessage[] {
    return settled.stateOf(this).initialMessages;
  }
  set initialMessages(given: readonly InitialMessage[]) {
    settled.stateOf(this).initialMessages = settled.checkMessages(this.name, given);
  }

  /** What a run may use before it ends with `core/limit-reached`; undefined for the limits of `@roboz/core`. A frozen copy. */
  get limits(): Limits | undefined {
    return settled.stateOf(this).limits;
  }
  set limits(given: Limits | undefined) {
    settled.stateOf(this).limits = settled.checkLimits(this.name, given);
  }

  /** All that is declared, selected or not, in order. */
  get capabilities(): readonly AnyCapability[] {
    return settled.stateOf(this).capabilities;
  }

  /** The agents that are tools of this one, in the order in which they were attached. */
  get nestedAgents(): readonly AgentDefinition[] {
    return settled.stateOf(this).nestedAgents;
  }

  /** The agents that run beside this one, in the order in which they were attached. */
  get backgroundAgents(): readonly AgentDefinition[] {
    return settled.stateOf(this).backgroundAgents;
  }

  /**
   * The attributes by name: `get` throws {@link UnknownAttributeError} (`deployment/unknown-attribute`) for one that is not
   * set. Children inherit none.
   */
  get attributes(): Attributes<Given> {
    return typedView<Given>(settled.stateOf(this).attributes);
  }

  /** Sets the model; null or undefined leaves it open. */
  setAgentEndpoint(endpoint: EndpointLike | null | undefined): void {
    settled.stateOf(this).agentEndpoint = settled.checkEndpoint(this.name, endpoint);
  }

  /** Sets what is put before each conversation; the list is copied. */
  setInitialMessages(messages: readonly InitialMessage[]): void {
    this.initialMessages = messages;
  }

  /**
   * Sets attributes, or none of them when one has a name that it may not have: that of a member of this object, or one that
   * begins with `_`.
   *
   * @throws {@link AttributeNameError} (`deployment/attribute-name`), {@link SettingTypeError} (`deployment/setting-type`)
   */
  setAttributes(values: GivenAttributes<Given>): void {
    settled.stateOf(this).attributes.set(values, (key) => key in this);
  }

  /**
   * Adds capabilities behind those there are, or none of them.
   *
   * @throws {@link DuplicateCapabilityError} (`deployment/duplicate-capability`), {@link SettingTypeError}
   * (`deployment/setting-type`)
   */
  addCapabilities(...capabilities: readonly CapabilityFor<Given>[]): void {
    const state = settled.stateOf(this);
    state.capabilities = settled.withCapabilities(state.name, state.capabilities, capabilities);
  }

  /** Adds agents that are tools of this one. Names and cycles are checked by `validate()`. */
  addNestedAgents(...agents: readonly AgentDefinition[]): void {
    const state = settled.stateOf(this);
    state.nestedAgents = settled.withAgents(state.name, "nestedAgents", state.nestedAgents, agents);
  }

  /** Adds agents that run beside this one. Names and cycles are checked by `validate()`. */
  addBackgroundAgents(...agents: readonly AgentDefinition[]): void {
    const state = settled.stateOf(this);
    state.backgroundAgents = settled.withAgents(
      state.name,
      "backgroundAgents",
      state.backgroundAgents,
      agents,
    );
  }

  /** The choices that were set, as a frozen copy; null when none were. */
  get capabilitySelection(): Readonly<Record<string, CapabilityChoice>> | null {
    const { selection } = settled.stateOf(this);
    return selection === null ? null : Object.freeze(Object.fromEntries(selection));
  }

  /**
   * Chooses among the selectable capabilities for later builds of this agent, not of its children. `true` takes one as it is
   * declared, a loading mode a skill in that mode, `false` leaves it out, as does saying nothing of it.
   *
   * @param selection - By capability name; null, as at first, takes everything that is declared.
   * @throws {@link SelectionError} (`deployment/selection`), {@link SelectionTypeError} (`deployment/selection-type`); the
   * choices before then stay.
   */
  setCapabilitySelection(selection: Readonly<Record<string, CapabilityChoice>> | null): void {
    const state = settled.stateOf(this);
    const labels = state.capabilities.map(({ label }) => label);
    state.selection = checkSelection(state.name, labels, selection);
  }

  /**
   * What each declared capability comes to, in order of declaration: true, a selectable skill's loading mode, or false. An object
   * of the caller's own, which `setCapabilitySelection` takes back; nothing is built.
   */
  resolveCapabilities(): Record<string, CapabilityChoice> {
    const { capabilities, selection } = settled.stateOf(this);
    return resolveSelection(
      capabilities.map(({ label }) => label),
      selection,
    );
  }

  /**
   * The names of all agents in the graph.
   *
   * @param options.includeBackground - False leaves out background agents and all below them; true by default.
   * @throws {@link DeploymentValidationError} (`deployment/validation`) for cycles and names that are not unique, wherever.
   */
  agentNames(options: { readonly includeBackground?: boolean | undefined } = {}): Set<string> {
    checkOptions(settled.ownerOf(this.name), options, ["includeBackground"]);
    const { includeBackground = true } = options;
    settled.checkSwitch(this.name, "includeBackground", includeBackground);
    checkGraph(this);
    return namesIn(this, includeBackground);
  }

  /**
   * Checks the graph, and what the selected capabilities of each agent require. Builds nothing.
   *
   * @throws {@link DeploymentValidationError} (`deployment/validation`) with every problem, a line for each.
   */
  validate(): void {
    planOf(this, "selected");
  }

  /**
   * Checks the graph and builds its agents, anew each time. Nothing is started, opened or called by this, apart from what the
   * capabilities' own builders do.
   *
   * @throws {@link DeploymentValidationError} (`deployment/validation`) before any builder or sink factory has run;
   * {@link CapabilityBuildError} (`deployment/capability-build`), {@link BuildMissingError} (`deployment/build-missing`),
   * {@link CapabilityValueError} (`deployment/capability-value`), {@link EmptyChainError} (`deployment/empty-chain`); what
   * the constructor of an `Agent` throws.
   */
  build(options: BuildOptions = {}): BuiltAgents {
    checkBuildOptions(this.name, options);
    return buildAgents(this, planOf(this, "selected"), options);
  }

  /**
   * What the agents of the graph need from outside, whatever is selected: for each agent its model, unless it is deterministic,
   * then what its default tools need, its other tools, its skills on demand, and its automatic skills. Each thing once.
   *
   * Runs every builder, and makes no agent; nothing is checked, opened or called. What is declared side by side may therefore
   * be told apart by the selection alone.
   *
   * @throws {@link DeploymentValidationError} (`deployment/validation`), also for what capabilities that are left out require;
   * what `build` throws for builders; what a tool's own `externalDependencies` throws.
   */
  externalDependencies(): readonly ExternalDependency[] {
    return inspectDependencies(this);
  }

  /**
   * Another definition with lists, attributes and a selection of its own. Capabilities are shared, and so are the children,
   * unless the copy is `deep`.
   *
   * The copy of a subclass has the properties of its original, and no constructor runs for it: `#private` fields are
   * missing, so that what uses them throws a `TypeError`, and functions kept in properties go on with the original as `this`.
   * Keep such things in properties that are `private` to TypeScript, or in methods.
   */
  copy(options: { readonly deep?: boolean | undefined } = {}): this {
    checkOptions(settled.ownerOf(this.name), options, ["deep"]);
    const { deep = false } = options;
    return copyDefinition(this, settled.checkSwitch(this.name, "deep", deep));
  }
}
