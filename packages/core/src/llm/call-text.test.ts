import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { callText, CallText } from "./call-text.ts";
import type { ToolCallPart } from "./client.ts";

/** The text of parts that come one by one. */
function textOf(parts: readonly ToolCallPart[]): string {
  const text = new CallText();
  return parts.map((part) => text.take(part)).join("") + text.end();
}

describe("native calls as text", () => {
  it.each([
    { why: "arguments", given: '{"rationale":"r"}', text: '{"action":"a","rationale":"r"}' },
    {
      why: "blanks before and in the arguments",
      given: ' { "rationale":"r"}',
      text: '{"action":"a","rationale":"r"}',
    },
    { why: "no arguments in braces", given: "{}", text: '{"action":"a"}' },
    { why: "no arguments at all", given: "", text: '{"action":"a"}' },
  ])("are an object with the action first: $why", ({ given, text }) => {
    expect(callText([{ id: "1", name: "a", arguments: given }])).toBe(text);
  });

  it("stand on lines of their own when there are several", () => {
    const calls = [
      { id: "1", name: "a", arguments: '{"x":1}' },
      { id: "2", name: "b", arguments: "" },
      { id: "3", name: "c", arguments: "{}" },
    ];
    expect(callText(calls)).toBe('{"action":"a","x":1}\n{"action":"b"}\n{"action":"c"}');
  });

  it("wait for the name, and take a repeated one once", () => {
    const parts = [
      { index: 0, id: "1" },
      { index: 0, name: "a", arguments: "" },
      { index: 0, name: "a", arguments: '{"x"' },
      { index: 0, name: "a", arguments: ":1}" },
    ];
    expect(textOf(parts)).toBe('{"action":"a","x":1}');
  });

  it("are nothing when there are none", () => {
    expect(callText([])).toBe("");
  });

  it("come to the same however the arguments are cut", () => {
    const parse = (line: string): unknown => JSON.parse(line);
    const given = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(given, { maxLength: 3 }), fc.integer({ min: 1, max: 9 }), (all, size) => {
        const calls = all.map((fields, index) => ({
          id: String(index),
          name: `t${index}`,
          arguments: JSON.stringify(fields),
        }));
        const parts = calls.flatMap(({ name, arguments: text }, index) => [
          { index, name },
          ...(text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? []).map((piece) => ({
            index,
            arguments: piece,
          })),
        ]);
        const text = textOf(parts);
        expect(text).toBe(callText(calls));
        const lines = text === "" ? [] : text.split("\n");
        const expected = calls.map(({ name, arguments: json }) => {
          const rest = json === "{}" ? "}" : `,${json.slice(1)}`;
          return parse(`{"action":"${name}"${rest}`);
        });
        expect(lines.map(parse)).toEqual(expected);
      }),
    );
  });
});
