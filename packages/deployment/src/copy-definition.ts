import { isAgentDefinition, type AgentDefinition } from "./agent-definition.ts";
import { findState, keepState, stateOf } from "./definition-state.ts";

/**
 * Another definition of the same class, with lists, attributes and a selection of its own. A deep copy has copies of its
 * children too, hung together as the originals are; capabilities are shared by all.
 */
export function copyDefinition<Kind extends AgentDefinition>(original: Kind, isDeep: boolean): Kind {
  const copy = copyAlone(original);
  if (!isDeep) return copy;
  const made = new Map<AgentDefinition, AgentDefinition>([[original, copy]]);
  const copyOf = (child: AgentDefinition): AgentDefinition => {
    const known = made.get(child);
    if (known !== undefined) return known;
    // What another installed copy of this package made is copied by that one, with all below it.
    const other = findState(child) === undefined ? child.copy({ deep: true }) : copyAlone(child);
    made.set(child, other);
    return other;
  };
  // Copies that are added meanwhile are gone through as well, however deep they stand.
  for (const one of made.values()) {
    const state = findState(one);
    if (state === undefined) continue;
    state.nestedAgents = Object.freeze(state.nestedAgents.map(copyOf));
    state.backgroundAgents = Object.freeze(state.backgroundAgents.map(copyOf));
  }
  return copy;
}

/** A copy that has its children in common with the original. */
function copyAlone<Kind extends AgentDefinition>(original: Kind): Kind {
  const copy: unknown = Object.create(
    Reflect.getPrototypeOf(original),
    Object.getOwnPropertyDescriptors(original),
  );
  if (!isOfKind(original, copy)) throw new Error("A copy of a definition is none");
  const state = { ...stateOf(original) };
  keepState(copy, state);
  state.attributes = state.attributes.copy(() => state.name);
  return copy;
}

/** A copy has the prototype and the properties of its original, and so its type. */
function isOfKind<Kind extends AgentDefinition>(_original: Kind, copy: unknown): copy is Kind {
  return isAgentDefinition(copy);
}
