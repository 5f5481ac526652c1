import { expectTypeOf, it } from "vitest";

import type { Int, Stop, Str, StrImage } from "./builtin.ts";
import { match } from "./match.ts";
import type { Value } from "./value.ts";

type Approved = Value<"empty" | "approved", { by: string }>;
type Rejected = Value<"empty" | "rejected", { reason: string }>;

declare const verdict: Approved | Rejected;
declare const text: Int | Str | StrImage;
declare const ending: Stop | Int;

it("infers each handler's value, and the union of what they return", () => {
  const result = match(verdict, {
    approved: ({ by }) => by.length,
    rejected: (rejected) => {
      expectTypeOf(rejected).toEqualTypeOf<Rejected>();
      return rejected.reason;
    },
  });
  expectTypeOf(result).toEqualTypeOf<number | string>();
});

it("is exhaustive", () => {
  // @ts-expect-error -- '"no handler for `rejected`"'
  match(verdict, { approved: ({ by }) => by });
  // @ts-expect-error -- a Stop is of no ordinary kind
  match(ending, { int: () => 1 });
});

it("lets an ancestor's handler stand for its subtypes", () => {
  expectTypeOf(match(text, { int: ({ value }) => value, str: ({ value }) => value })).toEqualTypeOf<
    number | string
  >();
  expectTypeOf(match(text, { empty: () => true })).toEqualTypeOf<boolean>();
  expectTypeOf(match(ending, { stop: ({ value }) => value, empty: () => 1 })).toEqualTypeOf<
    string | number | null
  >();
  match(text, {
    int: () => 1,
    str: (one) => {
      expectTypeOf(one).toEqualTypeOf<Str | StrImage>();
    },
    str_image: (one) => {
      expectTypeOf(one).toEqualTypeOf<StrImage>();
    },
  });
});

it("refuses a handler for a kind that the value cannot have", () => {
  // @ts-expect-error -- a verdict is never withdrawn
  match(verdict, { approved: () => 1, rejected: () => 2, withdrawn: () => 3 });
});
