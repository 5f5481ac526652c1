import * as z from "zod";

/** Why a schema's output would not be plain JSON that parses to itself; undefined when it is. */
export function whyNotPlain(schema: unknown, seen = new Set<unknown>()): string | undefined {
  if (!(schema instanceof z.core.$ZodType) || seen.has(schema)) return undefined;
  seen.add(schema);
  const def = schemaDef(schema);
  switch (def.type) {
    case "transform":
      return "has a transform, so a stored value would not parse to itself; transform in the tool's `run` instead";
    case "date":
    case "bigint":
    case "symbol":
    case "undefined":
    case "void":
    case "map":
    case "set":
    case "file":
    case "promise":
    case "function":
    case "nan":
    case "custom":
      return `has a \`${def.type}\`, which JSON cannot carry; use a string, number, array or object`;
    default:
  }
  if (typeof def["keyType"] === "object") {
    const key = whyNotPlain(def["keyType"], seen);
    if (key !== undefined) return key;
  }
  for (const part of parts(def)) {
    const found = whyNotPlain(part, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface SchemaDef {
  readonly type: string;
  readonly [part: string]: unknown;
}

/** The definition a zod schema carries: its type and its parts. */
export function schemaDef(schema: z.core.$ZodType): SchemaDef {
  return { ...schema._zod.def };
}

/** The schemas a definition is made of. */
function parts(def: SchemaDef): unknown[] {
  const getter: unknown = def["getter"];
  return [
    ...valuesOf(def["shape"]),
    def["catchall"],
    def["element"],
    def["innerType"],
    def["valueType"],
    def["left"],
    def["right"],
    def["in"],
    def["out"],
    def["rest"],
    ...listed(def["items"]),
    ...listed(def["options"]),
    ...(typeof getter === "function" ? [called(getter)] : []),
  ];
}

function listed(items: unknown): readonly unknown[] {
  return Array.isArray(items) ? items : [];
}

function valuesOf(shape: unknown): readonly unknown[] {
  return typeof shape === "object" && shape !== null ? Object.values(shape) : [];
}

/** A lazy schema's target. */
function called(getter: object): unknown {
  const target: unknown = typeof getter === "function" ? Reflect.apply(getter, undefined, []) : undefined;
  return target;
}
