import { describe, expect, it } from "vitest";

import type { Piece } from "./page-line.ts";
import { pageText } from "./page-text.ts";

function piece(text: string, along: number, across: number, more: Partial<Piece> = {}): Piece {
  return { text, angle: 0, along, across, size: 10, width: text.length * 5, ...more };
}

const rows = Array.from({ length: 8 }, (_, index) => index);
const names = (column: string): string[] => rows.map((row) => `${column}${row} and further words of it`);
/** Two columns, drawn line by line across both. */
const across = (left: string, right: string): Piece[] =>
  rows.flatMap((row) => [
    piece(`${left}${row} and further words of it`, 0, 500 - row * 12),
    piece(`${right}${row} and further words of it`, 200, 497 - row * 12),
  ]);

const lines = (text: string): string[] => text.split(/\n+/);

describe("the order of a page", () => {
  it("puts columns that are drawn across one after the other", () => {
    expect(lines(pageText(across("l", "r")))).toEqual([...names("l"), ...names("r")]);
  });

  it("does so too when both columns' lines stand on the same height", () => {
    const pieces = across("l", "r").map((each) => ({ ...each, across: Math.ceil(each.across / 12) * 12 }));
    expect(lines(pageText(pieces))).toEqual([...names("l"), ...names("r")]);
  });

  it("keeps what stands across columns between those above and below it", () => {
    const wide = piece("a heading that stands over both of these columns and is wide", 0, 550);
    const below = across("x", "y").map((each) => ({ ...each, across: each.across - 200 }));
    const middle = piece("another heading that stands over both of them and is wide too", 0, 350);
    expect(lines(pageText([wide, ...across("l", "r"), middle, ...below]))).toEqual([
      wide.text,
      ...names("l"),
      ...names("r"),
      middle.text,
      ...names("x"),
      ...names("y"),
    ]);
  });

  it("reads the right column first where words run from right to left", () => {
    const pieces = across("ספר", "קורא");
    const read = lines(
      pageText(pieces.map((each) => ({ ...each, text: `${each.text.slice(0, 3)} ${"שלום ".repeat(5)}` }))),
    );
    expect(read.slice(0, 8).every((line) => line.startsWith("קור"))).toBe(true);
    expect(read.slice(8).every((line) => line.startsWith("ספר"))).toBe(true);
  });

  it("reads three columns", () => {
    const third = rows.map((row) => piece(`t${row} and further words of it`, 400, 499 - row * 12));
    const pairs = across("l", "r");
    const pieces = rows.flatMap((row) => [
      ...pairs.slice(row * 2, row * 2 + 2),
      ...third.slice(row, row + 1),
    ]);
    expect(lines(pageText(pieces))).toEqual([...names("l"), ...names("r"), ...names("t")]);
  });

  it("leaves a table of short cells in its rows", () => {
    const pieces = rows.flatMap((row) => [
      piece(`Lamp ${row}`, 0, 500 - row * 12),
      piece(`${row}.00`, 200, 500 - row * 12),
    ]);
    expect(lines(pageText(pieces))).toEqual(rows.map((row) => `Lamp ${row}\t${row}.00`));
  });

  it("turns a page that is drawn from its end", () => {
    const pieces = across("l", "l").filter(({ along }) => along === 0);
    expect(lines(pageText(pieces.toReversed()))).toEqual(names("l"));
  });

  it("leaves columns that are drawn one after the other, and a note that is drawn last", () => {
    const pieces = across("l", "r");
    const left = pieces.filter(({ along }) => along === 0);
    const right = pieces.filter(({ along }) => along > 0);
    const note = piece("a note at the head of the page", 0, 700);
    expect(lines(pageText([...left, ...right, note]))).toEqual([...names("l"), ...names("r"), note.text]);
  });

  it("puts text of another direction behind columns that it had to order, and leaves it in its place elsewhere", () => {
    const stamp = piece("up the side", 0, 0, { angle: 90 });
    expect(lines(pageText([stamp, ...across("l", "r")]))).toEqual([...names("l"), ...names("r"), stamp.text]);
    const single = across("l", "l").filter(({ along }) => along === 0);
    expect(lines(pageText([stamp, ...single]))).toEqual([stamp.text, ...names("l")]);
  });
});
