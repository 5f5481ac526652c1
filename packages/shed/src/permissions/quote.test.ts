import { expect, it } from "vitest";

import { quoted } from "./quote.ts";

it.each([
  {
    why: "letters of any script and spaces as they are",
    text: "/base/ä ж 日 😀",
    shown: "'/base/ä ж 日 😀'",
  },
  {
    why: "a line break, which could imitate another prompt (FN-01)",
    text: "a\nAllow create for '/x'?",
    shown: "'a\\nAllow create for \\'/x\\'?'",
  },
  { why: "backslashes", text: "a\\nb", shown: "'a\\\\nb'" },
  {
    why: "what moves the cursor (PR-08, CT-06)",
    text: "a\rb\b\u001b[2J\u009b1A\u007f",
    shown: "'a\\rb\\x08\\x1b[2J\\u009b1A\\x7f'",
  },
  {
    why: "what turns the direction of writing or hides (FN-05)",
    text: "a\u202eb\u2066c\u200bd\ufeff",
    shown: "'a\\u202eb\\u2066c\\u200bd\\ufeff'",
  },
  {
    why: "other line breaks and spaces",
    text: "a\u2028b\u2029c\u00a0d\u3000",
    shown: "'a\\u2028b\\u2029c\\u00a0d\\u3000'",
  },
  { why: "characters above U+FFFF that hide", text: "a\u{e0041}\u{1d173}", shown: "'a\\u{e0041}\\u{1d173}'" },
  { why: "bytes that are no UTF-8", text: "a\udcff\udc80", shown: "'a\\xff\\x80'" },
])("shows $why", ({ text, shown }) => {
  expect(quoted(text)).toBe(shown);
});

it("shows a long name whole (PR-08)", () => {
  expect(quoted("n".repeat(4_000))).toHaveLength(4_002);
});
