import { isSkill, isTool, type AnyTool, type Skill } from "@roboz/core";

import { CapabilityValueError, EmptyChainError, type ValuePlace } from "./errors.ts";
import type { Label, SkillLoading } from "./label.ts";
import { typeName } from "./option-object.ts";

/** A value that fits its capability's label, as the agent is given it. */
export type Placed =
  | { readonly kind: "tool"; readonly tools: readonly AnyTool[]; readonly isDefault: boolean }
  | { readonly kind: "skill"; readonly skill: Skill; readonly loading: SkillLoading };

/**
 * Checks one value against the label it stands under.
 *
 * @throws {@link CapabilityValueError} (`deployment/capability-value`), {@link EmptyChainError} (`deployment/empty-chain`)
 */
export function checkValue(label: Label, value: unknown, agentName?: string): Placed {
  const at: ValuePlace = { capabilityName: label.name, labelKind: label.kind, agentName };
  if (label.kind === "skill") {
    if (isSkill(value)) return { kind: "skill", skill: value, loading: label.loading };
    throw new CapabilityValueError({
      ...at,
      problem: `has a skill label and ${what(value)}; give it a skill`,
    });
  }
  if (!isTool(value) && !isChain(value)) {
    const problem = `has a tool label and ${what(value)}; give it a tool, or a list of tools`;
    throw new CapabilityValueError({ ...at, problem });
  }
  const tools = isTool(value) ? [value] : value;
  if (tools.length === 0 && label.default) throw new EmptyChainError(at);
  return { kind: "tool", tools, isDefault: label.default };
}

/** Whether anything is a list of nothing but tools. */
function isChain(value: unknown): value is readonly AnyTool[] {
  return Array.isArray(value) && value.every(isTool);
}

/** What stands where something else should. */
function what(value: unknown): string {
  if (isTool(value)) return `a tool, \`${value.name}\``;
  if (isSkill(value)) return `a skill, \`${value.name}\``;
  if (typeof value === "function" && "factoryName" in value) {
    return `the factory \`${String(value.factoryName)}\` itself, which has to be called with its context`;
  }
  if (!Array.isArray(value)) return `a value of type ${typeName(value)}`;
  const wrong: unknown = value.find((entry) => !isTool(entry));
  return wrong === undefined ? "a list of tools" : `a list that holds ${what(wrong)}`;
}
