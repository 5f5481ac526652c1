import { inspect } from "node:util";

import { describe, expect, it } from "vitest";
import * as z from "zod";

import { All, Empty, HashMaps, Int, Invoke, Location, Str, StrImage, Strs } from "./builtin.ts";
import { builtinKinds } from "./kinds.ts";
import { reservedNames } from "./metadata.ts";
import { isValue, kindOf, metadataOf, value } from "./value.ts";

const Booking = value("booking", {
  table: z.number().int(),
  guest: z.object({ name: z.string(), tags: z.array(z.string()) }).optional(),
});

/** Calls a type as code without types does. */
function untyped(make: unknown, ...given: readonly unknown[]): unknown {
  if (typeof make !== "function") throw new TypeError("not callable");
  return Reflect.apply(make, undefined, given);
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a value", () => {
  it("has its fields as plain properties, and JSON is just the fields", () => {
    const booking = Booking({ table: 4, guest: { name: "Bob", tags: ["vip"] } });
    expect(booking.guest?.name).toBe("Bob");
    expect(Object.keys(booking)).toEqual(["table", "guest"]);
    expect(JSON.parse(JSON.stringify(booking))).toEqual({ table: 4, guest: { name: "Bob", tags: ["vip"] } });
    expect(booking).toStrictEqual({ table: 4, guest: { name: "Bob", tags: ["vip"] } });
  });

  it("is frozen in depth, and so are values nested in it", () => {
    const booking = Booking({ table: 4, guest: { name: "Bob", tags: ["vip"] } });
    expect(thrownBy(() => Reflect.apply(Array.prototype.push, booking.guest?.tags, ["x"]))).toBeInstanceOf(
      TypeError,
    );
    expect([booking, booking.guest, booking.guest?.tags].every(Object.isFrozen)).toBe(true);
    const all = All({ list: [{ deep: [1] }], inner: Str({ value: "x" }) });
    expect(Reflect.set(all, "list", [])).toBe(false);
    expect([all["list"], all["inner"]].every(Object.isFrozen)).toBe(true);
    expect(Str.is(all["inner"])).toBe(true);
  });

  it("leaves what it was made of as it was", () => {
    const rows = [{ id: 1, tags: ["a"] }];
    const table = HashMaps({ items: rows });
    rows[0]?.tags.push("b");
    expect(table.items).toEqual([{ id: 1, tags: ["a"] }]);
    expect(Object.isFrozen(rows[0])).toBe(false);
    expect(Object.isFrozen(rows[0]?.tags)).toBe(false);
  });

  it("leaves out fields that are undefined, as JSON does", () => {
    expect(Object.keys(Booking({ table: 4, guest: undefined }))).toEqual(["table"]);
    const Nested = value("nested", { inner: z.object({ note: z.string().optional() }) });
    expect(Object.keys(Nested({ inner: { note: undefined } }).inner)).toEqual([]);
  });

  it("is printed with its kind", () => {
    expect(inspect(Str({ value: "x" }, { messageKind: "startup_context" }))).toBe("str { value: 'x' }");
  });

  it("may hold a field of any name that is not reserved", () => {
    const names = ["constructor", "toString", "toJSON", "hasOwnProperty", "then", "kind", "length", "name"];
    const fields = Object.fromEntries(names.map((name) => [name, name]));
    const Odd = value("odd", Object.fromEntries(names.map((name) => [name, z.string()])));
    expect({ ...Odd(fields) }).toEqual(fields);
    expect({ ...All(fields) }).toEqual(fields);
    expect(Odd.is(Odd(fields))).toBe(true);
  });

  it("says what was wrong with its fields, by path, and never repeats what it was given", () => {
    const secret = "hunter2-hunter2";
    const error = thrownBy(() => untyped(Booking, { table: secret, guest: { name: 1, tags: [secret, {}] } }));
    expect(error).toMatchObject({ code: "core/value", kind: "booking" });
    expect(error).toHaveProperty("cause", expect.any(z.ZodError));
    expect(error).toHaveProperty(
      "message",
      expect.stringMatching(/^`booking` was given .*table: .*guest\.name: .*guest\.tags\.1: /),
    );
    expect(error).not.toHaveProperty("message", expect.stringContaining(secret));
    expect(JSON.stringify(error)).not.toContain(secret);
  });

  it("says little about very wrong fields", () => {
    const many = thrownBy(() => untyped(Strs, { items: Array.from({ length: 10_000 }, () => 1) }));
    expect(many).toHaveProperty("message", expect.stringMatching(/and 9995 more$/));
    const long = thrownBy(() => untyped(Str, { value: "x", ["k".repeat(1_000_000)]: 1 }));
    expect(String(long).length).toBeLessThan(500);
  });

  it.each([
    { why: "nothing", given: undefined },
    { why: "null", given: null },
    { why: "a text", given: "x" },
    { why: "a list", given: [] },
    { why: "another type of value", given: Int({ value: 1 }) },
  ])("is not made of $why", ({ given }) => {
    expect(() => untyped(Str, given)).toThrow(expect.objectContaining({ code: "core/value" }));
  });

  it("is made of another value with the same fields", () => {
    const str = untyped(Str, Location({ value: "/tmp" }));
    expect(kindOf(Str({ value: "x" }))).toBe("str");
    expect(Str.is(str)).toBe(true);
  });
});

