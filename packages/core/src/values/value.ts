import * as z from "zod";

import { ValueError, ValueTypeError } from "../errors.ts";
import { metadataSchema, reservedNames, type Metadata } from "./metadata.ts";
import { checkName } from "./name.ts";
import { whyNotPlain } from "./plain-schema.ts";

/** Carries the kinds of a value at type level: a subtype has every kind of its parents. */
declare const kinds: unique symbol;

/** The four families of values; every value belongs to exactly one. */
export type Family = "empty" | "invoke" | "stop" | "suspend";

export type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

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
  readonly extend: <K extends string, S extends z.ZodRawShape & { readonly [F in keyof Fields]?: never }>(
    kind: K,
    shape: S,
  ) => ValueType<Kinds | K, Fields & z.output<z.ZodObject<S>>, Given & z.input<z.ZodObject<S>>>;
}

/** The top type of all value types. */
export interface AnyValueType {
  readonly kind: string;
  readonly lineage: readonly string[];
  readonly schema: z.ZodType;
  readonly is: (candidate: unknown) => boolean;
}

/** The values that a value type makes. */
export type Of<T> = T extends ValueType<infer K, infer F, infer _G> ? Value<K, F> : never;

const kindsKey = Symbol.for("@roboz/core/kinds");
const metadataKey = Symbol.for("@roboz/core/metadata");
const typeKey = Symbol.for("@roboz/core/value-type");
const noMetadata: Metadata = Object.freeze({});

/** What this package keeps of a value type beyond its public face. */
export interface TypeState {
  readonly kind: string;
  readonly family: Family;
  /** Makes a value from fields that the type's schema has already given. */
  readonly adopt: (fields: object, meta: Metadata | undefined) => AnyValue;
  /** The names a value of this type may be projected from; null when the type keeps whatever it is given. */
  readonly fieldNames: readonly string[] | null;
}

/** The state of a value type of any installed copy; undefined for anything else. */
export function typeState(candidate: unknown): TypeState | undefined {
  return typeof candidate === "function" && typeKey in candidate ? stateOf(candidate) : undefined;
}

function stateOf(candidate: object): TypeState {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the key is written by `makeType` alone
  return Reflect.get(candidate, typeKey) as TypeState;
}

/** The kinds of a value, most specific first; undefined for anything that is not a value. */
export function lineageOf(candidate: unknown): readonly string[] | undefined {
  if (typeof candidate !== "object" || candidate === null || !(kindsKey in candidate)) return undefined;
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the key stands only on prototypes made here
  return Reflect.get(candidate, kindsKey) as readonly string[];
}

/** Whether anything is a value, of whatever kind. */
export function isValue(candidate: unknown): candidate is AnyValue {
  return lineageOf(candidate) !== undefined;
}

/** The type that made a value. */
export function typeOf(value: AnyValue): AnyValueType {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the key stands only on prototypes made here
  return Reflect.get(value, typeKey) as AnyValueType;
}

/** The most specific kind of a value. */
export function kindOf(value: AnyValue): string {
  return lineageOf(value)?.[0] ?? "empty";
}

/** The family of a value. */
export function familyOf(value: AnyValue): string {
  return lineageOf(value)?.at(-1) ?? "empty";
}

/** What travels beside a value: truncation, message kind, and the model that made it. */
export function metadataOf(value: AnyValue): Metadata {
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the key is written by `adopt` alone
  return (Reflect.get(value, metadataKey) as Metadata | undefined) ?? noMetadata;
}

/**
 * Declares an ordinary value type. Unknown fields are ignored.
 *
 * @param kind - Lower snake case; unique among the types one agent uses.
 * @param shape - The fields, each a zod schema whose output is plain JSON and parses to itself.
 * @throws {@link NameError} (`core/name`) for a bad kind; {@link ValueTypeError} (`core/value-type`) for a reserved
 * field or a schema that JSON cannot carry.
 */
export function value<const K extends string, S extends z.ZodRawShape>(
  kind: K,
  shape: S,
): ValueType<"empty" | K, z.output<z.ZodObject<S>>, z.input<z.ZodObject<S>>> {
  const schema = z.object(shape);
  checkDeclaration(kind, Object.keys(shape), schema);
  return makeType(kind, ["empty"], schema);
}

function checkDeclaration(kind: string, names: readonly string[], schema: z.ZodType): void {
  checkName("A value type", kind);
  for (const name of names) {
    if (reservedNames.has(name)) {
      throw new ValueTypeError({
        kind,
        problem: `has a field \`${name}\`, a name that every run keeps for itself; give the field another name`,
      });
    }
    if (name === "__proto__")
      throw new ValueTypeError({ kind, problem: "has a field `__proto__`, which no object may have" });
  }
  const why = whyNotPlain(schema);
  if (why !== undefined) throw new ValueTypeError({ kind, problem: why });
}

/**
 * Makes a value type from a checked schema: the seam between what a schema parses and what the types promise.
 *
 * @internal
 */
