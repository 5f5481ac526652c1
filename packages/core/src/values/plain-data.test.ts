import { runInNewContext } from "node:vm";

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { CoreError } from "../errors.ts";
import { All, HashMaps, Invoke, Suspend } from "./builtin.ts";
import { isFields, type Fields } from "./parse.ts";
import { value } from "./value.ts";

const Payload = value("payload", { data: z.unknown() });

function nested(depth: number, inner: unknown = 0): unknown {
  let data: unknown = inner;
  for (let level = 0; level < depth; level += 1) data = level % 2 === 0 ? [data] : { in: data };
  return data;
}

const cyclic: Record<string, unknown> = { name: "cyclic" };
cyclic["self"] = { back: [cyclic] };

const foreign: unknown = runInNewContext("({ a: [{ b: null }] })");

const orphan: unknown = Object.setPrototypeOf({ a: 1 }, null);

class Account {
  balance = 1;
}

describe("data that a schema does not look into", () => {
  it.each([
    { why: "a function", data: () => 1, at: "data" },
    { why: "a method", data: { toJSON: () => "x" }, at: "data.toJSON" },
    { why: "a bigint", data: [1n], at: "data.0" },
    { why: "a symbol", data: { a: Symbol("x") }, at: "data.a" },
    { why: "a Date", data: new Date(0), at: "data" },
    { why: "a frozen Date", data: { at: Object.freeze(new Date(0)) }, at: "data.at" },
    { why: "a Map", data: new Map(), at: "data" },
    { why: "a frozen Set", data: [Object.freeze(new Set([1]))], at: "data.0" },
    { why: "bytes", data: new Uint8Array(2), at: "data" },
    { why: "an instance of a class", data: { a: [new Account()] }, at: "data.a.0" },
    { why: "a frozen instance", data: Object.freeze(new Account()), at: "data" },
    { why: "an error", data: new Error("x"), at: "data" },
    { why: "a promise", data: Promise.resolve(1), at: "data" },
    { why: "NaN", data: Number.NaN, at: "data" },
    { why: "an infinite number", data: { a: -Infinity }, at: "data.a" },
    { why: "undefined in a list", data: [undefined], at: "data.0" },
    // eslint-disable-next-line no-sparse-arrays -- the hole is the point
    { why: "a hole in a list", data: [1, , 2], at: "data.1" },
    { why: "an object in itself", data: cyclic, at: "data.self.back.0" },
    { why: "a list in a list, very deep", data: nested(20_000), at: "data" },
  ])("is refused when it is $why, by its place", ({ data, at }) => {
    expect(() => Payload({ data })).toThrow(expect.objectContaining({ code: "core/value", kind: "payload" }));
    expect(() => Payload({ data })).toThrow(
      new RegExp(`^\`payload\` was given \`${at.replaceAll(".", "\\.")}`),
    );
    expect(() => All({ data })).toThrow(expect.objectContaining({ code: "core/value", kind: "all" }));
    expect(() => Invoke({ action: "a", rationale: "b", data })).toThrow(
      expect.objectContaining({ code: "core/value" }),
    );
    expect(() => Suspend({ request: data })).toThrow(expect.objectContaining({ code: "core/value" }));
  });

  it.each([
    { why: "nesting as deep as anybody needs", data: nested(400) },
    { why: "the same object twice", data: (({ a }) => [a, a])({ a: { b: 1 } }) },
    { why: "an object without a prototype", data: orphan },
    { why: "an object of another realm", data: foreign },
    { why: "a frozen object", data: Object.freeze({ a: Object.freeze([1]) }) },
    { why: "null", data: null },
  ])("is kept when it is $why", ({ data }) => {
    expect(JSON.stringify(Payload({ data }).data)).toBe(JSON.stringify(data));
  });

  it("is copied: later changes do not reach the value, and nothing of the caller's is frozen", () => {
    const data = { list: [1], inner: { a: 1 } };
    const kept = Payload({ data });
    data.list.push(2);
    data.inner.a = 2;
    expect(kept.data).toEqual({ list: [1], inner: { a: 1 } });
  });

  it("is not copied again when a value is handed on", () => {
    const { data } = Payload({ data: { a: { b: 1 } } });
    expect(Payload({ data }).data).toBe(data);
    expect(Object.isFrozen(data)).toBe(true);
  });

  it("has its getters read once, and throws what they throw only as a cause", () => {
    let reads = 0;
    const counted = {
      get a() {
        reads += 1;
        return reads;
      },
    };
    expect(Payload({ data: counted }).data).toEqual({ a: 1 });
    const failing = {
      get data(): unknown {
        throw new RangeError("secret");
      },
    };
    const error = thrownBy(() => Payload(failing));
    expect(error).toMatchObject({ code: "core/value", cause: new RangeError("secret") });
    expect(error).not.toHaveProperty("message", expect.stringContaining("secret"));
  });

  it("is not affected by a proxy that changes its mind", () => {
    let asked = 0;
    const data = new Proxy({ a: 1 }, { get: (_target, key) => (key === "a" ? (asked += 1) : undefined) });
    const kept = Payload({ data });
    expect(kept.data).toEqual(kept.data);
    expect(JSON.stringify(kept)).toBe(JSON.stringify(kept));
  });
});

