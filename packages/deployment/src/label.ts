import { quoted, SettingTypeError, SettingValueError } from "./errors.ts";
import { checkOptions, typeName } from "./option-object.ts";

/** Sets the members of {@link SkillLoading} apart from other texts, as an enum's members are. */
declare const member: unique symbol;

interface Member {
  readonly [member]: true;
}

/** A skill's loading mode: `SkillLoading.ON_DEMAND` or `SkillLoading.AUTOMATIC`. */
export type SkillLoading = OnDemand | Automatic;
/** The type of `SkillLoading.ON_DEMAND`. */
export type OnDemand = "on_demand" & Member;
/** The type of `SkillLoading.AUTOMATIC`. */
export type Automatic = "automatic" & Member;

function memberOf<Text extends "on_demand" | "automatic">(text: Text): Text & Member;
function memberOf(text: string): string {
  return text;
}

/**
 * When a skill is loaded: once the model asks for it, or when a run starts.
 *
 * A member is a text at run time (`on_demand`, `automatic`), so that choices can be kept as JSON. To the compiler a bare text is
 * none, as with an enum: check what comes from outside with {@link isSkillLoading}.
 */
export const SkillLoading: { readonly ON_DEMAND: OnDemand; readonly AUTOMATIC: Automatic } = Object.freeze({
  ON_DEMAND: memberOf("on_demand"),
  AUTOMATIC: memberOf("automatic"),
});

/** Whether anything, such as a text of a request, is a loading mode. */
export function isSkillLoading(candidate: unknown): candidate is SkillLoading {
  return candidate === SkillLoading.ON_DEMAND || candidate === SkillLoading.AUTOMATIC;
}

/** Says that a capability contributes tools. */
export interface ToolLabel {
  readonly kind: "tool";
  /** Unique within an agent. */
  readonly name: string;
  /** Whether an agent may leave the capability out. */
  readonly selectable: boolean;
  /** Whether its first tool, or the first of each chain it builds, runs by default instead of being called. */
  readonly default: boolean;
}

/** Says that a capability contributes skills. */
export interface SkillLabel {
  readonly kind: "skill";
  /** Unique within an agent. */
  readonly name: string;
  /** Whether an agent may leave the capability out, or load it otherwise. */
  readonly selectable: boolean;
  readonly loading: SkillLoading;
}

/** What is known of a capability without building it. Two labels with equal fields are the same. */
export type Label = ToolLabel | SkillLabel;

/** The switches of a {@link ToolLabel}; both are off by default. */
export interface ToolLabelOptions {
  readonly selectable?: boolean | undefined;
  readonly default?: boolean | undefined;
}

/** The switches of a {@link SkillLabel}: fixed and loaded on demand by default. */
export interface SkillLabelOptions {
  readonly selectable?: boolean | undefined;
  readonly loading?: SkillLoading | undefined;
}

/**
 * Labels a capability that contributes a tool or a chain of tools.
 *
 * @throws {@link SettingValueError} (`deployment/setting-value`) for a blank name; {@link SettingTypeError}
 * (`deployment/setting-type`) for a switch that is no boolean or not known.
 */
export function ToolLabel(name: string, options: ToolLabelOptions = {}): ToolLabel {
  const owner = checkLabelName(name);
  checkOptions(owner, options, ["selectable", "default"]);
  const { selectable = false, default: isDefault = false } = options;
  checkSwitch(owner, "selectable", selectable);
  checkSwitch(owner, "default", isDefault);
  return Object.freeze({ kind: "tool", name, selectable, default: isDefault });
}

/**
 * Labels a capability that contributes a skill.
 *
 * @throws {@link SettingValueError} (`deployment/setting-value`) for a blank name; {@link SettingTypeError}
 * (`deployment/setting-type`) for a switch that is no boolean or not known, and for a loading mode that is none.
 */
export function SkillLabel(name: string, options: SkillLabelOptions = {}): SkillLabel {
  const owner = checkLabelName(name);
  checkOptions(owner, options, ["selectable", "loading"]);
  const { selectable = false, loading = SkillLoading.ON_DEMAND } = options;
  checkSwitch(owner, "selectable", selectable);
  const given: unknown = loading;
  if (!isSkillLoading(given)) {
    const problem = `has a \`loading\` that is neither SkillLoading.ON_DEMAND nor SkillLoading.AUTOMATIC; got ${typeName(given)}`;
    throw new SettingTypeError({ owner, setting: "loading", problem });
  }
  return Object.freeze({ kind: "skill", name, selectable, loading });
}

/** The same label, proven to be one: also that of another installed copy of this package, or one from plain JavaScript. */
export function checkLabel(owner: string, given: unknown): Label {
  if (typeof given === "object" && given !== null && "kind" in given && "name" in given) {
    const { kind, name, ...options } = given;
    if (kind === "tool") return ToolLabel(asName(name), options);
    if (kind === "skill") return SkillLabel(asName(name), options);
  }
  throw new SettingTypeError({
    owner,
    setting: "label",
    problem: `needs a \`label\` made by ToolLabel or SkillLabel; got ${typeName(given)}`,
  });
}

function checkLabelName(name: unknown): string {
  if (asName(name).trim() !== "") return `The label ${quoted(asName(name))}`;
  throw new SettingValueError({
    owner: "A label",
    setting: "name",
    problem: "needs a name that is not blank",
  });
}

function asName(name: unknown): string {
  if (typeof name === "string") return name;
  throw new SettingTypeError({
    owner: "A label",
    setting: "name",
    problem: `needs a text as its name; got ${typeName(name)}`,
  });
}

function checkSwitch(owner: string, setting: string, given: unknown): void {
  if (typeof given === "boolean") return;
  throw new SettingTypeError({
    owner,
    setting,
    problem: `has \`${setting}\` that is neither true nor false; got ${typeName(given)}`,
  });
}
