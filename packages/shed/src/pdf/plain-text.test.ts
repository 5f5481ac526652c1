import { expect, it } from "vitest";

import { plainText } from "./plain-text.ts";

it.each([
  { why: "PD-13: ligatures become letters", text: "e\ufb03cient \ufb02ow", plain: "efficient flow" },
  {
    why: "PD-13: control characters go, tabs stay",
    text: "a\0b\x07c\x1b[2Jd\te\x7f\x9b",
    plain: "abc[2Jd\te",
  },
  { why: "line breaks of every kind are spaces", text: "a\nb\r\nc\u2028d\u0085e\ff", plain: "a b c d e f" },
  { why: "Arabic shapes become letters", text: "\ufedf\ufef4\ufede \ufefb", plain: "ليل لا" },
  {
    why: "radicals become the characters that look like them",
    text: "\u2f2d\u2fa5\u2ed3\u2ec5",
    plain: "山里长见",
  },
  { why: "turns of direction go", text: "a\u202eb\u202c\u200fc\u2067d\u2069", plain: "abcd" },
  { why: "half a character is replaced", text: "a\ud83d", plain: "a\ufffd" },
  { why: "other text stays as it is", text: "Fluß, 10 €, 港 😀 x²", plain: "Fluß, 10 €, 港 😀 x²" },
])("$why", ({ text, plain }) => {
  expect(plainText(text)).toBe(plain);
});
