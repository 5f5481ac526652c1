import type { CapabilityChoice } from "./agent-definition.ts";
import { quoted, SelectionError, SelectionTypeError } from "./errors.ts";
import { isSkillLoading, type Label, SkillLabel } from "./label.ts";
import { typeName } from "./option-object.ts";

/** An agent's choices among its capabilities; null includes each as it is declared. */
export type Selection = ReadonlyMap<string, CapabilityChoice> | null;

/**
 * Checks all choices and copies them.
 *
 * @throws {@link SelectionTypeError} (`deployment/selection-type`), {@link SelectionError} (`deployment/selection`)
 */
export function checkSelection(agentName: string, labels: readonly Label[], given: unknown): Selection {
  if (given === null) return null;
  const byName = new Map(labels.map((label) => [label.name, label]));
  return new Map(
    entriesOf(agentName, given).map(([name, choice]) => [
      name,
      checkChoice(agentName, byName.get(name), name, choice, labels),
    ]),
  );
}

function entriesOf(agentName: string, given: unknown): readonly (readonly [string, unknown])[] {
  if (typeof given !== "object" || given === null || Array.isArray(given) || Symbol.iterator in given) {
    throw new SelectionTypeError({
      agentName,
      capabilityName: undefined,
      problem: `takes an object of choices by capability name, or null for all that is declared; got ${typeName(given)}`,
    });
  }
  return Object.entries(given);
}

function checkChoice(
  agentName: string,
  label: Label | undefined,
  capabilityName: string,
  choice: unknown,
  labels: readonly Label[],
): CapabilityChoice {
  const refuse = (problem: string): never => {
    throw new SelectionError({ agentName, capabilityName, problem });
  };
  if (label === undefined) {
    const names = labels.map(({ name }) => quoted(name)).join(", ");
    return refuse(
      names === "" ? "is not declared; the agent has no capabilities" : `is not declared; there are ${names}`,
    );
  }
  if (typeof choice !== "boolean" && !isSkillLoading(choice)) {
    const problem = `is set to ${typeof choice === "string" ? quoted(choice) : typeName(choice)}; it takes true, false or a loading mode`;
    throw new SelectionTypeError({ agentName, capabilityName, problem });
  }
  if (choice === true) return true;
  if (!label.selectable) return refuse("is fixed, so it may only be set to true");
  if (choice !== false && label.kind === "tool") {
    return refuse("is a tool, which is not loaded; set it to true or false");
  }
  return choice;
}

/** The label that a capability is built under; undefined when it is left out. */
export function effectiveLabel(label: Label, selection: Selection): Label | undefined {
  const choice = choiceFor(label, selection);
  if (choice === false) return undefined;
  if (choice === true || label.kind === "tool" || choice === label.loading) return label;
  return SkillLabel(label.name, { selectable: label.selectable, loading: choice });
}

/** What each capability comes to, in the order of the labels. */
export function resolveSelection(
  labels: readonly Label[],
  selection: Selection,
): Record<string, CapabilityChoice> {
  return Object.fromEntries(
    labels.map((label) => {
      const choice = choiceFor(label, selection);
      const hasMode = choice === true && label.selectable && label.kind === "skill";
      return [label.name, hasMode ? label.loading : choice];
    }),
  );
}

function choiceFor(label: Label, selection: Selection): CapabilityChoice {
  if (!label.selectable || selection === null) return true;
  return selection.get(label.name) ?? false;
}
