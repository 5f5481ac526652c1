import type { AnyTool, Skill } from "@roboz/core";
import type * as z from "zod";

import type { AgentPipe } from "./agent-pipe.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { BuildMissingError, quoted, SettingTypeError } from "./errors.ts";
import { checkLabel, type Label, type SkillLabel, type ToolLabel } from "./label.ts";
import { checkOptions, typeName } from "./option-object.ts";
import { checkRequirements, type Requirements } from "./requirement.ts";
import { checkValue } from "./contribution.ts";

/** A tool, a chain of tools that stays together, or a skill: what a capability contributes to an agent. */
export type Contribution = AnyTool | readonly AnyTool[] | Skill;

/** What a builder is given. */
export interface BuildContext<Needs extends object = object> {
  /** The agent that the capability is built for. */
  readonly agent: AgentDefinition;
  /** What the capability requires, as its schemas gave it. */
  readonly attributes: Readonly<Needs>;
  /** The agent's line to the outside, of this build alone. */
  readonly pipe: AgentPipe;
}

/** A schema for each attribute that a capability requires. */
export type RequiredAttributes<Needs> = { readonly [Name in keyof Needs]: z.ZodType<Needs[Name]> };

/** What every capability may be made of. */
interface CommonSettings<Needs> {
  /** What the owner has to set before it is built, by name; nothing by default. Fields of the agent may be named too. */
  readonly requiredAttributes?: RequiredAttributes<Needs> | undefined;
}

/** A capability of tools: made already, or made by each build. */
export interface ToolCapabilitySettings<Needs extends object> extends CommonSettings<Needs> {
  readonly label: ToolLabel;
  /** A tool, or a chain. */
  readonly value?: AnyTool | readonly AnyTool[] | undefined;
  /** Makes tools and chains, in order; with it there is no `value`. */
  readonly build?: ((context: BuildContext<Needs>) => readonly (AnyTool | readonly AnyTool[])[]) | undefined;
}

/** A capability of skills: made already, or made by each build. */
export interface SkillCapabilitySettings<Needs extends object> extends CommonSettings<Needs> {
  readonly label: SkillLabel;
  readonly value?: Skill | undefined;
  /** Makes skills, in order; with it there is no `value`. */
  readonly build?: ((context: BuildContext<Needs>) => readonly Skill[]) | undefined;
}

/** What a capability is made of. */
export type CapabilitySettings<Needs extends object> =
  ToolCapabilitySettings<Needs> | SkillCapabilitySettings<Needs>;

const capabilityKey = Symbol.for("@roboz/deployment/capability");

/**
 * A named contribution to agents: a tool, a chain or a skill that is there already (`value`), or what `build` makes for each
 * agent from attributes that the agent has. One capability may belong to any number of agents, which select it as a whole.
 *
 * A class of its own may extend this one and override `build` instead of passing it.
 *
 * @throws {@link SettingTypeError} (`deployment/setting-type`); {@link CapabilityValueError} (`deployment/capability-value`)
 * when the value is not what the label says; {@link EmptyChainError} (`deployment/empty-chain`).
 */
export class Capability<in Needs extends object = object> {
  declare readonly label: Label;
  /** What was given as `value`; a chain is a list of its own. */
  declare readonly value: Contribution | undefined;
  /** The schemas of what the owner has to set, by attribute name. */
  declare readonly requiredAttributes: Requirements;

  constructor(settings: CapabilitySettings<Needs>) {
    checkOptions("A capability", settings, ["label", "value", "requiredAttributes", "build"]);
    const label = checkLabel("A capability", settings.label);
    const owner = `The capability ${quoted(label.name)}`;
    const { value, build } = settings;
    if (build !== undefined && typeof build !== "function") {
      const problem = `has a \`build\` that is no function; got ${typeName(build)}`;
      throw new SettingTypeError({ owner, setting: "build", problem });
    }
    if (value !== undefined && build !== undefined) {
      const problem = "has both a `value` and a `build`; give one of them";
      throw new SettingTypeError({ owner, setting: "build", problem });
    }
    const given: unknown = value;
    const fixed: unknown = isList(given) ? Object.freeze([...given]) : given;
    if (fixed !== undefined) checkValue(label, fixed);
    const fact = (of: unknown): PropertyDescriptor => ({ value: of, enumerable: true });
    Object.defineProperties(this, {
      [capabilityKey]: { value: true },
      label: fact(label),
      value: fact(fixed),
      requiredAttributes: fact(checkRequirements(owner, settings.requiredAttributes)),
      ...(build === undefined ? {} : { build: fact(build) }),
    });
  }

  /**
   * Makes what the capability contributes to one agent, in order. The label is applied to each of it by whoever asked.
   *
   * @throws {@link BuildMissingError} (`deployment/build-missing`) when there is no value either.
   */
  build(context: BuildContext<Needs>): readonly Contribution[] {
    if (this.value !== undefined) return [this.value];
    throw new BuildMissingError({ capabilityName: this.label.name, agentName: context.agent.name });
  }
}

/**
 * The top type of all capabilities, whatever they require. An interface of its own: `Capability<never>` in its place would
 * make the compiler take one that is written within a list for one that requires everything.
 */
export interface AnyCapability extends Pick<Capability, "label" | "value" | "requiredAttributes"> {
  build(context: never): readonly Contribution[];
}

/** Whether anything is a capability, of any installed copy of this package. */
export function isCapability(candidate: unknown): candidate is AnyCapability {
  return typeof candidate === "object" && candidate !== null && capabilityKey in candidate;
}

function isList(given: unknown): given is readonly unknown[] {
  return Array.isArray(given);
}