describe("declaring a type", () => {
  it.each(
    ["", "Booking", "1st", "a__b", "a_", "_a", "a-b", "a b", "ä", "a\n", 1, null].map((kind) => ({ kind })),
  )("refuses the kind $kind", ({ kind }) => {
    expect(() => untyped(value, kind, {})).toThrow(expect.objectContaining({ code: "core/name" }));
    expect(() => untyped(Str.extend, kind, {})).toThrow(expect.objectContaining({ code: "core/name" }));
  });

  it.each([...builtinKinds].map((kind) => ({ kind })))("refuses the built-in kind $kind", ({ kind }) => {
    expect(() => value(kind, {})).toThrow(expect.objectContaining({ code: "core/value-type", kind }));
    expect(() => Booking.extend(kind, {})).toThrow(
      expect.objectContaining({ code: "core/value-type", kind }),
    );
  });

  it.each([...reservedNames].map((name) => ({ name })))("refuses the reserved field $name", ({ name }) => {
    expect(() => value("own", { [name]: z.string() })).toThrow(
      /`own` has a field `\w+`, a name that every run keeps/,
    );
    expect(() => Str.extend("own", { [name]: z.string() })).toThrow(
      expect.objectContaining({ code: "core/value-type" }),
    );
    expect(value("own", { inner: z.object({ [name]: z.string() }) }).kind).toBe("own");
  });

  it("refuses to take a field's place in a subtype, or its own kind", () => {
    const Vip = Booking.extend("vip_booking", { level: z.number() });
    expect(() => untyped(Vip.extend, "other", { table: z.number() })).toThrow(
      "The value type `other` declares `table` again, which it has from `vip_booking`",
    );
    expect(() => Vip.extend("booking", { more: z.number() })).toThrow(
      expect.objectContaining({ code: "core/value-type" }),
    );
    expect(() => untyped(Invoke.extend, "call", { action: z.string() })).toThrow(
      expect.objectContaining({ code: "core/value-type" }),
    );
  });

  it("refuses a shape that is none", () => {
    expect(() => untyped(value, "own", { a: "string" })).toThrow(
      "The value type `own` has no zod schema in `a`",
    );
    expect(() => untyped(value, "own", { a: undefined })).toThrow(
      expect.objectContaining({ code: "core/value-type" }),
    );
    expect(() => untyped(value, "own", z.object({ a: z.string() }))).toThrow(
      expect.objectContaining({ code: "core/value-type" }),
    );
    expect(() => untyped(value, "own", null)).toThrow(expect.objectContaining({ code: "core/value-type" }));
  });

  it("gives a type that cannot be changed", () => {
    expect(Object.isFrozen(Booking) && Object.isFrozen(Booking.lineage)).toBe(true);
    expect(Booking.name).toBe("booking");
  });
});

describe("lineage", () => {
  const Vip = Booking.extend("vip_booking", { level: z.number() });

  it("makes a subtype's value one of each ancestor", () => {
    const vip = Vip({ table: 1, level: 2 });
    expect(Vip.lineage).toEqual(["vip_booking", "booking", "empty"]);
    expect([Vip, Booking, Empty].every((type) => type.is(vip))).toBe(true);
    expect(Vip.is(Booking({ table: 1 }))).toBe(false);
    expect(Str.is(StrImage({ value: "x", images: [] }))).toBe(true);
  });

  it("is not had by whatever looks alike", () => {
    for (const candidate of [
      { table: 1 },
      { ...Booking({ table: 1 }) },
      structuredClone(Booking({ table: 1 })),
      null,
      undefined,
      "booking",
      Booking,
      [Booking({ table: 1 })],
    ]) {
      expect(Booking.is(candidate)).toBe(false);
      expect(isValue(candidate)).toBe(false);
    }
  });

  it("is not had by a namesake further down another line", () => {
    const Other = Str.extend("other", {}).extend("booking", { table: z.number() });
    expect(Booking.is(Other({ value: "x", table: 1 }))).toBe(false);
  });

  it("cannot be taken from, or added to, a value", () => {
    const str = Str({ value: "x" });
    expect(Object.isFrozen(Object.getPrototypeOf(str))).toBe(true);
    expect(Reflect.setPrototypeOf(str, null)).toBe(false);
  });
});

it("reads the metadata and kind of values only", () => {
  expect(() => untyped(metadataOf, { value: "x" })).toThrow(TypeError);
  expect(() => untyped(kindOf, "x")).toThrow(TypeError);
});
