import type { AttributeView } from "./agent-definition.ts";
import { AttributeNameError, quoted, SettingTypeError, UnknownAttributeError } from "./errors.ts";
import { typeName } from "./option-object.ts";

/** The attributes of one definition. */
export class AttributeStore implements AttributeView {
  readonly #agentName: () => string;
  readonly #values: Map<string, unknown>;

  constructor(agentName: () => string, values: Iterable<readonly [string, unknown]> = []) {
    this.#agentName = agentName;
    this.#values = new Map(values);
  }

  /** Whether the attribute is set, be it to undefined. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  get(name: string): unknown {
    if (this.#values.has(name)) return this.#values.get(name);
    throw new UnknownAttributeError({
      agentName: this.#agentName(),
      attributeName: name,
      known: [...this.#values.keys()],
    });
  }

  /**
   * Sets attributes, or none of them.
   *
   * @param taken - Whether the definition has a member of that name itself.
   */
  set(given: unknown, taken: (name: string) => boolean): void {
    const agentName = this.#agentName();
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      const problem = `takes attributes as an object of values by name; got ${typeName(given)}`;
      throw new SettingTypeError({ owner: `The agent ${quoted(agentName)}`, setting: "attributes", problem });
    }
    for (const key of Reflect.ownKeys(given)) {
      const refuse = (problem: string): never => {
        throw new AttributeNameError({ agentName, attributeName: String(key), problem });
      };
      if (typeof key === "symbol") return refuse("is a symbol; attributes have texts as their names");
      if (key.trim() === "") return refuse("is blank");
      if (key.startsWith("_")) return refuse("begins with `_`, as no attribute may");
      if (taken(key)) return refuse("is a member of the agent itself; set that, or choose another name");
    }
    for (const [name, value] of Object.entries(given)) this.#values.set(name, value);
  }

  copy(agentName: () => string): AttributeStore {
    return new AttributeStore(agentName, this.#values);
  }
}

/** The names of attributes; any text when they are not known at type level. */
export type AttributeName<Given> = [Given] extends [never] ? string : Extract<keyof Given, string>;

/** The type of an attribute; unknown when attributes are not known at type level. */
export type AttributeOf<Given, Name> = [Given] extends [never]
  ? unknown
  : Name extends keyof Given
    ? Given[Name]
    : never;

/** What `setAttributes` takes: some of the attributes, or any when they are not known at type level. */
export type GivenAttributes<Given> = [Given] extends [never]
  ? Readonly<Record<string, unknown>>
  : Readonly<Partial<Given>>;

/** The attributes of a definition, by name. */
export interface Attributes<Given> {
  /** Whether the attribute is set. */
  has(name: AttributeName<Given>): boolean;
  /** @throws {@link UnknownAttributeError} (`deployment/unknown-attribute`) when it is not set. */
  get<Name extends AttributeName<Given>>(name: Name): AttributeOf<Given, Name>;
}

/** A view of attributes, typed as their definition is. */
export function typedView<Given>(store: AttributeStore): Attributes<Given>;
export function typedView(store: AttributeStore): AttributeView {
  return Object.freeze({
    has: (name: string) => store.has(name),
    get: (name: string) => store.get(name),
  });
}
