import * as z from "zod";

import { ValueTypeError } from "../errors.ts";
import { isImageSchema } from "./image.ts";
import { builtinKinds } from "./kinds.ts";
import { reservedNames } from "./metadata.ts";
import { asynchronous, isFields } from "./parse.ts";

/** What a declaration's schema promises. */
export interface SchemaFacts {
  /** Why no value can be made with the schema; undefined when values can. */
  readonly problem: string | undefined;
  /** Whether only a value shows that it parses to itself, as with `trim()` or `catch()`. */
  readonly needsProof: boolean;
  /** Whether it declares an image anywhere. */
  readonly holdsImage: boolean;
  /** Whether parts of its output may be what it was given rather than made, or not be looked into, as with `unknown()`. */
  readonly isOpaque: boolean;
}

/** What is known of the schemas this package declares itself. */
export const trusted: SchemaFacts = Object.freeze({
  problem: undefined,
  needsProof: false,
  holdsImage: false,
  isOpaque: false,
});

/** What is known of a schema with the fields of two. */
export function bothFacts(
  one: SchemaFacts | undefined,
  other: SchemaFacts | undefined,
): SchemaFacts | undefined {
  if (one === undefined || other === undefined) return undefined;
  return {
    problem: undefined,
    needsProof: one.needsProof || other.needsProof,
    holdsImage: one.holdsImage || other.holdsImage,
    isOpaque: one.isOpaque || other.isOpaque,
  };
}

