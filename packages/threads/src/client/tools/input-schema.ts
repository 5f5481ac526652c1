import { z } from "zod";
import { ClientToolDefinitionError } from "../../errors/client-errors.ts";

/** A JSON Schema as an object of plain data. */
export type JsonSchema = Record<string, unknown>;

/** The schema of a tool that takes nothing. */
export const emptySchema: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

/** What a tool takes, as the model reads it: the side that is given, before defaults and transforms. */
export function publishedSchema(schema: z.ZodType, toolName: string): JsonSchema {
  let published: JsonSchema;
  try {
    published = { ...z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) };
  } catch (cause) {
    throw new ClientToolDefinitionError({ toolName, problem: "has an input without a JSON Schema", cause });
  }
  delete published["$schema"];
  const shown = withAnyOfNull(published);
  if (!isJsonObject(shown) || !isObjectSchema(shown)) {
    const problem = "takes something other than an object with named fields; use `z.object`";
    throw new ClientToolDefinitionError({ toolName, problem });
  }
  return shown["type"] === "object" ? shown : { type: "object", ...shown };
}

/** A schema given as it is, copied. */
export function givenSchema(schema: JsonSchema, toolName: string): JsonSchema {
  let copy: JsonSchema;
  try {
    copy = structuredClone(schema);
  } catch (cause) {
    throw new ClientToolDefinitionError({ toolName, problem: "has a schema that is no plain data", cause });
  }
  if (copy["type"] === "object") return copy;
  throw new ClientToolDefinitionError({ toolName, problem: 'has a schema whose `type` is not `"object"`' });
}

function isJsonObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object with fields, or a choice among such. A record has no fields that a model could be told about. */
function isObjectSchema(schema: JsonSchema): boolean {
  if (schema["type"] === "object") return "properties" in schema;
  const choices = schema["anyOf"] ?? schema["oneOf"];
  return (
    Array.isArray(choices) &&
    choices.length > 0 &&
    choices.every((choice) => isJsonObject(choice) && isObjectSchema(choice))
  );
}

/** The schema with `anyOf` in place of a `type` that is a list, which not every model reads. */
function withAnyOfNull(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withAnyOfNull);
  if (!isJsonObject(node)) return node;
  const { type, ...others } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === "default" ? value : withAnyOfNull(value)]),
  );
  if (!Array.isArray(type)) return type === undefined ? others : { type, ...others };
  return { ...others, anyOf: type.map((one: unknown) => ({ type: one })) };
}

/** The schema with a description for each field that is named and has none. */
export function withDescriptions(
  schema: JsonSchema,
  descriptions: Readonly<Record<string, string>>,
): JsonSchema {
  const { properties } = schema;
  if (!isJsonObject(properties)) return schema;
  const described = Object.entries(properties).map(([name, field]) => {
    const isOwn = Object.hasOwn(descriptions, name);
    if (!isOwn || !isJsonObject(field) || (field["description"] ?? "") !== "") return [name, field];
    return [name, { ...field, description: descriptions[name] }];
  });
  return { ...schema, properties: Object.fromEntries(described) };
}
