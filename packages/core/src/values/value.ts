import * as z from "zod";

import { ValueError } from "../errors.ts";
import { kindsProperty, lineageOf } from "./kinds.ts";
import { metadataFor, type Metadata } from "./metadata.ts";
import { checkName } from "./name.ts";
import { isFields, parseFields, proven, refusal, type Parsed } from "./parse.ts";
import { freezeFresh, frozenField, NotPlain } from "./plain-data.ts";
import { bothFacts, failAs, factsOf, trusted, type SchemaFacts } from "./plain-schema.ts";

export { describeIssues } from "./parse.ts";

/** Carries the kinds of a value at type level: a subtype has every kind of its parents. */
declare const kinds: unique symbol;

/** The four families of values; every value belongs to exactly one. */
export type Family = "empty" | "invoke" | "stop" | "suspend";

/** Read-only at every level, as values are; lists and tuples stay what they are. */
export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** A value of one or more kinds, with its fields; frozen in depth. */
export type Value<Kind extends string, Fields> = DeepReadonly<Fields> & {
  readonly [kinds]: Readonly<Record<Kind, true>>;
};
/** The kinds of a value type, ancestors included. */
export type KindsOf<V> = V extends { readonly [kinds]: infer K } ? keyof K & string : never;
/** Any value, whatever its kind. */
export interface AnyValue {
  readonly [kinds]: object;
}

/** The fields of a value, without its kinds. */
export type PlainFields<V> = { readonly [K in keyof V as K extends typeof kinds ? never : K]: V[K] };

/** Makes and recognises the values of one kind. */
export interface ValueType<Kinds extends string, Fields, Given> {
  /**
   * Makes a value. Fields are validated; metadata travels beside them and is never in the JSON.
   *
   * @throws {@link ValueError} (`core/value`) when the fields or the metadata do not fit.
   */
  // An empty object type is what "may be left out altogether" means here.
  (
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type
    ...given: {} extends Given ? [fields?: Given, meta?: Metadata] : [fields: Given, meta?: Metadata]
  ): Value<Kinds, Fields>;
  /** The most specific kind, in lower snake case. */
  readonly kind: string;
  /** The kind and its ancestors, most specific first, the family last. */
  readonly lineage: readonly string[];
  readonly schema: z.ZodType<Fields, Given>;
  /** True for a value of this kind or a subtype of it, also one made by another installed copy of this package. */
  readonly is: (candidate: unknown) => candidate is Value<Kinds, Fields>;
  /**
   * Declares a subtype with more fields.
   *
   * @throws {@link ValueTypeError} (`core/value-type`) when a field is reserved, inherited, or not plain JSON.
   */
  readonly extend: <K extends string, S extends z.ZodRawShape & Without<Fields>>(
    kind: K,
    shape: S,
  ) => ValueType<Kinds | K, Fields & FieldsOf<S>, Given & GivenOf<S>>;
}

/** What a shape gives. */
export type FieldsOf<S extends z.ZodRawShape> = [keyof S] extends [never] ? object : z.output<z.ZodObject<S>>;
/** What a shape takes. */
export type GivenOf<S extends z.ZodRawShape> = [keyof S] extends [never] ? object : z.input<z.ZodObject<S>>;

/** A shape that declares no field again. */
export type Without<Fields> = {
  readonly [F in keyof Fields as string extends F ? never : F]?: never;
};

/** The top type of all value types. */
export interface AnyValueType {
  readonly kind: string;
  readonly lineage: readonly string[];
  readonly schema: z.ZodType;
  readonly is: (candidate: unknown) => boolean;
}

/** The values that a value type makes; any value, for a type whose own type is not known. */
export type Of<T> =
  T extends ValueType<infer K, infer F, infer _G> ? Value<K, F> : T extends AnyValueType ? AnyValue : never;

const metadataKey = Symbol.for("@roboz/core/metadata");
const stateKey = Symbol.for("@roboz/core/value-type");
/** Of a value that was given none. */
export const noMetadata: Metadata = Object.freeze({});

/** What this package keeps of a value type beyond its public face. */
export interface TypeState {
  readonly type: AnyValueType;
  readonly kind: string;
  readonly family: Family;
  /** The type this one extends; undefined for a type of its own. */
  readonly parent: AnyValueType | undefined;
  /** The names a value of this type may be projected from; null when the type keeps whatever it is given. */
  readonly fieldNames: readonly string[] | null;
  /** The same names, each with its JSON. */
  readonly members: readonly { readonly name: string; readonly json: string }[] | null;
  /** Whether its schema declares an image; also true while that is not known. */
  readonly holdsImage: boolean;
  /** Parses fields; never throws. */
  readonly parse: (given: unknown) => Parsed;
  /**
   * Makes a value from fields that the type's schema has already given.
   *
   * @throws {@link ValueError} (`core/value`) when a field that the schema does not look into is not plain JSON.
   */
  readonly adopt: (fields: object, meta: Metadata | undefined) => AnyValue;
}

