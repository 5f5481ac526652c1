import { isAgentDefinition, type AgentDefinition } from "./agent-definition.ts";
import { findState, keepState, stateOf } from "./definition-state.ts";

/**
 * Another definition of the same class, with lists, attributes and a selection of its own. A deep copy has copies of its
 * children too, hung together as the originals are; capabilities are shared by all.
 */
export function copyDefinition<Kind extends AgentDefinition>(original: Kind, isDeep: boolean): Kind {
  return copyOnce(original, isDeep, new Map());
}

function copyOnce<Kind extends AgentDefinition>(
  original: Kind,
  isDeep: boolean,
  made: Map<AgentDefinition, AgentDefinition>,
): Kind {
  const copy: unknown = Object.create(
    Reflect.getPrototypeOf(original),
    Object.getOwnPropertyDescriptors(original),
  );
  if (!isOfKind(original, copy)) throw new Error("A copy of a definition is none");
  made.set(original, copy);
  const state = { ...stateOf(original) };
  keepState(copy, state);
  state.attributes = state.attributes.copy(() => state.name);
  if (isDeep) {
    const childCopy = (child: AgentDefinition): AgentDefinition =>
      made.get(child) ??
      (findState(child) === undefined ? child.copy({ deep: true }) : copyOnce(child, true, made));
    state.nestedAgents = Object.freeze(state.nestedAgents.map(childCopy));
    state.backgroundAgents = Object.freeze(state.backgroundAgents.map(childCopy));
  }
  return copy;
}

/** A copy has the prototype and the properties of its original, and so its type. */
function isOfKind<Kind extends AgentDefinition>(_original: Kind, copy: unknown): copy is Kind {
  return isAgentDefinition(copy);
}
