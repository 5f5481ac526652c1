import { describe, expect, it } from "vitest";
import { parseJson, stringifyJson } from "./json.ts";

describe("reading JSON", () => {
  it.each([
    { why: "an instant in nanoseconds", text: "1733850000123456789", value: 1733850000123456789n },
    { why: "a negative one", text: "[-1733850000123456789]", value: [-1733850000123456789n] },
    { why: "the first unsafe integer", text: "9007199254740992", value: 9007199254740992n },
    { why: "the last safe one", text: "9007199254740991", value: 9007199254740991 },
    { why: "digits in a string", text: '"9007199254740993"', value: "9007199254740993" },
    { why: "digits in a key", text: '{"9007199254740993":1}', value: { "9007199254740993": 1 } },
    { why: "digits after an escaped quote", text: '"\\"9007199254740993"', value: '"9007199254740993' },
    {
      why: "a string that ends in a backslash",
      text: '["\\\\",9007199254740993]',
      value: ["\\", 9007199254740993n],
    },
    { why: "a fraction", text: "9007199254740994.0", value: 2 ** 53 + 2 },
    { why: "an exponent", text: "9007199254740993e2", value: Number("9007199254740993e2") },
    { why: "more digits than any of ours", text: "9".repeat(65), value: Number("9".repeat(65)) },
  ])("gives $why as it is", ({ text, value }) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each([
    { why: "a leading zero", text: "[09007199254740993]" },
    { why: "two numbers in one", text: "[9007199254740993-1]" },
    { why: "an open string", text: '["9007199254740993' },
    { why: "a lone minus", text: "[-,9007199254740993]" },
  ])("refuses $why", ({ text }) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it("does not take a text for an integer that looks like what it writes in between", () => {
    const text = '{"a":"#0-0-0-0:1","b":9007199254740993}';
    expect(parseJson(text)).toEqual({ a: "#0-0-0-0:1", b: 9007199254740993n });
  });

  it("reads a megabyte of quotes and digits in one pass", () => {
    const value = { text: '\\"1234567890123456'.repeat(60_000), n: 9007199254740993n };
    expect(parseJson(stringifyJson(value))).toEqual(value);
  });
});

describe("writing JSON", () => {
  it("writes a bigint as an integer and leaves everything else as it is", () => {
    expect(stringifyJson({ n: -9007199254740993n, s: "9007199254740993", u: undefined, l: [1n] })).toBe(
      '{"n":-9007199254740993,"s":"9007199254740993","l":[1]}',
    );
  });

  it.each([
    { why: "a function", value: () => 1 },
    { why: "nothing", value: undefined },
  ])("refuses $why", ({ value }) => {
    expect(() => stringifyJson(value)).toThrow(TypeError);
  });
});
