import { describe, expect, it } from "vitest";

import type { Piece } from "./page-line.ts";
import { pageText } from "./page-text.ts";

/** A piece with letters half as wide as they are high. */
function piece(text: string, along: number, across: number, more: Partial<Piece> = {}): Piece {
  const size = more.size ?? 10;
  return { text, angle: 0, along, across, size, width: (text.length * size) / 2, ...more };
}

describe("the text of a page", () => {
  it.each<{ why: string; pieces: readonly Piece[]; text: string }>([
    { why: "nothing", pieces: [], text: "" },
    { why: "spaces alone", pieces: [piece(" ", 0, 100), piece("  ", 30, 80)], text: "" },
    { why: "pieces that touch", pieces: [piece("har", 0, 100), piece("bour", 15.5, 100)], text: "harbour" },
    { why: "a gap of a space", pieces: [piece("the", 0, 100), piece("sea", 18, 100)], text: "the sea" },
    {
      why: "a space that is a piece of its own, however narrow",
      pieces: [piece("the", 0, 100), piece(" ", 15, 100, { width: 1 }), piece("sea", 16, 100)],
      text: "the sea",
    },
    { why: "a gap between cells", pieces: [piece("Oil", 0, 100), piece("12", 80, 100)], text: "Oil\t12" },
    {
      why: "letters of squares, which may stand apart",
      pieces: [piece("港", 0, 100, { width: 10 }), piece("町", 14, 100, { width: 10 })],
      text: "港町",
    },
    {
      why: "an index, lower and smaller",
      pieces: [piece("H", 0, 100), piece("2", 5, 97, { size: 6 }), piece("O", 8, 100)],
      text: "H2O",
    },
    { why: "lines", pieces: [piece("one", 0, 100), piece("two", 0, 88)], text: "one\ntwo" },
    {
      why: "a wide gap between lines",
      pieces: [piece("one", 0, 100), piece("two", 0, 76)],
      text: "one\n\ntwo",
    },
    {
      why: "a step back on the same height, as for the next column",
      pieces: [piece("right", 200, 100), piece("left", 0, 100)],
      text: "right\nleft",
    },
    { why: "a text drawn twice", pieces: [piece("bold", 0, 100), piece("bold", 0.4, 100)], text: "bold" },
    {
      why: "a word that a line end divides",
      pieces: [piece("break-", 0, 100), piece("water", 0, 88)],
      text: "breakwater",
    },
    {
      why: "a hyphen before a name",
      pieces: [piece("Alt-", 0, 100), piece("Stadt", 0, 88)],
      text: "Alt-\nStadt",
    },
    {
      why: "a hyphen behind a number",
      pieces: [piece("1912-", 0, 100), piece("now", 0, 88)],
      text: "1912-\nnow",
    },
    {
      why: "soft hyphens",
      pieces: [piece("ba\u00adsalt blo\u00ad", 0, 100), piece("cks", 0, 88)],
      text: "basalt blocks",
    },
    {
      why: "text that runs upwards beside other text",
      pieces: [piece("side", 0, 100, { angle: 90 }), piece("text", 20, 100)],
      text: "side\n\ntext",
    },
    {
      why: "Hebrew that is drawn from left to right",
      pieces: [piece("קורא", 0, 100), piece("ספר", 23, 100)],
      text: "ספר קורא",
    },
    {
      why: "Hebrew that is drawn letter by letter from right to left",
      pieces: [piece("ס", 30, 100), piece("פ", 25, 100), piece("ר", 20, 100), piece("א", 12, 100)],
      text: "ספר א",
    },
    {
      why: "a number and a name within Hebrew",
      pieces: [
        piece("ספר", 80, 100),
        piece("12", 67, 100),
        piece("bar", 25, 100),
        piece("foo", 5, 100),
        piece("קורא", 44, 100),
      ],
      text: "ספר 12 קורא foo bar",
    },
    {
      why: "Hebrew within English",
      pieces: [
        piece("the book", 0, 100),
        piece("ספר", 62, 100),
        piece("קורא", 40, 100),
        piece("here", 80, 100),
      ],
      text: "the book ספר קורא here",
    },
  ])("joins $why", ({ pieces, text }) => {
    expect(pageText(pieces)).toBe(text);
  });

  const form = [piece("Name", 0, 100), piece("Town", 0, 80), piece("Fee: 24", 0, 20)];
  it.each([
    { why: "beside its label", field: piece("Okafor", 60, 101), text: "Name\tOkafor\n\nTown\n\nFee: 24" },
    { why: "before what follows it", field: piece("x", -10, 80), text: "Name\n\nx Town\n\nFee: 24" },
    {
      why: "below the line above it",
      field: piece("Alder", 60, 50),
      text: "Name\n\nTown\n\nAlder\n\nFee: 24",
    },
    {
      why: "at the end, when it stands above all",
      field: piece("top", 0, 200),
      text: "Name\n\nTown\n\nFee: 24\ntop",
    },
  ])("puts a field $why", ({ field, text }) => {
    expect(pageText(form, [field])).toBe(text);
  });

  it("looks at no more fields than a form has", () => {
    const fields = Array.from({ length: 3_000 }, (_, index) => piece(`f${index}`, 0, -20 * index));
    expect(pageText([], fields).split(/\n+/)).toHaveLength(2_000);
  });
});
