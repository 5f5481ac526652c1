import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CatalogueText } from "./catalogue-text.ts";
import { type JsonNode, parseJson } from "./json-document.ts";

const parse = (text: string) => parseJson(new CatalogueText(text, "models.json"));

/** What `JSON.parse` would have given. */
function plain(node: JsonNode): unknown {
  switch (node.type) {
    case "object":
      return Object.fromEntries(node.members.map(({ name, value }) => [name, plain(value)]));
    case "array":
      return node.items.map(plain);
    case "number":
      return Number(node.spelling);
    case "string":
    case "literal":
      return node.value;
  }
}

function accepted(read: (text: string) => unknown, text: string): { readonly value: unknown } | undefined {
  try {
    return { value: read(text) };
  } catch {
    return undefined;
  }
}

describe("parseJson", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, "\t"), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), undefined, space);
        expect(plain(parse(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("accepts and refuses the same texts as JSON.parse, but for repeated names", () => {
    const mark = fc.constantFrom(...'{}[]:,"\\""0123456789-+.eEu/tfn \n\r\t\u0001\uFEFF'.split(""));
    const word = fc.constantFrom(
      "true",
      "false",
      "null",
      "NaN",
      '"a"',
      "{}",
      "[1]",
      "1.5e3",
      "\\u00e9",
      "//",
      "01",
    );
    const soup = fc.array(fc.oneof(mark, word), { maxLength: 12 }).map((parts) => parts.join(""));
    const broken = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.oneof(mark, word, fc.constant("")), fc.nat({ max: 3 }))
      .map(([json, place, insert, removed]) => {
        const at = place % (json.length + 1);
        return json.slice(0, at) + insert + json.slice(at + removed);
      });
    let agreedToAccept = 0;
    fc.assert(
      fc.property(fc.oneof(soup, broken), (text) => {
        const ours = accepted((given) => plain(parse(given)), text);
        const theirs = accepted(JSON.parse, text);
        if (ours === undefined && theirs !== undefined) {
          expect(() => parse(text)).toThrow(
            expect.objectContaining({ code: "endpoints/catalogue-duplicate-key" }),
          );
        } else {
          expect(ours).toEqual(theirs);
        }
        if (ours !== undefined) agreedToAccept += 1;
      }),
      { numRuns: 3000 },
    );
    expect(agreedToAccept).toBeGreaterThan(100);
  });

  it.each([
    { why: "an object", text: '{"same": 1, "other": 2, "same": 1}', path: "same", line: 1, column: 25 },
    { why: "a nested object", text: '{"a": [{}, {"b": 1,\n "b": 2}]}', path: "a[1].b", line: 2, column: 2 },
    { why: "another spelling of the name", text: '{"a": 1, "\\u0061": 2}', path: "a", line: 1, column: 10 },
    {
      why: "a name that objects have anyway",
      text: '{"__proto__": 1, "__proto__": 2}',
      path: "__proto__",
      line: 1,
      column: 18,
    },
  ])("refuses a name that stands twice in $why", ({ text, path, line, column }) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: "endpoints/catalogue-duplicate-key", path, line, column }),
    );
  });

  it("takes the same name in two objects", () => {
    expect(plain(parse('{"a": {"b": 1}, "c": {"b": 2}, "b": 3}'))).toEqual({
      a: { b: 1 },
      c: { b: 2 },
      b: 3,
    });
  });

  it.each(["1", "1.0", "1e0", "10E-1", "-0", "123456789012345678901234567890", "1e999"])(
    "keeps the spelling of %s",
    (spelling) => {
      expect(parse(` ${spelling} `)).toEqual({ type: "number", at: 1, spelling });
    },
  );

  it.each([
    { why: "a text that ends early", text: '{"a": {"b": ', path: "a.b", line: 1, column: 13 },
    { why: "a trailing comma", text: '{"a": 1,\n}', path: "inventory", line: 2, column: 1 },
    { why: "a comment", text: '{\r\n// no\r\n"a": 1}', path: "inventory", line: 2, column: 1 },
    { why: "NaN", text: '{"a": [1, NaN]}', path: "a[1]", line: 1, column: 11 },
    { why: "Infinity", text: '{"a": -Infinity}', path: "a", line: 1, column: 7 },
    { why: "a leading zero", text: "[01]", path: "inventory", line: 1, column: 3 },
    { why: "two documents", text: "{}\n{}", path: "inventory", line: 2, column: 1 },
    { why: "an empty text", text: "", path: "inventory", line: 1, column: 1 },
    { why: "a byte-order mark", text: "\uFEFF{}", path: "inventory", line: 1, column: 1 },
    { why: "a raw line break in a string", text: '["a\nb"]', path: "[0]", line: 1, column: 4 },
    { why: "a single-quoted name", text: "{'a': 1}", path: "inventory", line: 1, column: 2 },
    { why: "a name without a value", text: '{"a"}', path: "a", line: 1, column: 5 },
  ])("says where $why stands", ({ text, path, line, column }) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: "endpoints/catalogue-syntax",
        file: "models.json",
        path,
        line,
        column,
      }),
    );
  });

  it.each([
    { why: "objects", deep: (depth: number) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth) },
    { why: "arrays", deep: (depth: number) => "[".repeat(depth) + "]".repeat(depth) },
    { why: "arrays that never end", deep: (depth: number) => "[".repeat(depth) },
  ])("refuses $why nested too deep, without a crash", ({ deep }) => {
    expect(() => parse(deep(1_000_000))).toThrow(
      expect.objectContaining({ code: "endpoints/catalogue-syntax" }),
    );
  });

  it("takes objects nested a hundred deep", () => {
    expect(() => parse('{"a":'.repeat(100) + "1" + "}".repeat(100))).not.toThrow();
    expect(() => parse('{"a":'.repeat(101) + "1" + "}".repeat(101))).toThrow("100 deep");
  });

  it("keeps a name from the file to one short line of the message", () => {
    const name = `x\u001b[2J\u2028\u202e${"long ".repeat(100)}`;
    const text = `{${JSON.stringify(name)}: 1, ${JSON.stringify(name)}: 2}`;
    const message = accepted(parse, text) ?? thrownMessage(() => parse(text));
    expect(message).toMatch(
      /^models\.json:1:\d+: `\["x\\u001b\[2J\\u2028\\u202e(long )+lon…"\]` stands twice/,
    );
  });
});

function thrownMessage(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}
