import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseMessage, userMessage, type Message } from "../values/message.ts";
import { maxTextLength, shortenMessage, truncationMarker } from "./shorten.ts";

const long = "x".repeat(maxTextLength + 1);
const cut = `${"x".repeat(maxTextLength)}...`;
const pictures = [{ url: "https://example.org/a.png" }];

function content(text: string, severity: "light" | "stub"): unknown {
  return shortenMessage(userMessage(text), severity)?.content;
}

describe("light", () => {
  it.each([
    { why: "text of the greatest length", text: "x".repeat(maxTextLength) },
    {
      why: "JSON whose values are short, although it is long as a whole",
      text: JSON.stringify([cut.slice(9), cut.slice(9)]),
    },
    { why: "a long key", text: JSON.stringify({ [long]: 1 }) },
    {
      why: "a value that is short once its escapes are read",
      text: JSON.stringify({ a: "\u0001".repeat(30_000) }),
    },
    { why: "no text at all", text: "" },
  ])("returns the very message for $why", ({ text }) => {
    const message = userMessage(text);
    expect(shortenMessage(message, "light")).toBe(message);
  });

  it.each([
    { why: "text", text: long, expected: cut },
    {
      why: "text that only looks like JSON",
      text: `{"a":"${long}`,
      expected: `{"a":"${long}`.slice(0, maxTextLength) + "...",
    },
    { why: "a bare JSON string", text: JSON.stringify(long), expected: JSON.stringify(cut) },
    {
      why: "values at any depth, and keeps keys, numbers and order",
      text: `{ "a" : [1, {"${long}" : "${long}"}], "b":12345678901234567890, "c":"\\"${long}" }`,
      expected: `{ "a" : [1, {"${long}" : "${cut}"}], "b":12345678901234567890, "c":"\\"${cut.slice(1)}" }`,
    },
    {
      why: "a value that ends in an escaped backslash",
      text: JSON.stringify({ a: `${long}\\`, b: "\\" }),
      expected: JSON.stringify({ a: cut, b: "\\" }),
    },
    {
      why: "before a surrogate pair that it would split",
      text: `${"x".repeat(maxTextLength - 1)}🟡`,
      expected: `${"x".repeat(maxTextLength - 1)}...`,
    },
  ])("cuts $why", ({ text, expected }) => {
    const message = userMessage(text);
    expect(shortenMessage(message, "light")).toEqual({ ...message, content: expected });
    expect(message.content).toBe(text);
  });

  it("survives JSON nested deeper than the call stack", () => {
    const deep = "[".repeat(100_000) + `"${long}"` + "]".repeat(100_000);
    expect(content(deep, "light")).toBe(deep.replace(long, cut));
  });

  it("caps a fresh result of two million characters (core 94)", () => {
    const text = JSON.stringify({ caller: "read", value: "y".repeat(2_000_000) });
    expect(content(text, "light")).toHaveLength(text.length - 2_000_000 + maxTextLength + 3);
  });

  it("gives JSON of the same value but for the cut strings", () => {
    const leaf = fc.oneof(fc.string(), fc.constant(`${long}\\"`), fc.integer(), fc.constant(null));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("tree")), fc.dictionary(fc.string(), tie("tree"))),
    }));
    fc.assert(
      fc.property(tree, (given) => {
        const after = content(JSON.stringify(given), "light");
        expect(JSON.parse(String(after))).toEqual(
          JSON.parse(JSON.stringify(given), (_key, part: unknown) =>
            typeof part === "string" && part.length > maxTextLength
              ? `${part.slice(0, maxTextLength)}...`
              : part,
          ),
        );
      }),
    );
  });
});

describe("stub", () => {
  it.each([
    { why: "core 93: text becomes the bare marker", text: "plain text", expected: truncationMarker },
    {
      why: "core 93: an object without caller and action",
      text: '{"x":1}',
      expected: { truncated: truncationMarker },
    },
    { why: "a list", text: '[{"caller":"a"}]', expected: truncationMarker },
    {
      why: "a result keeps its caller",
      text: '{"caller":"read","value":"long"}',
      expected: { caller: "read", truncated: truncationMarker },
    },
    {
      why: "a call keeps its action, not its rationale",
      text: '{"action":"read","rationale":"r","path":"p"}',
      expected: { action: "read", truncated: truncationMarker },
    },
  ])("$why", ({ text, expected }) => {
    const result = content(text, "stub");
    expect(typeof expected === "string" ? result : JSON.parse(String(result))).toEqual(expected);
  });
});

describe("images (core 10)", () => {
  const message: Message = parseMessage({ role: "user", content: long, images: pictures });
  it.each([
    { severity: "light", images: pictures },
    { severity: "stub", images: [] },
  ] as const)("$severity leaves $images.length", ({ severity, images }) => {
    expect(shortenMessage(message, severity)?.images).toEqual(images);
    expect(message.images).toEqual(pictures);
  });
});

it("remove leaves the message out", () => {
  expect(shortenMessage(userMessage("a"), "remove")).toBeUndefined();
});
