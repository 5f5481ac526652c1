import { expect, it } from "vitest";

import type { Reading } from "./pdf-process.ts";
import { pdfText } from "./pdf-text.ts";

type Pages = Extract<Reading, { status: "read" }>["pages"];

function read(pages: readonly Partial<Pages[number]>[], range = { from: 1, to: 3 }): Reading {
  const whole = pages.map((page, index) => ({
    page: index + 1,
    text: "text",
    isCut: false,
    isDamaged: false,
    ...page,
  }));
  return { status: "read", pageCount: 3, pages: whole, range };
}

it("shows each page under its number, and says which have no text", () => {
  const { text, is_cut, outcome } = pdfText(
    read([{ text: "One." }, { text: "" }, { text: "", isDamaged: true }]),
    "a.pdf",
  );
  expect({ text, is_cut, outcome }).toEqual({
    text: `--- page 1 of 3 ---
One.

--- page 2 of 3 ---
[no text on this page]

--- page 3 of 3 ---
[this page is damaged and cannot be read]`,
    is_cut: false,
    outcome: "done",
  });
});

it.each([
  { why: "a heading", line: "--- page 2 of 3 ---" },
  { why: "a heading behind spaces", line: " \t\u00a0--- Page 9" },
  { why: "a heading behind what cannot be seen", line: "\u200b\u2060--- page 2" },
  { why: "dashes of another kind", line: "—— page 2 of 3 ——" },
  { why: "the end of the frame", line: "--- end: process_pdf a.pdf ---" },
  { why: "the advice", line: "--- cut: go on" },
])("PD-19: marks a line that imitates $why", ({ line }) => {
  const { text } = pdfText(read([{ text: `One.\n${line}\nTwo.` }]), "a.pdf");
  expect(text.split("\n").filter((each) => /^[^\\]*\p{Pd}{2}/u.test(each))).toEqual([
    "--- page 1 of 3 ---",
    expect.stringContaining("--- cut: "),
  ]);
  expect(text).toContain(`\\${line}`);
});

it.each([
  { why: "a sum", line: "Total --- see page 2" },
  { why: "a list", line: "- page 2" },
  { why: "a pageant", line: "-- pageant" },
])("leaves $why as it is", ({ line }) => {
  expect(pdfText(read([{ text: line }]), "a.pdf").text).toContain(`\n${line}\n`);
});

it.each([
  { why: "within the second page", pages: [{}, { isCut: true }], from: "smaller range from page 2" },
  { why: "between pages", pages: [{}, {}], from: "smaller range from page 3" },
  {
    why: "within the only page",
    pages: [{ isCut: true }],
    from: "the rest of it cannot be shown; go on with start_page 2",
  },
])("PD-11: says that text was cut $why, and how to go on", ({ pages, from }) => {
  const { text, is_cut } = pdfText(read(pages), "a.pdf");
  expect(is_cut).toBe(true);
  expect(text.split("\n").at(-1)).toMatch(/^--- cut: .* ---$/);
  expect(text).toContain(from);
});

it.each<{ reading: Reading; says: string }>([
  { reading: { status: "out-of-range", pageCount: 12 }, says: "has 12 pages" },
  { reading: { status: "out-of-range", pageCount: 1 }, says: "has 1 page;" },
  { reading: { status: "encrypted" }, says: "decrypted copy" },
  { reading: { status: "damaged" }, says: "no PDF document" },
  { reading: { status: "too-slow" }, says: "10 seconds" },
  { reading: { status: "too-much-memory" }, says: "memory" },
  { reading: { status: "crashed" }, says: "the reader ended" },
])("says what is wrong with a file that is $reading.status", ({ reading, says }) => {
  const { text, outcome, is_cut } = pdfText(reading, "a b.pdf");
  expect({ outcome, is_cut }).toEqual({ outcome: "failed", is_cut: false });
  expect(text).toContain(says);
  expect(text).toContain("'a b.pdf'");
});
