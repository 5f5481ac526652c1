import * as z from "zod";

import { image, type Image } from "./image.ts";
import { schemaDef } from "./plain-schema.ts";
import { typeOf, type AnyValue } from "./value.ts";

const none: readonly Image[] = Object.freeze([]);
const taken = Symbol("taken");
const carriers = new WeakMap<z.ZodType, boolean>();

/**
 * Parts a value's images from its other fields, wherever its type declares them.
 * Images travel on the message and are not repeated in its JSON.
 */
export function takeImages(value: AnyValue): { readonly fields: object; readonly images: readonly Image[] } {
  const { schema } = typeOf(value);
  let carries = carriers.get(schema);
  if (carries === undefined) carriers.set(schema, (carries = mayHoldImage(schema)));
  if (!carries) return { fields: value, images: none };
  const images: Image[] = [];
  const fields = without(schema, value, images);
  return {
    fields: typeof fields === "object" && fields !== null ? fields : {},
    images: Object.freeze(images),
  };
}

function isImageSchema(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodObject && schema.shape["url"] === image.shape.url;
}

/** Whether a schema declares an image anywhere. */
function mayHoldImage(schema: unknown, seen = new Set<unknown>()): boolean {
  if (!(schema instanceof z.core.$ZodType) || seen.has(schema)) return false;
  seen.add(schema);
  if (isImageSchema(schema)) return true;
  if (schema instanceof z.ZodObject)
    return Object.values(schema.shape).some((field) => mayHoldImage(field, seen));
  const def = schemaDef(schema);
  return [
    def["element"],
    def["innerType"],
    def["valueType"],
    def["rest"],
    ...list(def["items"]),
    ...list(def["options"]),
  ].some((part) => mayHoldImage(part, seen));
}

/** The part without its images, or `taken` when nothing else was in it. */
function without(schema: unknown, part: unknown, images: Image[]): unknown {
  if (typeof part !== "object" || part === null || !(schema instanceof z.core.$ZodType)) return part;
  if (isImageSchema(schema)) {
    const parsed = image.safeParse(part);
    if (!parsed.success) return part;
    images.push(Object.freeze(parsed.data));
    return taken;
  }
  const def = schemaDef(schema);
  if (def["innerType"] !== undefined) return without(def["innerType"], part, images);
  if (Array.isArray(part)) {
    const kept = part.map((item: unknown, index) =>
      without(def["element"] ?? list(def["items"])[index] ?? def["rest"], item, images),
    );
    const others = kept.filter((item) => item !== taken);
    const holdsOnlyImages = def["element"] instanceof z.core.$ZodType && isImageSchema(def["element"]);
    return holdsOnlyImages || (others.length === 0 && kept.length > 0) ? taken : others;
  }
  const options = list(def["options"]);
  if (options.length > 0) {
    const fits = options.find((option) => option instanceof z.ZodType && option.safeParse(part).success);
    return fits === undefined ? part : without(fits, part, images);
  }
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  return Object.fromEntries(
    Object.entries(part)
      .map(
        ([key, inner]: [string, unknown]) =>
          [key, without(shape[key] ?? def["valueType"], inner, images)] as const,
      )
      .filter(([, inner]) => inner !== taken),
  );
}

function list(items: unknown): readonly unknown[] {
  return Array.isArray(items) ? items : [];
}
