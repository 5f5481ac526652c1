import { readFileSync } from "node:fs";
import { z } from "zod";

const pairs = z.array(z.tuple([z.string(), z.string().nullable()]));
const secretFile = z.object({
  schemaVersion: z.literal(1),
  vectors: z.array(
    z.strictObject({
      id: z.string(),
      why: z.string(),
      differsFrom: z.string().optional(),
      password: z.string().nullable(),
      entries: pairs,
      expect: z.union([z.strictObject({ values: pairs }), z.strictObject({ code: z.string() })]),
    }),
  ),
});
const envTextFile = z.object({
  schemaVersion: z.literal(1),
  vectors: z.array(
    z.strictObject({
      id: z.string(),
      why: z.string(),
      text: z.string(),
      values: pairs,
      warnings: z.array(z.strictObject({ line: z.int(), fault: z.string(), envName: z.string().optional() })),
      isCanonical: z.boolean().optional(),
    }),
  ),
  refused: z.array(z.strictObject({ id: z.string(), why: z.string(), values: pairs, code: z.string() })),
});

function read<T>(name: string, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8")));
}

/** The map that the pairs of a vector stand for. */
export function valuesOf(entries: z.output<typeof pairs>): ReadonlyMap<string, string | undefined> {
  return new Map(entries.map(([name, value]) => [name, value ?? undefined]));
}

/** The vectors of both formats. */
export const secretVectors = [...read("v1.json", secretFile).vectors, ...read("v2.json", secretFile).vectors];
/** The vectors of dotenv texts. */
export const envTextFileVectors = read("env-text.json", envTextFile);
