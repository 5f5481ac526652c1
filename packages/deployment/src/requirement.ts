import * as z from "zod";

import { quoted, SettingTypeError } from "./errors.ts";
import { typeName } from "./option-object.ts";

/** What a capability requires: a schema for each attribute, by name. */
export type Requirements = Readonly<Record<string, z.ZodType>>;

/** How an attribute meets its requirement, or why it does not. */
export type Met =
  | { readonly met: true; readonly value: unknown }
  | { readonly met: false; readonly found: string; readonly detail?: string };

/** The schemas, in a list of its own that nobody changes. */
export function checkRequirements(owner: string, given: unknown): Requirements {
  const refuse = (setting: string, problem: string): never => {
    throw new SettingTypeError({ owner, setting, problem });
  };
  if (given === undefined) return Object.freeze({});
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return refuse("requiredAttributes", "takes `requiredAttributes` as an object of zod schemas by name");
  }
  const entries = Object.entries(given).map(([name, schema]: [string, unknown]) => {
    if (schema instanceof z.ZodType) return [name, schema] as const;
    const problem = `requires the attribute ${quoted(name)} by something that is no zod schema; got ${typeName(schema)}`;
    return refuse("requiredAttributes", problem);
  });
  return Object.freeze(Object.fromEntries(entries));
}

/** Holds a value against a schema. Nothing at all never meets one: a requirement is required. */
export function meets(schema: z.ZodType, isSet: boolean, value: unknown): Met {
  if (!isSet || value === undefined) return { met: false, found: "missing" };
  if (value === null) return { met: false, found: "null" };
  try {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { met: true, value: parsed.data };
    const [issue] = parsed.error.issues;
    return { met: false, found: typeName(value), ...(issue === undefined ? {} : detail(issue)) };
  } catch (error) {
    const isAsync = error instanceof z.core.$ZodAsyncError;
    const failure = `failed with ${error instanceof Error ? error.name : typeof error}`;
    return {
      met: false,
      found: typeName(value),
      detail: `its schema ${isAsync ? "is asynchronous, and attributes are checked at once" : failure}`,
    };
  }
}

/** What more there is to say than the type: which part is wrong, or which rule a value of the right type breaks. */
function detail({ code, path, message }: z.core.$ZodIssue): { readonly detail?: string } {
  const isOfOtherType = ["invalid_type", "invalid_union", "custom"].includes(code);
  if (path.length > 0) return { detail: `${path.map(String).join(".")}: ${message}` };
  return isOfOtherType ? {} : { detail: message };
}

/** The types a schema takes, in words, such as "string or number". */
export function expectedTypes(schema: z.ZodType): string {
  return [...new Set(typesOf(schema, 0))].join(" or ");
}

const deepest = 8;

/** Kinds of schema that stand for another one. */
const wrappers = new Set(["optional", "nullable", "nonoptional", "default", "prefault", "catch", "readonly"]);

function typesOf(schema: unknown, depth: number): readonly string[] {
  if (!(schema instanceof z.ZodType) || depth > deepest) return ["value"];
  const { title, description } = schema.meta() ?? {};
  if (title !== undefined) return [title];
  const { type } = schema.def;
  const part = (name: string): unknown => Reflect.get(schema.def, name);
  const className: unknown = Reflect.get(Object(schema._zod.bag["Class"]), "name");
  if (type === "custom" && typeof className === "string" && className !== "") return [className];
  if (description !== undefined) return [description];
  if (schema instanceof z.ZodUnion) {
    return schema.def.options.flatMap((option: unknown) => typesOf(option, depth + 1));
  }
  if (wrappers.has(type)) return typesOf(part("innerType"), depth + 1);
  if (type === "pipe") return typesOf(part("in"), depth + 1);
  if (schema instanceof z.ZodLazy) return typesOf(schema.unwrap(), depth + 1);
  if (schema instanceof z.ZodEnum)
    return Object.values(schema.def.entries).map((entry) => JSON.stringify(entry));
  if (schema instanceof z.ZodLiteral) {
    return [...schema.def.values].map((entry) =>
      typeof entry === "string" ? JSON.stringify(entry) : String(entry),
    );
  }
  return [type === "custom" || type === "unknown" || type === "any" ? "value" : type];
}
