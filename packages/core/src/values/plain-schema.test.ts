import { describe, expect, it } from "vitest";
import * as z from "zod";

import { value, type AnyValueType } from "./value.ts";

type Shape = Readonly<Record<string, z.ZodType>>;

function declare(shape: Shape): AnyValueType {
  return value("own", shape);
}

const refused: unknown = expect.objectContaining({ code: "core/value-type", kind: "own" });

describe("a schema whose output JSON cannot carry", () => {
  it.each([
    { why: "a date", shape: { a: z.date() } },
    { why: "a coerced date", shape: { a: z.coerce.date() } },
    { why: "a bigint", shape: { a: z.bigint() } },
    { why: "a symbol", shape: { a: z.symbol() } },
    { why: "undefined", shape: { a: z.undefined() } },
    { why: "void", shape: { a: z.void() } },
    { why: "NaN", shape: { a: z.nan() } },
    { why: "a map", shape: { a: z.map(z.string(), z.string()) } },
    { why: "a set", shape: { a: z.set(z.string()) } },
    { why: "a file", shape: { a: z.file() } },
    { why: "a promise", shape: { a: z.promise(z.string()) } },
    { why: "an instance", shape: { a: z.instanceof(Date) } },
    { why: "a custom type", shape: { a: z.custom<string>(() => true) } },
    { why: "a literal bigint", shape: { a: z.literal(1n) } },
    { why: "a literal undefined", shape: { a: z.literal([undefined, "x"]) } },
    { why: "nested in an object", shape: { a: z.object({ b: z.date() }) } },
    { why: "nested in a list", shape: { a: z.array(z.date()) } },
    { why: "nested in a tuple", shape: { a: z.tuple([z.string(), z.date()]) } },
    { why: "nested in a tuple's rest", shape: { a: z.tuple([z.string()], z.date()) } },
    { why: "nested in a record", shape: { a: z.record(z.string(), z.date()) } },
    { why: "nested in a union", shape: { a: z.union([z.string(), z.date()]) } },
    {
      why: "nested in an intersection",
      shape: { a: z.intersection(z.object({}), z.object({ b: z.date() })) },
    },
    { why: "nested in an optional", shape: { a: z.date().optional() } },
    {
      why: "nested in a nullable list that may be missing",
      shape: { a: z.array(z.date()).nullable().optional() },
    },
    { why: "nested in a default", shape: { a: z.date().default(new Date(0)) } },
    { why: "nested in a lazy schema", shape: { a: z.lazy(() => z.date()) } },
    { why: "nested in other fields", shape: { a: z.object({}).catchall(z.date()) } },
    {
      why: "nested in a read-only one",
      shape: { a: z.object({ b: z.map(z.string(), z.string()) }).readonly() },
    },
  ])("is refused: $why", ({ shape }) => {
    expect(() => declare(shape)).toThrow(refused);
    expect(() => declare(shape)).toThrow(/`own` has .* in `a/);
  });
});

describe("a schema whose output would not parse to itself", () => {
  it.each([
    { why: "a transform", shape: { a: z.string().transform((text) => text.length) } },
    { why: "a preprocess", shape: { a: z.preprocess(String, z.string()) } },
    { why: "a codec", shape: { a: z.codec(z.string(), z.number(), { decode: Number, encode: String }) } },
    { why: "a string boolean", shape: { a: z.stringbool() } },
    { why: "a transform in depth", shape: { a: z.array(z.object({ b: z.string().transform(Number) })) } },
    { why: "a pipe to another type", shape: { a: z.string().pipe(z.coerce.number()) } },
    { why: "a default that its schema refuses", shape: { a: z.string().min(5).default("x") } },
    { why: "a default that its schema changes", shape: { a: z.string().trim().default(" x ") } },
    { why: "the success of another schema", shape: { a: z.success(z.string()) } },
  ])("is refused when it is declared: $why", ({ shape }) => {
    expect(() => declare(shape)).toThrow(refused);
  });

  it.each([
    { why: "into another value each time", change: (text: string) => `${text}!` },
    { why: "into what JSON cannot carry", change: () => new Date(0) },
  ])("is refused when a value shows it, as a check does that changes a part $why", ({ change }) => {
    const part = z.object({ a: z.string() }).check((payload) => {
      Reflect.set(payload.value, "a", change(payload.value.a));
    });
    const Changed = value("own", { part });
    expect(() => Changed({ part: { a: "x" } })).toThrow(refused);
  });

  it("is refused when a value shows it, as an overwrite that never settles does", () => {
    const Loud = value("own", { a: z.string().overwrite((text) => (text.length < 3 ? `${text}!` : text)) });
    expect(() => Loud({ a: "x" })).toThrow(refused);
    expect(Loud({ a: "long enough" })).toEqual({ a: "long enough" });
  });

  it.each([
    {
      why: "trimmed text",
      shape: { a: z.string().trim().toLowerCase() },
      given: { a: " X " },
      kept: { a: "x" },
    },
    { why: "a coerced number", shape: { a: z.coerce.number() }, given: { a: "3" }, kept: { a: 3 } },
    { why: "a catch", shape: { a: z.string().catch("none") }, given: { a: 1 }, kept: { a: "none" } },
    { why: "a default", shape: { a: z.array(z.string()).default(["x"]) }, given: {}, kept: { a: ["x"] } },
    { why: "a prefault", shape: { a: z.string().trim().prefault(" x ") }, given: {}, kept: { a: "x" } },
    {
      why: "a pipe within a type",
      shape: { a: z.string().pipe(z.email()) },
      given: { a: "a@b.org" },
      kept: { a: "a@b.org" },
    },
    {
      why: "a union that strips",
      shape: { a: z.union([z.object({ b: z.number() }), z.object({ c: z.number() })]) },
      given: { a: { b: 1, c: 2 } },
      kept: { a: { b: 1 } },
    },
    { why: "any JSON", shape: { a: z.json() }, given: { a: [{ b: null }] }, kept: { a: [{ b: null }] } },
    { why: "a number enum", shape: { a: z.enum({ One: 1, Two: 2 }) }, given: { a: 2 }, kept: { a: 2 } },
  ])("is told from one that does: $why", ({ shape, given, kept }) => {
    const type: AnyValueType = value("own", shape);
    expect(make(type, given)).toEqual(kept);
    expect(make(type, make(type, given))).toEqual(kept);
  });

  it("does not share a default between values", () => {
    const tags = ["x"];
    const Tagged = value("tagged", { tags: z.array(z.string()).default(tags) });
    expect(Tagged().tags).toEqual(["x"]);
    tags.push("y");
    expect(Object.isFrozen(tags)).toBe(false);
  });
});

describe("a schema with checks of its own", () => {
  it("may refuse fields", () => {
    const Even = value("even", { n: z.number().refine((n) => n % 2 === 0, "must be even") });
    expect(Even({ n: 2 }).n).toBe(2);
    expect(() => Even({ n: 1 })).toThrow("`even` was given fields it does not take: n: must be even");
  });

  it("may throw, which is reported without what it threw", () => {
    const Odd = value("odd", {
      n: z.number().refine(() => {
        throw new Error("secret 42");
      }),
    });
    const error = thrownBy(() => Odd({ n: 42 }));
    expect(error).toMatchObject({ code: "core/value", kind: "odd", cause: new Error("secret 42") });
    expect(error).not.toHaveProperty("message", expect.stringContaining("42"));
  });

  it.each([
    { why: "a refinement", field: z.string().refine(async () => Promise.resolve(true)) },
    { why: "a check", field: z.string().check(async () => Promise.resolve()) },
    {
      why: "a refinement in depth",
      field: z.array(z.object({ a: z.string().refine(async () => Promise.resolve(true)) })),
    },
  ])("may not be asynchronous, which is seen when the type is declared: $why", ({ field }) => {
    expect(() => value("own", { field })).toThrow(refused);
    expect(() => value("own", { field })).toThrow(/asynchronous/);
  });

  it.each([
    { why: "a refinement that returns a promise", field: z.string().refine(() => Promise.resolve(true)) },
    { why: "a super-refinement", field: z.string().superRefine(async () => Promise.resolve()) },
  ])("may not be asynchronous, which is seen when a value is made: $why", ({ field }) => {
    const Own = value("own", { field });
    expect(() => Own({ field: "x" })).toThrow(refused);
    expect(() => Own({ field: "x" })).toThrow(/asynchronous/);
  });
});

describe("a recursive schema", () => {
  const node = z.object({
    name: z.string(),
    get children() {
      return z.array(node);
    },
  });

  it("is looked into once, and makes values", () => {
    const Tree = value("tree", node.shape);
    const tree = Tree({ name: "a", children: [{ name: "b", children: [] }] });
    expect(tree.children[0]?.name).toBe("b");
    expect(Object.isFrozen(tree.children[0]?.children)).toBe(true);
  });

  it("is refused when what it leads to is", () => {
    const bad: z.ZodType = z.lazy(() => z.object({ at: z.date(), inner: bad.optional() }));
    expect(() => value("own", { bad })).toThrow(refused);
  });

  it("that is not complete yet is looked into when the first value is made", () => {
    const Own = value("own", { inner: z.lazy(() => later) });
    const later = z.object({ at: z.date() });
    expect(() => Own({ inner: { at: new Date(0) } })).toThrow(refused);
    const Fine = value("fine", { inner: z.lazy(() => soon) });
    const soon = z.object({ at: z.string() });
    expect(Fine({ inner: { at: "x" } }).inner.at).toBe("x");
  });

  it("refuses data that is nested far too deep, whatever the schema does", () => {
    const Tree = value("tree", node.shape);
    for (const depth of [600, 50_000]) {
      let deep: z.output<typeof node> = { name: "x", children: [] };
      for (let level = 0; level < depth; level += 1) deep = { name: "x", children: [deep] };
      expect(() => Tree(deep)).toThrow(expect.objectContaining({ code: "core/value", kind: "tree" }));
    }
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

function make(type: AnyValueType, given: unknown): unknown {
  if (typeof type !== "function") throw new TypeError("not callable");
  return Reflect.apply(type, undefined, [given]);
}
