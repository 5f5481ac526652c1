import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";

import {
  All,
  Empty,
  type Int,
  Invoke,
  Stop,
  type StopLocation,
  Str,
  type StrImage,
  type Strs,
  type Suspend,
} from "./builtin.ts";
import type { Image } from "./image.ts";
import type { Truncation } from "../truncation/policy.ts";
import {
  value,
  type AnyValue,
  type AnyValueType,
  type DeepReadonly,
  type KindsOf,
  type Of,
  type PlainFields,
  type Value,
} from "./value.ts";

const Booking = value("booking", {
  table: z.number().int(),
  guest: z.object({ name: z.string(), tags: z.array(z.string()) }),
  note: z.string().optional(),
  size: z.number().default(2),
});
const VipBooking = Booking.extend("vip_booking", { level: z.number() });
declare const policy: Truncation;
declare const given: Int | Str | StrImage;

describe("a value type", () => {
  it("infers what its values hold, read-only in depth", () => {
    const booking = Booking({ table: 4, guest: { name: "Bob", tags: [] } });
    expectTypeOf(booking).toEqualTypeOf<Of<typeof Booking>>();
    expectTypeOf(booking.table).toEqualTypeOf<number>();
    expectTypeOf(booking.guest).toEqualTypeOf<{ readonly name: string; readonly tags: readonly string[] }>();
    expectTypeOf(booking.note).toEqualTypeOf<string | undefined>();
    expectTypeOf(booking.size).toEqualTypeOf<number>();
    // @ts-expect-error -- fields are read-only
    booking.table = 5;
    // @ts-expect-error -- and so are theirs
    booking.guest.tags[0] = "vip";
  });

  it("takes what its schema takes, and gives what it gives", () => {
    expectTypeOf(Booking)
      .parameter(0)
      .toExtend<{ table: number; note?: string | undefined; size?: number | undefined }>();
    // @ts-expect-error -- a field that has no default cannot be left out
    Booking({ guest: { name: "Bob", tags: [] } });
    // @ts-expect-error -- nor be of another type
    Booking({ table: "4", guest: { name: "Bob", tags: [] } });
    // @ts-expect-error -- a value with fields that are required cannot be made of nothing
    Booking();
  });

  it("may be called without fields when none is required", () => {
    expectTypeOf(Empty()).toEqualTypeOf<Of<typeof Empty>>();
    expectTypeOf(Stop()).toEqualTypeOf<Of<typeof Stop>>();
    expectTypeOf(Stop({ value: "done" }).value).toEqualTypeOf<string | null>();
    expectTypeOf(Stop({ value: null }).value).toEqualTypeOf<string | null>();
  });

  it("takes metadata as a second argument, and only known metadata", () => {
    expectTypeOf(Str).toBeCallableWith({ value: "x" }, { messageKind: "startup_context", tokenInput: 3 });
    expectTypeOf(Str).toBeCallableWith({ value: "x" }, { truncation: policy });
    // @ts-expect-error -- a kind that the framework does not know
    Str({ value: "x" }, { messageKind: "greeting" });
  });

  it("names the type of its values under its own name", () => {
    expectTypeOf<Str>().toEqualTypeOf<Value<"empty" | "str", { value: string }>>();
    expectTypeOf<Of<typeof Strs>>().toEqualTypeOf<Value<"empty" | "strs", { items: string[] }>>();
    expectTypeOf<Of<typeof StrImage>["images"]>().toEqualTypeOf<readonly Image[]>();
    expectTypeOf<Of<AnyValueType>>().toEqualTypeOf<AnyValue>();
    expectTypeOf<Of<string>>().toEqualTypeOf<never>();
  });

  it("is a top type when erased", () => {
    expectTypeOf(Booking).toExtend<AnyValueType>();
    expectTypeOf(Stop).toExtend<AnyValueType>();
    expectTypeOf<[typeof Str, typeof Stop, typeof Invoke]>().toExtend<readonly AnyValueType[]>();
  });
});

