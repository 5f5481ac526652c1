import { expect, it } from "vitest";

import { rangeOf } from "./page-range.ts";

it.each([
  { why: "nothing", fields: {}, range: { from: 1, to: null } },
  { why: "null", fields: { start_page: null, end_page: null }, range: { from: 1, to: null } },
  { why: "one page", fields: { start_page: 2, end_page: 2 }, range: { from: 2, to: 2 } },
  { why: "a start", fields: { start_page: 3 }, range: { from: 3, to: null } },
  { why: "page 0", fields: { start_page: 0, end_page: 1 }, range: null },
  { why: "an end before the start", fields: { start_page: 5, end_page: 3 }, range: null },
  { why: "half a page", fields: { start_page: 1.5 }, range: null },
  { why: "text", fields: { start_page: "a" }, range: null },
  { why: "a number in text", fields: { end_page: "2" }, range: null },
  { why: "no number", fields: { end_page: Number.NaN }, range: null },
])("takes $why for a range or for none", ({ fields, range }) => {
  expect(rangeOf(fields)).toEqual(range);
});
