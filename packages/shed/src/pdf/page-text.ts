import { PageLine, type Piece } from "./page-line.ts";
import { inReadingOrder } from "./reading-order.ts";

/** Form fields that are looked at; a page that has more was made to take time. */
const mostFields = 2_000;

/**
 * The text of a page: pieces in the order in which the page draws them, unless that cannot be meant, joined to lines where they stand
 * beside each other. Words that a line end divides are made whole; a wider gap between lines leaves an empty one.
 *
 * @param fields - What is filled in, put into the lines it stands beside.
 */
export function pageText(pieces: Iterable<Piece>, fields: readonly Piece[] = []): string {
  const lines: PageLine[] = [];
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line?.takes(piece) === true) line.add(piece);
    else if (piece.text.trim() !== "") lines.push(new PageLine(piece));
  }
  for (const field of fields.slice(0, mostFields)) place(field, lines);
  return joined(inReadingOrder(lines));
}

/** Puts a field into the line it stands in, or behind the last one above it. */
function place(field: Piece, lines: PageLine[]): void {
  let above = lines.length - 1;
  let distance = Number.POSITIVE_INFINITY;
  for (const [index, line] of lines.entries()) {
    if (line.angle !== field.angle) continue;
    if (Math.abs(line.baseline - field.across) <= line.size * 0.6) {
      line.insert(field);
      return;
    }
    const between = line.baseline - field.across;
    if (between > 0 && between <= distance) {
      distance = between;
      above = index;
    }
  }
  lines.splice(above + 1, 0, new PageLine(field));
}

const divided = /(?<=\p{Ll})(?:[-\u2010]|\u00ad)$/u;

function joined(lines: readonly PageLine[]): string {
  let text = "";
  let last: PageLine | undefined;
  for (const line of lines) {
    const more = line.text();
    if (more === "") continue;
    if (last === undefined) text = more;
    else if (/^\p{Ll}/u.test(more) && divided.test(text)) text = `${text.slice(0, -1)}${more}`;
    else text += `${line.isApartFrom(last) ? "\n\n" : "\n"}${more}`;
    last = line;
  }
  return text.replaceAll("\u00ad", "");
}