describe("lineage", () => {
  it("makes a subtype's value one of every ancestor, and not the reverse", () => {
    expectTypeOf<StrImage>().toExtend<Str>();
    expectTypeOf<StrImage>().toExtend<Empty>();
    expectTypeOf<Str>().not.toExtend<StrImage>();
    expectTypeOf<Of<typeof VipBooking>>().toExtend<Of<typeof Booking>>();
    expectTypeOf<StopLocation>().toExtend<Stop>();
    expectTypeOf<KindsOf<StrImage>>().toEqualTypeOf<"empty" | "str" | "str_image">();
  });

  it("keeps types with equal fields apart", () => {
    const Path = value("path", { value: z.string() });
    expectTypeOf(Path({ value: "x" })).not.toExtend<Str>();
    expectTypeOf(Str({ value: "x" })).not.toExtend<Of<typeof Path>>();
    expectTypeOf<{ readonly value: string }>().not.toExtend<Str>();
  });

  it("may grow by a kind alone", () => {
    const Nickname = Str.extend("nickname", {}).extend("pet_name", { pet: z.string() });
    expectTypeOf(Nickname({ value: "x", pet: "y" })).toExtend<Str>();
    const Ping = value("ping", {});
    expectTypeOf(Ping()).toExtend<Empty>();
    expectTypeOf(Ping.extend("pong", { n: z.number() })({ n: 1 }).n).toEqualTypeOf<number>();
  });

  it("keeps the four families apart", () => {
    expectTypeOf<Stop>().not.toExtend<Empty>();
    expectTypeOf<Invoke>().not.toExtend<Empty>();
    expectTypeOf<Suspend>().not.toExtend<Empty>();
    expectTypeOf<Suspend>().not.toExtend<Stop>();
    expectTypeOf<Stop | Invoke | Suspend | Int>().toExtend<AnyValue>();
  });

  it("narrows a union with `is`", () => {
    if (Str.is(given)) expectTypeOf(given).toEqualTypeOf<Str | StrImage>();
    else expectTypeOf(given).toEqualTypeOf<Int>();
    expectTypeOf(Str.is).guards.toEqualTypeOf<Str>();
    expectTypeOf(Str.is).parameter(0).toEqualTypeOf<unknown>();
  });

  it("refuses to declare a field again", () => {
    // @ts-expect-error -- `table` is Booking's
    Booking.extend("moved_booking", { table: z.number() });
    // @ts-expect-error -- also two levels up
    VipBooking.extend("moved_booking", { table: z.number() });
  });

  it("lets types that keep any field be extended", () => {
    const Page = All.extend("page", { title: z.string() });
    expectTypeOf(Page({ title: "x", other: 1 }).title).toEqualTypeOf<string>();
    const Call = Invoke.extend("call", { q: z.string() });
    expectTypeOf(Call({ action: "a", rationale: "b", q: "c" })).toExtend<Invoke>();
    // @ts-expect-error -- `action` is Invoke's
    Invoke.extend("other_call", { action: z.string() });
  });
});

describe("fields", () => {
  it("are read-only at every level, and lists and tuples stay what they are", () => {
    expectTypeOf<
      DeepReadonly<{ a: [string, number]; b: { c: string[] }[]; d: unknown; e: Record<string, unknown> }>
    >().toEqualTypeOf<{
      readonly a: readonly [string, number];
      readonly b: readonly { readonly c: readonly string[] }[];
      readonly d: unknown;
      readonly e: Readonly<Record<string, unknown>>;
    }>();
  });

  it("can be had without the kinds", () => {
    expectTypeOf<PlainFields<Str>>().toEqualTypeOf<{ readonly value: string }>();
    expectTypeOf<PlainFields<never>>().toEqualTypeOf<never>();
  });

  it("of All and Invoke are unknown until they are looked at", () => {
    expectTypeOf(All({ a: 1 })["a"]).toEqualTypeOf<unknown>();
    const call = Invoke({ action: "ask_bob", rationale: "Lunch.", q: 1 });
    expectTypeOf(call.action).toEqualTypeOf<string>();
    expectTypeOf(call["q"]).toEqualTypeOf<unknown>();
    // @ts-expect-error -- a call has a rationale
    Invoke({ action: "ask_bob" });
  });
});