/** Carried by every value type; the same symbols in every installed copy of this package. */
interface TypeMark {
  readonly [stateKey]: TypeState;
}

/** Carried by the prototype of every value. */
interface ValueMark {
  readonly [stateKey]: TypeState;
  readonly [metadataKey]: Metadata;
}

/** The state of a value type of any installed copy; undefined for anything else. */
export function typeState(candidate: unknown): TypeState | undefined {
  return isMarkedType(candidate) ? candidate[stateKey] : undefined;
}

/** The value type whose own `is` a function is, of any installed copy; undefined for any other function. */
export function typeGuardedBy(guard: unknown): AnyValueType | undefined {
  return typeState(guard)?.type;
}

function isMarkedType(candidate: unknown): candidate is TypeMark {
  return typeof candidate === "function" && stateKey in candidate;
}

/** Whether anything is a value, of whatever kind. */
export function isValue(candidate: unknown): candidate is AnyValue & ValueMark {
  return typeof candidate === "object" && candidate !== null && stateKey in candidate;
}

/** The type that made a value. */
export function typeOf(value: AnyValue): AnyValueType {
  return marked(value)[stateKey].type;
}

/** The state of the type that made a value. */
export function stateOf(value: AnyValue): TypeState {
  return marked(value)[stateKey];
}

/** The most specific kind of a value. */
export function kindOf(value: AnyValue): string {
  return marked(value)[stateKey].kind;
}

/** The family of a value. */
export function familyOf(value: AnyValue): Family {
  return marked(value)[stateKey].family;
}

/** What travels beside a value: truncation, message kind, and the model that made it. */
export function metadataOf(value: AnyValue): Metadata {
  return marked(value)[metadataKey];
}

function marked(value: AnyValue): ValueMark {
  if (isValue(value)) return value;
  throw new TypeError("Not a value; make one with its type, such as Str({ value })");
}

/** Whether a type is another or extends it: its values then have the other's fields, checked by the same schemas. */
export function stemsFrom(type: AnyValueType, other: AnyValueType): boolean {
  for (let one: AnyValueType | undefined = type; one !== undefined; one = typeState(one)?.parent) {
    if (one === other) return true;
  }
  return false;
}

/**
 * Declares an ordinary value type. Unknown fields are ignored.
 *
 * @param kind - Lower snake case; unique among the types one agent uses.
 * @param shape - The fields, each a zod schema whose output is plain JSON and parses to itself.
 * @throws {@link NameError} (`core/name`) for a bad kind; {@link ValueTypeError} (`core/value-type`) for a built-in
 * kind, a reserved field, or a schema that JSON cannot carry.
 */
export function value<const K extends string, S extends z.ZodRawShape>(
  kind: K,
  shape: S,
): ValueType<"empty" | K, FieldsOf<S>, GivenOf<S>>;
export function value(kind: string, shape: z.ZodRawShape): AnyValueType {
  const fail = failAs(checkName("A value type", kind));
  if (!isFields(shape) || shape instanceof z.core.$ZodType)
    fail("needs its fields as an object, each a zod schema");
  return declareType(kind, z.object(shape), fail);
}

/**
 * Declares a type of the Empty family for an object schema.
 *
 * @param fail - Is told what is wrong with the schema.
 * @internal
 */
export function declareType(
  kind: string,
  schema: z.ZodObject,
  fail: (problem: string) => never,
): AnyValueType {
  return makeType(kind, ["empty"], schema, { facts: factsOf(kind, schema, fail) });
}

/**
 * Makes a value type from a checked schema: the seam between what a schema parses and what the types promise.
 *
 * @param ancestors - The kinds above this one, the family last.
 * @param options.facts - What is known of the schema; undefined for one that could not be looked into yet.
 * @internal
 */
