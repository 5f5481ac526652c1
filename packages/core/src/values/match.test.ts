import { describe, expect, it } from "vitest";
import * as z from "zod";

import { Int, Stop, StrImage } from "./builtin.ts";
import { match } from "./match.ts";
import { value, type Of } from "./value.ts";

const Approved = value("approved", { by: z.string() });
const Rejected = value("rejected", { reason: z.string() });

describe("match", () => {
  it("calls the handler of the value's kind, and returns what it returns", () => {
    const tell = (verdict: Of<typeof Approved> | Of<typeof Rejected>): string =>
      match(verdict, { approved: ({ by }) => `by ${by}`, rejected: ({ reason }) => `for ${reason}` });
    expect(tell(Approved({ by: "Bob" }))).toBe("by Bob");
    expect(tell(Rejected({ reason: "late" }))).toBe("for late");
  });

  it("prefers the most specific handler, whatever their order", () => {
    const handlers = { empty: () => "empty", str: () => "str", str_image: () => "str_image" };
    expect(match(StrImage({ value: "x", images: [] }), handlers)).toBe("str_image");
    expect(match(StrImage({ value: "x", images: [] }), { empty: () => "empty", str: () => "str" })).toBe(
      "str",
    );
    expect(match(Int({ value: 1 }), { empty: () => "empty" })).toBe("empty");
    expect(match(Stop(), { stop: () => "stop" })).toBe("stop");
  });

  it.each([
    { why: "no handler stands for the value", given: Int({ value: 1 }), handlers: { str: () => 1 } },
    { why: "a handler is no function", given: Int({ value: 1 }), handlers: { int: 1 } },
    { why: "handlers stand on the prototype only", given: value("constructor", {})(), handlers: {} },
    { why: "it is no value at all", given: { value: 1 }, handlers: { int: () => 1 } },
  ])("throws in code without types when $why", ({ given, handlers }) => {
    const act = (): void => void Reflect.apply(match, undefined, [given, handlers]);
    expect(act).toThrow(TypeError);
  });
});
