import * as z from "zod";

import { isImageSchema, type Image } from "./image.ts";
import { list, parts, schemaDef, type SchemaDef } from "./plain-schema.ts";
import { isFields, type Fields } from "./parse.ts";
import type { AnyValue } from "./value.ts";

const taken = Symbol("taken");

/**
 * Parts a value's images from its other fields, wherever its schema declares them.
 * Images travel on the message and are not repeated in its JSON.
 */
export function takeImages(
  value: AnyValue,
  schema: z.ZodType,
): { readonly fields: Fields; readonly images: readonly Image[] } {
  const images: Image[] = [];
  const fields = without(schema, value, images);
  return { fields: isFields(fields) ? fields : {}, images: Object.freeze(images) };
}

/** The part without its images, or `taken` when nothing else was in it. */
function without(schema: unknown, part: unknown, images: Image[]): unknown {
  if (typeof part !== "object" || part === null || !(schema instanceof z.core.$ZodType)) return part;
  if (isImageSchema(schema)) return withoutImage(part, images);
  const def = schemaDef(schema);
  switch (def.type) {
    case "union": {
      const fits = list(def["options"]).find(
        (option) => option instanceof z.core.$ZodType && z.core.safeParse(option, part).success,
      );
      return without(fits, part, images);
    }
    case "intersection": {
      const rest = without(def["left"], part, images);
      return without(def["right"], rest, images);
    }
    case "array":
    case "tuple":
      return withoutInList(def, part, images);
    case "object":
    case "record":
      return withoutInFields(def, part, images);
    default: {
      const [, inner] = parts(def).at(-1) ?? [];
      return without(inner, part, images);
    }
  }
}

/** An image's own fields are taken; what a schema adds to them stays. */
function withoutImage(part: object, images: Image[]): unknown {
  const { url, detail, ...rest } = { url: undefined, detail: undefined, ...part };
  if (typeof url !== "string") return part;
  images.push(Object.freeze(typeof detail === "string" ? { url, detail } : { url }));
  return Object.keys(rest).length === 0 ? taken : rest;
}

function withoutInList(def: SchemaDef, part: object, images: Image[]): unknown {
  const items = list(part);
  const kept = items
    .map((item, index) => without(def["element"] ?? list(def["items"])[index] ?? def["rest"], item, images))
    .filter((item) => item !== taken);
  const isEmptied = kept.length === 0 && (items.length > 0 || isImageSchema(def["element"]));
  return isEmptied ? taken : kept;
}

function withoutInFields(def: SchemaDef, part: object, images: Image[]): unknown {
  const shape = { ...(typeof def["shape"] === "object" ? def["shape"] : undefined) };
  const kept: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(part)) {
    const declared: unknown = Object.hasOwn(shape, key) ? Reflect.get(shape, key) : undefined;
    const rest: unknown = without(declared ?? def["valueType"] ?? def["catchall"], field, images);
    if (rest !== taken) kept[key] = rest;
  }
  return kept;
}