export function makeType<Kinds extends string, Fields, Given>(
  kind: string,
  ancestors: readonly string[],
  schema: z.ZodType<Fields, Given>,
  options?: TypeOptions,
): ValueType<Kinds, Fields, Given>;
export function makeType(
  kind: string,
  ancestors: readonly string[],
  schema: z.ZodType,
  options: TypeOptions = { facts: trusted },
): ErasedType {
  const lineage = Object.freeze([kind, ...ancestors]);
  const depth = lineage.length;
  const family = lineage.at(-1);
  const Instance = instanceClass(kind);
  let { facts } = options;

  const parse = (given: unknown): Parsed => {
    if (facts === undefined) {
      try {
        facts = schema instanceof z.ZodObject ? factsOf(kind, schema, failAs(kind)) : trusted;
      } catch (problem) {
        return { problem };
      }
    }
    const parsed = parseFields(kind, schema, given);
    return facts?.needsProof === true && "fields" in parsed ? proven(kind, schema, parsed.fields) : parsed;
  };

  const adopt = (fields: object, meta: Metadata | undefined): AnyValue => {
    const made = new Instance(meta ?? noMetadata);
    try {
      copyFrozen(fields, made, facts?.isOpaque === false);
    } catch (error) {
      if (!(error instanceof NotPlain)) throw error;
      throw new ValueError({ kind, problem: `\`${error.path}\`, ${error.what}, which JSON cannot carry` });
    }
    return Object.freeze(made);
  };

  const create = (fields: unknown = {}, meta?: Metadata): AnyValue => {
    const parsed = parse(fields);
    if ("problem" in parsed) throw refusal(kind, parsed.problem);
    return adopt(parsed.fields, meta === undefined ? undefined : metadataFor(kind, meta));
  };

  const type: ErasedType = Object.assign(create, {
    kind,
    lineage,
    schema,
    is: (candidate: unknown): boolean => {
      const found = lineageOf(candidate);
      return found?.[found.length - depth] === kind;
    },
    extend: (childKind: string, childShape: z.ZodRawShape) => extendType(type, childKind, childShape, facts),
  });
  const fieldNames = fieldNamesOf(schema);
  const state: TypeState = {
    type,
    kind,
    family: isFamily(family) ? family : "empty",
    parent: options.parent,
    fieldNames,
    members: fieldNames?.map((name) => ({ name, json: JSON.stringify(name) })) ?? null,
    get holdsImage() {
      return facts?.holdsImage !== false;
    },
    parse,
    adopt,
  };
  Object.defineProperties(type, { [stateKey]: { value: state }, name: { value: kind } });
  Object.defineProperty(type.is, stateKey, { value: state });
  Object.defineProperties(Instance.prototype, { ...kindsProperty(lineage), [stateKey]: { value: state } });
  Object.freeze(Instance.prototype);
  return Object.freeze(type);
}

interface TypeOptions {
  readonly parent?: AnyValueType | undefined;
  readonly facts: SchemaFacts | undefined;
}

/** A value type without its types. */
interface ErasedType extends AnyValueType {
  (fields?: unknown, meta?: Metadata): AnyValue;
  readonly extend: (kind: string, shape: z.ZodRawShape) => AnyValueType;
}

function extendType(
  parent: AnyValueType,
  kind: string,
  shape: z.ZodRawShape,
  inherited: SchemaFacts | undefined,
): AnyValueType {
  const fail = failAs(kind);
  checkName("A value type", kind);
  const schema = parent.schema instanceof z.ZodObject ? parent.schema : z.object({});
  const clash = Object.keys(shape).find((name) => Object.hasOwn(schema.shape, name));
  if (clash !== undefined) fail(`declares \`${clash}\` again, which it has from \`${parent.kind}\``);
  if (parent.lineage.includes(kind)) fail("extends a type of the same kind");
  const facts = bothFacts(inherited, factsOf(kind, z.object(shape), fail));
  return makeType(kind, parent.lineage, schema.extend(shape), { parent, facts });
}

function isFamily(name: string | undefined): name is Family {
  return name === "empty" || name === "invoke" || name === "stop" || name === "suspend";
}

/** The names of a schema's fields; null when it keeps others too. */
function fieldNamesOf(schema: z.ZodType): readonly string[] | null {
  if (!(schema instanceof z.ZodObject)) return null;
  const { catchall } = schema.def;
  const keepsOthers = catchall !== undefined && catchall._zod.def.type !== "never";
  return keepsOthers ? null : Object.freeze(Object.keys(schema.shape));
}

type Instance = AnyValue & Record<string, unknown>;

/**
 * The class of one kind's values. Metadata is private to an instance and read through its prototype, so that it is no
 * field of the value.
 */
function instanceClass(kind: string): new (meta: Metadata) => Instance {
  class Made implements Instance {
    declare readonly [kinds]: object;
    [field: string]: unknown;
    readonly #meta: Metadata;

    constructor(meta: Metadata) {
      this.#meta = meta;
    }

    get [metadataKey](): Metadata {
      return this.#meta;
    }

    [inspectKey](
      _depth: number,
      options: object,
      inspect: (shown: object, options: object) => string,
    ): string {
      return `${kind} ${inspect(Object.fromEntries(Object.entries(this)), options)}`;
    }
  }
  // Values are plain objects to whoever asks for their constructor, as zod's records do, and may have a field of that name.
  Reflect.deleteProperty(Made.prototype, "constructor");
  return Made;
}

const inspectKey = Symbol.for("nodejs.util.inspect.custom");

function copyFrozen(fields: object, made: Instance, isFresh: boolean): void {
  if (!isFields(fields)) return;
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    if (typeof field === "string") made[key] = field;
    else if (isFresh && typeof field === "object" && field !== null) made[key] = freezeFresh(field, key);
    else if (field !== undefined && key !== "__proto__") made[key] = frozenField(field, key);
  }
}
