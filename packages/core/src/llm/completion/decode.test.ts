import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { decodeReply } from "./decode.ts";

const call = { action: "a", rationale: "r" };
const json = JSON.stringify(call);
const plain = { fields: call, droppedChars: 0, hasSecondValue: false };

describe("reading the object of a reply (AL-01)", () => {
  it.each([
    { why: "the object alone", reply: json, expected: plain },
    { why: "blanks around it", reply: `\n  ${json}\t`, expected: plain },
    { why: "what the model was thinking", reply: `<think>{"action":"no"}</think>${json}`, expected: plain },
    { why: "only the last thought counts", reply: `a</think>{"no":1}</THINKING>\n${json}`, expected: plain },
    { why: "a fence", reply: "```\n" + json + "\n```", expected: plain },
    { why: "a fence with a language", reply: "```json\n" + json + "\n```", expected: plain },
    { why: "a fence of acute accents", reply: "´´´JSON\n" + json + "\n´´´", expected: plain },
    { why: "a thought before a fence", reply: "<think>x</think>\n```json\n" + json + "```", expected: plain },
    {
      why: "core 72: two objects in a row",
      reply: json + '{"action":"b","rationale":"r"}',
      expected: { ...plain, hasSecondValue: true },
    },
    {
      why: "a second value of another type",
      reply: json + "\n[1]",
      expected: { ...plain, hasSecondValue: true },
    },
    {
      why: "a second value that is a text",
      reply: json + ' "x\\"y"',
      expected: { ...plain, hasSecondValue: true },
    },
    { why: "other text behind it", reply: json + " Done!", expected: plain },
    { why: "an open fence behind it", reply: json + "\n```", expected: plain },
    {
      why: "core 73: prose before the object",
      reply: "Sure: " + json,
      expected: { ...plain, droppedChars: 6 },
    },
    { why: "a fence that is not closed", reply: "```json\n" + json, expected: { ...plain, droppedChars: 8 } },
    {
      why: "prose that begins with a number",
      reply: "1. So: " + json,
      expected: { ...plain, droppedChars: 7 },
    },
    {
      why: "braces inside strings",
      reply: 'x {"a":"}\\"{"}',
      expected: { fields: { a: '}"{' }, droppedChars: 2 },
    },
  ])("takes $why", ({ reply, expected }) => {
    expect(decodeReply(reply)).toMatchObject(expected);
  });

  it("core 75: removes only the outer fence", () => {
    const fields = { value: "```json\n{}\n```" };
    expect(decodeReply("```json\n" + JSON.stringify(fields) + "\n```")).toMatchObject({ fields });
  });

  it("keeps a think tag inside a string of the object", () => {
    const fields = { value: "say </think> {}" };
    expect(decodeReply(JSON.stringify(fields))).toMatchObject({ fields });
    expect(decodeReply(JSON.stringify({ ...fields, long: "x".repeat(1000) }))).toMatchObject({ fields });
  });

  it.each([
    { why: "nothing", reply: "" },
    { why: "blanks", reply: " \n" },
    { why: "only a thought", reply: "<think>{}</think>" },
    { why: "core 74: an array", reply: '[{"action":"a"}]' },
    { why: "a text", reply: '"{}"' },
    { why: "a number", reply: "42" },
    { why: "a word of JSON before an object", reply: "null {}" },
    { why: "prose", reply: "I cannot do that." },
    { why: "an object cut off", reply: '{"action":"a","rationale":"' },
    { why: "a broken object with a good one inside", reply: '{"a": oops, "b": {"c": 1}}' },
    { why: "a fence around nothing", reply: "``````" },
  ])("refuses $why", ({ reply }) => {
    expect(decodeReply(reply)).toHaveProperty("problem");
  });

  it("refuses nesting that whoever walks it could not bear, and takes what is just bearable", () => {
    const nested = (depth: number): string => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
    expect(decodeReply(nested(200))).toHaveProperty("fields");
    expect(decodeReply(nested(201))).toHaveProperty("problem");
    expect(decodeReply(`x ${"[".repeat(100_000)}`)).toHaveProperty("problem");
    expect(decodeReply(`x {"a":${"[".repeat(100_000)}`)).toHaveProperty("problem");
  });

  it("gives any text a decision, and never throws", () => {
    const soup = fc.array(
      fc.oneof(
        fc.constantFrom(
          "```",
          "´´´",
          "json",
          "</think>",
          "<think>",
          "{",
          "}",
          "[",
          "]",
          '"',
          "\\",
          " ",
          "\n",
          ",",
          ":",
        ),
        fc.string({ unit: "binary" }),
        fc.json(),
      ),
    );
    fc.assert(
      fc.property(soup, (parts) => {
        const decoded = decodeReply(parts.join(""));
        expect("problem" in decoded || typeof decoded.fields === "object").toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("finds any object again, alone, fenced, after a thought or in prose", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    const wrap = fc.constantFrom(
      (text: string) => text,
      (text: string) => "```json\n" + text + "\n```",
      (text: string) => `<think>hm</think>${text}`,
      (text: string) => `Well: ${text} Good?`,
    );
    fc.assert(
      fc.property(object, wrap, (given, around) => {
        const text = JSON.stringify(given);
        fc.pre(!/<\/think/i.test(text));
        const decoded = decodeReply(around(text));
        expect("fields" in decoded && JSON.stringify(decoded.fields)).toBe(text);
      }),
    );
  });

  it("takes time in proportion to the text", () => {
    // Each of these is slow by a factor of a thousand in a reader that goes back over the text.
    for (const reply of [" ".repeat(200_000) + "x", "```" + " ".repeat(200_000), '"' + "a".repeat(200_000)]) {
      expect(decodeReply(reply)).toHaveProperty("problem");
    }
  });
});
