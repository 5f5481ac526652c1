import * as z from "zod";

import type { AnyValueType } from "./value.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

const known = new WeakMap<z.ZodType, JsonSchema>();

/** The JSON schema of what a value type takes; computed once for each type. */
export function jsonSchemaOf({ schema }: AnyValueType): JsonSchema {
  let json = known.get(schema);
  if (json === undefined) {
    json = Object.freeze({ ...z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) });
    known.set(schema, json);
  }
  return json;
}
