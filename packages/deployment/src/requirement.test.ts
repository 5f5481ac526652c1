import { describe, expect, it } from "vitest";
import * as z from "zod";

import { expectedTypes, meets } from "./requirement.ts";

class Sandbox {
  readonly base = ".";
}
class Policy {
  readonly rules = [];
}

describe("the types that a requirement expects", () => {
  it.each([
    { why: "a text", schema: z.string(), words: "string" },
    { why: "a class", schema: z.instanceof(Sandbox), words: "Sandbox" },
    {
      why: "two classes",
      schema: z.union([z.instanceof(Sandbox), z.instanceof(Policy)]),
      words: "Sandbox or Policy",
    },
    { why: "the same type twice", schema: z.union([z.string(), z.string().min(3)]), words: "string" },
    { why: "a set", schema: z.set(z.string()), words: "set" },
    { why: "texts of an enum", schema: z.enum(["dark", "light"]), words: '"dark" or "light"' },
    { why: "literals", schema: z.literal(["a", 5]), words: '"a" or 5' },
    { why: "a title", schema: z.custom(() => true).meta({ title: "an endpoint" }), words: "an endpoint" },
    { why: "a description", schema: z.custom(() => true).describe("a clock"), words: "a clock" },
    { why: "a wrapped type", schema: z.string().optional().readonly().brand("x"), words: "string" },
    { why: "a transformed type", schema: z.string().transform(Number), words: "string" },
    { why: "a lazy type", schema: z.lazy(() => z.number()), words: "number" },
    { why: "anything", schema: z.unknown(), words: "value" },
    { why: "a check without a name", schema: z.custom(() => true), words: "value" },
  ])("are named: $why", ({ schema, words }) => {
    expect(expectedTypes(schema)).toBe(words);
  });

  it("end for a schema that contains itself", () => {
    const endless: z.ZodType = z.lazy(() => endless);
    expect(expectedTypes(endless)).toBe("value");
  });
});

describe("a requirement", () => {
  it.each([
    { why: "deployment 38: an empty text", schema: z.string(), value: "" },
    { why: "zero", schema: z.number(), value: 0 },
    { why: "false", schema: z.boolean(), value: false },
    { why: "an empty list", schema: z.array(z.string()), value: [] },
    { why: "an empty set", schema: z.set(z.string()), value: new Set() },
  ])("is met by $why", ({ schema, value }) => {
    expect(meets(schema, true, value)).toEqual({ met: true, value });
  });

  it("keeps an object of a class as it is", () => {
    const sandbox = new Sandbox();
    const met = meets(z.instanceof(Sandbox), true, sandbox);
    expect(met.met && met.value).toBe(sandbox);
  });

  it.each([
    { why: "deployment 38: null", schema: z.string(), value: null, found: "null" },
    { why: "deployment 38: a number for a text", schema: z.string(), value: 5, found: "number" },
    { why: "undefined", schema: z.string(), value: undefined, found: "missing" },
    { why: "null where the schema would take it", schema: z.string().nullable(), value: null, found: "null" },
    {
      why: "undefined where the schema would take it",
      schema: z.unknown(),
      value: undefined,
      found: "missing",
    },
    {
      why: "deployment 44: another class",
      schema: z.instanceof(Sandbox),
      value: new Policy(),
      found: "Policy",
    },
    { why: "a list", schema: z.set(z.string()), value: [], found: "array" },
    { why: "a map", schema: z.string(), value: new Map(), found: "Map" },
    { why: "a class itself", schema: z.instanceof(Sandbox), value: Sandbox, found: "function" },
  ])("is not met by $why", ({ schema, value, found }) => {
    expect(meets(schema, true, value)).toEqual({ met: false, found });
  });

  it.each([
    { why: "a rule of a right type is broken", schema: z.string().min(3), value: "ab", detail: "Too small" },
    { why: "a part is wrong", schema: z.object({ base: z.string() }), value: { base: 5 }, detail: "base: " },
    {
      why: "the schema itself fails",
      schema: z.string().refine(() => {
        throw new RangeError("sk-secret");
      }),
      value: "ab",
      detail: "its schema failed with RangeError",
    },
    {
      why: "the schema has to wait",
      schema: z.string().refine(() => Promise.resolve(true)),
      value: "ab",
      detail: "its schema is asynchronous",
    },
  ])("says more when $why", ({ schema, value, detail }) => {
    const met = meets(schema, true, value);
    expect(met.met || met.detail).toContain(detail);
  });
});
