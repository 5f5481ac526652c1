import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  All,
  Empty,
  HashMaps,
  Int,
  Invoke,
  Location,
  LocationStr,
  Stop,
  StopLocation,
  Str,
  StrImage,
  Strs,
  Suspend,
} from "./builtin.ts";
import { builtinKinds } from "./kinds.ts";
import { familyOf, isValue, kindOf, typeOf, typeState, value, type AnyValueType } from "./value.ts";

/** Calls a type as code without types does. */
function untyped(make: unknown, ...given: readonly unknown[]): unknown {
  if (typeof make !== "function") throw new TypeError("not callable");
  return Reflect.apply(make, undefined, given);
}

describe("the built-in types", () => {
  it.each([
    { type: Empty, lineage: ["empty"], fields: {} },
    { type: All, lineage: ["all", "empty"], fields: { any: { thing: [1] } } },
    { type: Int, lineage: ["int", "empty"], fields: { value: 1 } },
    { type: Str, lineage: ["str", "empty"], fields: { value: "x" } },
    { type: Strs, lineage: ["strs", "empty"], fields: { items: ["x"] } },
    { type: HashMaps, lineage: ["hash_maps", "empty"], fields: { items: [{ a: 1 }] } },
    { type: Location, lineage: ["location", "empty"], fields: { value: "/tmp" } },
    { type: LocationStr, lineage: ["location_str", "empty"], fields: { location: "/tmp", value: "x" } },
    { type: StrImage, lineage: ["str_image", "str", "empty"], fields: { value: "x", images: [] } },
    { type: Stop, lineage: ["stop"], fields: { value: null } },
    { type: StopLocation, lineage: ["stop_location", "stop"], fields: { value: null, location: "/tmp" } },
    { type: Invoke, lineage: ["invoke"], fields: { action: "a", rationale: "b", more: 1 } },
    { type: Suspend, lineage: ["suspend"], fields: { request: { question: "?" } } },
  ])("know their lineage: $lineage", ({ type, lineage, fields }) => {
    const made = untyped(type, fields);
    expect(type.lineage).toEqual(lineage);
    expect({ ...(isValue(made) ? made : undefined) }).toEqual(fields);
    expect(typeState(type)?.family).toBe(lineage.at(-1));
    expect(isValue(made) && [kindOf(made), familyOf(made), typeOf(made)]).toEqual([
      lineage[0],
      lineage.at(-1),
      type,
    ]);
    const types: readonly AnyValueType[] = [
      Empty,
      All,
      Int,
      Str,
      Strs,
      HashMaps,
      Location,
      LocationStr,
      StrImage,
      Stop,
      StopLocation,
      Invoke,
      Suspend,
    ];
    expect(
      types
        .filter((other) => other.is(made))
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual([...lineage].sort());
    expect([...builtinKinds].sort()).toEqual(types.map(({ kind }) => kind).sort());
  });

  it.each([
    { why: "`Str`", type: Str, given: { value: "x", other: 1 } },
    { why: "`Int`", type: Int, given: { value: 1, other: 1 } },
    { why: "`Strs`", type: Strs, given: { items: [], other: 1 } },
    { why: "`HashMaps`", type: HashMaps, given: { items: [], other: 1 } },
    { why: "`Location`", type: Location, given: { value: "x", other: 1 } },
    { why: "`LocationStr`", type: LocationStr, given: { location: "x", value: "x", other: 1 } },
    { why: "`StrImage`", type: StrImage, given: { value: "x", images: [], other: 1 } },
    { why: "`Stop`", type: Stop, given: { other: 1 } },
    {
      why: "a type derived from `Str`",
      type: Str.extend("note", { by: z.string() }),
      given: { value: "x", by: "y", other: 1 },
    },
  ])("reject a field they do not know: $why", ({ type, given }) => {
    expect(() => untyped(type, given)).toThrow(expect.objectContaining({ code: "core/value" }));
    const { other: _other, ...known } = given;
    expect(isValue(untyped(type, known))).toBe(true);
  });

  it.each([
    { why: "`Empty`", type: Empty, kept: {} },
    { why: "core 22: a type of one's own", type: value("own", { a: z.number() }), kept: { a: 1 } },
    { why: "`All`", type: All, kept: { a: 1, other: 2 } },
  ])("ignore or keep a field they do not know: $why", ({ type, kept }) => {
    expect(untyped(type, { a: 1, other: 2 })).toEqual(kept);
  });

  it.each([
    { given: "42", value: 42 },
    { given: " -7 ", value: -7 },
    { given: "+3", value: 3 },
    { given: 0, value: 0 },
  ])("read an integer of $given", ({ given, value: expected }) => {
    expect(untyped(Int, { value: given })).toMatchObject({ value: expected });
  });

  it.each(
    ["", "x", "1.5", "1e3", "0x10", "9".repeat(30), 1.5, Number.NaN, null, true, [1]].map((given) => ({
      given,
    })),
  )("read no integer of $given", ({ given }) => {
    expect(() => untyped(Int, { value: given })).toThrow(expect.objectContaining({ code: "core/value" }));
  });

  it("read no text of a number", () => {
    expect(() => untyped(Str, { value: 1 })).toThrow(expect.objectContaining({ code: "core/value" }));
  });

  it("core 7: accept an empty list of images, but not to be without one", () => {
    expect(StrImage({ value: "t", images: [] }).images).toEqual([]);
    expect(() => untyped(StrImage, { value: "t" })).toThrow(expect.objectContaining({ code: "core/value" }));
  });
});
