import fc from "fast-check";
import { expect, it } from "vitest";

import { printable, printableLine } from "./printable.ts";

it.each([
  { why: "line breaks, tabs, accents and emoji stay", text: "a\n\tö🟡👩‍💻", expected: "a\n\tö🟡👩‍💻" },
  { why: "a colour", text: "\u001b[31mred", expected: "␛[31mred" },
  { why: "a title and a bell", text: "\u001b]0;t\u0007", expected: "␛]0;t␇" },
  { why: "a carriage return that would overwrite the line", text: "true\rfalse", expected: "true␍false" },
  { why: "a line break of Windows", text: "a\r\nb", expected: "a\nb" },
  { why: "an eight-bit escape", text: "\u009b2J", expected: "\\u009b2J" },
  { why: "delete and backspace", text: "a\u007f\b", expected: "a␡␈" },
  { why: "text that turns round", text: "a\u202eb\u2066", expected: "a\\u202eb\\u2066" },
])("shows $why", ({ text, expected }) => {
  expect(printable(text)).toBe(expected);
});

it("never lets a control character through but tab and line break", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0, max: 0x2fff }).map((code) => String.fromCharCode(code)) }),
      (text) => {
        for (const character of printable(text)) expect(/[^\P{Cc}\n\t]/u.test(character)).toBe(false);
      },
    ),
  );
});

it("makes one line of several", () => {
  expect(printableLine(" a\n\tb\u001b ")).toBe("a b␛");
});
