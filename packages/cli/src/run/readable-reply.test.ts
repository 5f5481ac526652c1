import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ReadableReply } from "./readable-reply.ts";

function read(text: string, cuts: readonly number[] = []): string {
  const reply = new ReadableReply();
  const ends = [...cuts.map((cut) => cut % (text.length + 1)).sort((one, other) => one - other), text.length];
  let from = 0;
  return ends
    .map((to) => {
      const shown = reply.push(text.slice(from, to));
      from = to;
      return shown;
    })
    .join("");
}

describe("a reply in pieces", () => {
  it.each([
    {
      why: "fields in their order",
      reply: `{"action": "ask_bob", "rationale":"Lunch."}`,
      shown: "  action: ask_bob\n  rationale: Lunch.\n",
    },
    {
      why: "escapes, and line breaks indented",
      reply: String.raw`{"value":"a\n\"b\"\u00e9\\\/\tc"}`,
      shown: '  value: a\n    "b"é\\/\tc\n',
    },
    {
      why: "other values as they are written",
      reply: `{"n": -1.5e3, "list": [1, {"a": "}]\\"", "b": null}], "ok": true}`,
      shown: `  n: -1.5e3\n  list: [1, {"a": "}]\\"", "b": null}]\n  ok: true\n`,
    },
    { why: "an empty object", reply: " {} ", shown: "" },
    { why: "what stands behind the object", reply: `{"a":1} x`, shown: "  a: 1\nx" },
    { why: "text that is no object", reply: "```json\n{}", shown: "```json\n{}" },
    { why: "an object that is cut off", reply: `{"a": "b`, shown: "  a: b" },
    { why: "an escaped NUL as it is", reply: String.raw`{"a":"\u0000"}`, shown: "  a: \0\n" },
    { why: "an escape that is none", reply: String.raw`{"a": "\uzzzz\q"}`, shown: "  a: \ufffdq\n" },
  ])("shows $why", ({ reply, shown }) => {
    expect(read(reply)).toBe(shown);
  });

  it("shows the same wherever it is cut", () => {
    const reply = fc
      .dictionary(fc.string(), fc.oneof(fc.string(), fc.jsonValue()))
      .map((it) => JSON.stringify(it));
    fc.assert(
      fc.property(reply, fc.array(fc.nat(), { maxLength: 5 }), (text, cuts) => {
        // A pair of surrogates that is cut is shown as its halves, which join again.
        expect(read(text, cuts)).toBe(read(text));
      }),
    );
  });

  it("shows each text of a reply whole", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 4 }), (texts) => {
        const reply = JSON.stringify(Object.fromEntries(texts.map((text, at) => [`k${at}`, text])));
        const lines = texts.map((text, at) => `  k${at}: ${text.replaceAll("\n", "\n    ")}\n`);
        expect(read(reply)).toBe(lines.join(""));
      }),
    );
  });
});