describe("`__proto__` keys", () => {
  const hostile =
    '{"__proto__":{"isAdmin":true},"a":{"__proto__":{"isAdmin":true},"b":[{"__proto__":null}]}}';

  it.each([
    { why: "All", made: () => All(json(hostile)) },
    { why: "an unknown field", made: () => Payload({ data: json(hostile) }) },
    { why: "a list of records", made: () => HashMaps({ items: [json(hostile)] }) },
    { why: "an Invoke", made: () => Invoke({ action: "a", rationale: "b", ...json(hostile) }) },
    {
      why: "a loose object",
      made: () => value("loose", { data: z.looseObject({}) })({ data: json(hostile) }),
    },
    {
      why: "a record",
      made: () => value("loose", { data: z.record(z.string(), z.unknown()) })({ data: json(hostile) }),
    },
    { why: "a type of one's own", made: () => value("own", { b: z.string().optional() })(json(hostile)) },
  ])("of JSON are left out at every level: $why", ({ made }) => {
    const kept = made();
    expect(JSON.stringify(json(hostile))).toBe(hostile);
    expect(JSON.stringify(kept)).not.toContain("isAdmin");
    expect(Reflect.get(kept, "isAdmin")).toBeUndefined();
    expect(Reflect.get({}, "isAdmin")).toBeUndefined();
  });

  it("are refused as a declared field", () => {
    expect(() =>
      value("own", Object.defineProperty({}, "__proto__", { value: z.string(), enumerable: true })),
    ).toThrow(expect.objectContaining({ code: "core/value-type" }));
  });
});

describe("property: whatever is given", () => {
  it("either makes a value that is its own JSON, frozen in depth, or is refused as one of our errors", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withTypedArray: true,
      withBoxedValues: true,
    });
    fc.assert(
      fc.property(anything, fc.boolean(), (data, asAll) => {
        const [made, error] = attempt(() =>
          asAll ? All(Object.fromEntries(Object.entries(data ?? {}))) : Payload({ data }),
        );
        if (made === undefined) {
          expect(CoreError.is(error)).toBe(true);
          return;
        }
        expect(json(JSON.stringify(made))).toEqual(json(JSON.stringify({ ...made })));
        expect(json(JSON.stringify(made, keepZero))).toEqual(made);
        expect(isFrozenInDepth(made)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("of JSON is kept as it is, and the given stays unfrozen", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          // `__proto__` keys are left out at any depth; the rows above say so.
          fc.jsonValue().filter((part) => !JSON.stringify(part).includes("__proto__")),
        ),
        (given) => {
          const text = JSON.stringify(given);
          const made = All(given);
          expect(JSON.stringify(made)).toBe(text);
          expect(JSON.stringify(given)).toBe(text);
          expect(isFrozenInDepth(made)).toBe(true);
          expect(
            Object.values(given).some(
              (part) => typeof part === "object" && part !== null && Object.isFrozen(part),
            ),
          ).toBe(false);
        },
      ),
    );
  });
});

/** JSON has no negative zero. */
function keepZero(_key: string, part: unknown): unknown {
  return Object.is(part, -0) ? "-0" : part;
}

function json(text: string): Fields {
  const parsed: unknown = JSON.parse(text, (_key, part: unknown) => (part === "-0" ? -0 : part));
  if (!isFields(parsed)) throw new TypeError("not an object");
  return parsed;
}

function attempt<T>(act: () => T): readonly [T | undefined, unknown] {
  try {
    return [act(), undefined];
  } catch (error) {
    return [undefined, error];
  }
}

function thrownBy(act: () => unknown): unknown {
  return attempt(act)[1];
}

function isFrozenInDepth(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return true;
  return Object.isFrozen(part) && Object.values(part).every(isFrozenInDepth);
}