/** What is known of a declared schema; undefined while a recursive one refers to what is not declared yet. */
export function factsOf(
  kind: string,
  schema: z.ZodObject,
  fail: (problem: string) => never,
): SchemaFacts | undefined {
  const wrong = nameProblem(kind, Object.keys(schema.def.shape));
  if (wrong !== undefined) fail(wrong);
  let facts: SchemaFacts;
  try {
    facts = inspectSchema(schema);
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
  if (facts.problem !== undefined) fail(facts.problem);
  return facts;
}

/** Throws what is wrong with the type of a kind. */
export function failAs(kind: string): (problem: string) => never {
  return (problem) => {
    throw new ValueTypeError({ kind, problem });
  };
}

/** Why a kind or field name cannot be declared; undefined when it can. */
function nameProblem(kind: string, names: readonly string[]): string | undefined {
  if (builtinKinds.has(kind)) return "takes the name of a built-in kind; give it another name";
  const reserved = names.find((name) => reservedNames.has(name));
  if (reserved !== undefined) {
    return `has a field \`${reserved}\`, a name that every run keeps for itself; give the field another name`;
  }
  return names.includes("__proto__") ? "has a field `__proto__`, which no object may have" : undefined;
}

/**
 * Looks for what JSON cannot carry in a schema's output, and for output that would not parse to itself.
 *
 * @throws Whatever a recursive schema's getter throws; a `ReferenceError` while its target is not declared yet.
 */
function inspectSchema(schema: z.core.$ZodType): SchemaFacts {
  const walk: Walk = { seen: new Set(), needsProof: false, holdsImage: false, isOpaque: false };
  const problem = problemIn(schema, "", walk);
  return { problem, needsProof: walk.needsProof, holdsImage: walk.holdsImage, isOpaque: walk.isOpaque };
}

interface Walk {
  readonly seen: Set<unknown>;
  needsProof: boolean;
  holdsImage: boolean;
  isOpaque: boolean;
}

const notJson = new Set([
  "bigint",
  "custom",
  "date",
  "file",
  "function",
  "map",
  "nan",
  "promise",
  "set",
  "symbol",
  "undefined",
  "void",
]);

function problemIn(schema: unknown, path: string, walk: Walk): string | undefined {
  const at = path === "" ? "" : ` in \`${path}\``;
  if (!(schema instanceof z.core.$ZodType)) return `has no zod schema${at}; declare each field with zod`;
  if (walk.seen.has(schema)) return undefined;
  walk.seen.add(schema);
  const def = schemaDef(schema);
  if (isImageSchema(schema)) walk.holdsImage = true;
  if (isOpaque(def)) walk.isOpaque = true;
  if (notJson.has(def.type)) {
    return `has a \`${def.type}\`${at}, which JSON cannot carry; use a string, number, array or object`;
  }
  if (def.type === "transform" || def.type === "success" || isFunction(def["transform"])) {
    return `has a transform${at}, so a stored value would not parse to itself; transform in the tool's \`run\` instead`;
  }
  if (def.type === "literal" && !list(def["values"]).every(isJsonScalar)) {
    return `has a literal${at} that JSON cannot carry; use a string, finite number, boolean or null`;
  }
  return (
    checksProblem(def, at, walk) ??
    pipeProblem(def, at, walk) ??
    defaultProblem(def, at, walk) ??
    partsProblem()
  );

  function partsProblem(): string | undefined {
    for (const [key, part] of parts(def)) {
      const found = problemIn(part, key === "" ? path : path === "" ? key : `${path}.${key}`, walk);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Whether a schema passes on what it is given as it is, or may leave `undefined` in a list. */
function isOpaque(def: SchemaDef): boolean {
  switch (def.type) {
    case "any":
    case "catch":
    case "unknown":
      return true;
    case "default":
      return typeof def["defaultValue"] === "object" && def["defaultValue"] !== null;
    case "record":
      return def["mode"] === "loose";
    case "array":
    case "tuple":
      return [def["element"], def["rest"], ...list(def["items"])].some(
        (item) => item instanceof z.core.$ZodType && item._zod.optout !== undefined,
      );
    default:
      return false;
  }
}

function checksProblem(def: SchemaDef, at: string, walk: Walk): string | undefined {
  for (const check of list(def["checks"])) {
    const internals = isFields(check) ? check["_zod"] : undefined;
    if (!isFields(internals)) continue;
    const said = internals["def"];
    if (!isFields(said)) continue;
    // A check that is handed the whole parse, as `superRefine` is, may change the value as well.
    const mayChange =
      said["check"] === "overwrite" || (said["check"] === "custom" && said["fn"] === undefined);
    if (mayChange) walk.needsProof = walk.isOpaque = true;
    if (isAsync(said["fn"]) || isAsync(internals["check"])) return `${asynchronous}${at}`;
  }
  return undefined;
}

/** Two schemas in a row: what the second gives has to be what the first takes. */
function pipeProblem(def: SchemaDef, at: string, walk: Walk): string | undefined {
  if (def.type !== "pipe") return undefined;
  walk.needsProof = true;
  const [from, to] = [bareType(def["in"]), bareType(def["out"])];
  if (from === to || ![from, to].every((type) => scalars.has(type))) return undefined;
  return `has a pipe${at} that takes a \`${from}\` and gives a \`${to}\`, so a stored value would not parse to itself`;
}

const scalars = new Set(["string", "number", "boolean", "array", "object", "record"]);

/** The type of a schema without what may stand around it, such as `optional`. */
function bareType(schema: unknown): string {
  if (!(schema instanceof z.core.$ZodType)) return "unknown";
  const def = schemaDef(schema);
  return def["innerType"] === undefined ? def.type : bareType(def["innerType"]);
}

/** A default is given as it stands, unparsed, so it has to be what its schema would give. */
function defaultProblem(def: SchemaDef, at: string, walk: Walk): string | undefined {
  if (def.type === "catch") walk.needsProof = true;
  const inner = def["innerType"];
  if (def.type !== "default" || !(inner instanceof z.core.$ZodType)) return undefined;
  const given = def["defaultValue"];
  const parsed = z.core.safeParse(inner, given);
  if (parsed.success && JSON.stringify(parsed.data) === JSON.stringify(given)) return undefined;
  return `has a default${at} that its own schema does not take as it stands`;
}

/** What a schema says of itself. */
export interface SchemaDef {
  readonly type: string;
  readonly [part: string]: unknown;
}

/** The definition a zod schema carries: its type and its parts. */
export function schemaDef(schema: z.core.$ZodType): SchemaDef {
  return { ...schema._zod.def };
}

/** The schemas a definition is made of, each with the key it stands under, if it has one. */
export function parts(def: SchemaDef): (readonly [key: string, part: unknown])[] {
  const { getter } = { getter: undefined, ...def };
  const named = typeof def["shape"] === "object" && def["shape"] !== null ? Object.entries(def["shape"]) : [];
  const single = [
    "catchall",
    "element",
    "innerType",
    "keyType",
    "valueType",
    "left",
    "right",
    "in",
    "out",
    "rest",
  ];
  return [
    ...named,
    ...[
      ...single.map((part) => def[part]),
      ...list(def["items"]),
      ...list(def["options"]),
      ...(isFunction(getter) ? [called(getter)] : []),
    ]
      .filter((part) => part !== undefined && part !== null)
      .map((part) => ["", part] as const),
  ];
}

/** What may be a list, as one. */
export function list(items: unknown): readonly unknown[] {
  return Array.isArray(items) ? items : [];
}

/** A lazy schema's target. */
function called(getter: Callable): unknown {
  return Reflect.apply(getter, undefined, []);
}

type Callable = (...given: never) => unknown;

function isFunction(candidate: unknown): candidate is Callable {
  return typeof candidate === "function";
}

function isAsync(candidate: unknown): boolean {
  return isFunction(candidate) && Object.prototype.toString.call(candidate) === "[object AsyncFunction]";
}

function isJsonScalar(candidate: unknown): boolean {
  return (
    candidate === null ||
    typeof candidate === "string" ||
    typeof candidate === "boolean" ||
    (typeof candidate === "number" && Number.isFinite(candidate))
  );
}