export function makeType<Kinds extends string, Fields, Given>(
  kind: string,
  ancestors: readonly string[],
  schema: z.ZodType<Fields, Given>,
): ValueType<Kinds, Fields, Given> {
  const lineage = Object.freeze([kind, ...ancestors]);
  const Instance = instanceClass(kind);
  const shape = schema instanceof z.ZodObject ? schema.shape : undefined;
  const keepsAll =
    schema instanceof z.ZodObject &&
    schema.def.catchall !== undefined &&
    schema.def.catchall._zod.def.type !== "never";
  const fieldNames = shape === undefined || keepsAll ? null : Object.freeze(Object.keys(shape));

  const adopt = (fields: object, meta: Metadata | undefined): AnyValue => {
    const made = new Instance();
    for (const [key, field] of Object.entries({ ...fields } satisfies Record<string, unknown>)) {
      if (field === undefined) continue;
      if (typeof field === "object" && field !== null) freezeInDepth(field, kind, key);
      if (key === "__proto__") Object.defineProperty(made, key, { value: field, enumerable: true });
      else made[key] = field;
    }
    if (meta !== undefined) Object.defineProperty(made, metadataKey, { value: meta });
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the kinds stand on the prototype, where no type sees them
    return Object.freeze(made) as unknown as AnyValue;
  };

  const create = (fields: unknown = {}, meta?: Metadata): AnyValue => {
    const parsed = schema.safeParse(fields);
    if (!parsed.success) {
      throw new ValueError({
        kind,
        problem: `fields it does not take: ${describeIssues(parsed.error)}`,
        cause: parsed.error,
      });
    }
    return adopt(fieldsOf(parsed.data), meta === undefined ? undefined : checkMetadata(kind, meta));
  };

  const family = lineage.at(-1);
  const state: TypeState = { kind, family: isFamily(family) ? family : "empty", adopt, fieldNames };
  const type = Object.assign(create, {
    kind,
    lineage,
    schema,
    is: (candidate: unknown): boolean => lineageOf(candidate)?.includes(kind) ?? false,
    extend: (childKind: string, childShape: z.ZodRawShape) =>
      extendType(childKind, childShape, lineage, schema),
  });
  Object.defineProperty(type, typeKey, { value: state });
  Object.defineProperty(type, "name", { value: kind });
  Object.defineProperty(Instance.prototype, kindsKey, { value: lineage });
  Object.defineProperty(Instance.prototype, typeKey, { value: type });
  Object.freeze(Instance.prototype);
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the seam: `create` parses with `schema`, so it gives `Fields` of these kinds
  return type as unknown as ValueType<Kinds, Fields, Given>;
}

/** The fields a schema gave: an object, since every value's schema is one. */
function fieldsOf(parsed: unknown): object {
  return typeof parsed === "object" && parsed !== null ? parsed : {};
}

function extendType(
  kind: string,
  shape: z.ZodRawShape,
  lineage: readonly string[],
  schema: z.ZodType,
): AnyValueType {
  const inherited = schema instanceof z.ZodObject ? schema : z.object({});
  const clash = Object.keys(shape).find((name) => name in inherited.shape);
  if (clash !== undefined) {
    throw new ValueTypeError({
      kind,
      problem: `declares \`${clash}\` again, which it has from \`${lineage[0] ?? ""}\``,
    });
  }
  if (lineage.includes(kind)) throw new ValueTypeError({ kind, problem: "extends a type of the same kind" });
  checkDeclaration(kind, Object.keys(shape), z.object(shape));
  return makeType(kind, lineage, inherited.extend(shape));
}

function isFamily(name: string | undefined): name is Family {
  return name === "empty" || name === "invoke" || name === "stop" || name === "suspend";
}

/** A class whose prototype gives its kinds to every value, and its kind's name to whoever prints one. */
function instanceClass(kind: string): new () => Record<string, unknown> {
  class Instance {
    [field: string]: unknown;
  }
  Object.defineProperty(Instance, "name", { value: kind });
  return Instance;
}

function freezeInDepth(field: object, kind: string, path: string): void {
  if (Object.isFrozen(field) && isKnownPlain.has(field)) return;
  const prototype: unknown = Object.getPrototypeOf(field);
  if (!Array.isArray(field) && prototype !== Object.prototype && prototype !== null && !(kindsKey in field)) {
    throw new ValueError({ kind, problem: `\`${path}\`, which is not plain JSON` });
  }
  for (const key of Object.keys(field)) {
    const inner: unknown = Reflect.get(field, key);
    switch (typeof inner) {
      case "object":
        if (inner !== null) freezeInDepth(inner, kind, `${path}.${key}`);
        break;
      case "bigint":
      case "symbol":
      case "function":
        throw new ValueError({
          kind,
          problem: `\`${path}.${key}\`, a ${typeof inner}, which JSON cannot carry`,
        });
      default:
    }
  }
  isKnownPlain.add(Object.freeze(field));
}

/** Objects that were walked before: a frozen one need not be walked again when a value is handed on. */
const isKnownPlain = new WeakSet();

function checkMetadata(kind: string, meta: Metadata): Metadata {
  const parsed = metadataSchema.safeParse(meta);
  if (!parsed.success) {
    throw new ValueError({
      kind,
      problem: `metadata it does not know: ${describeIssues(parsed.error)}`,
      cause: parsed.error,
    });
  }
  return Object.freeze(parsed.data);
}

/** What a schema found wrong, each with its path; never the rejected value. */
export function describeIssues(error: z.core.$ZodError): string {
  return error.issues
    .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`))
    .join("; ");
}
