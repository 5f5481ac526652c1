import type { PageLine, Stretch } from "./page-line.ts";

/** Pages with more are taken as they are drawn: there is no page of a book among them. */
const mostLines = 3_000;
/** Columns within columns. */
const deepest = 4;

/** Lines a page has at least before its order is doubted. */
const fewestLines = 6;
/** The characters of a line, on average, from which it is one of running text and no cell of a table. */
const shortestLine = 18;

/**
 * Lines in the order in which they are read. Most producers draw text as it is read, and no look at a page tells columns from a table
 * as well as that; so the order stays, unless it cannot be meant: it goes to and fro between columns of text, or up the page.
 */
export function inReadingOrder(drawn: readonly PageLine[]): readonly PageLine[] {
  if (drawn.length < fewestLines || drawn.length > mostLines) return drawn;
  const angle = mostFrequent(drawn.map((line) => line.angle));
  const upright = drawn.filter((line) => line.angle === angle);
  const ordered = byColumns(goesUp(upright) ? downwards(upright) : upright, 0);
  // What runs in another direction, such as a stamp on the margin, is no part of the text around it.
  return ordered === upright ? drawn : [...ordered, ...drawn.filter((line) => line.angle !== angle)];
}

function mostFrequent(angles: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const angle of angles) counts.set(angle, (counts.get(angle) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

interface Placed extends Stretch {
  readonly baseline: number;
}

function stretchesOf(lines: readonly PageLine[]): readonly Placed[] {
  return lines.flatMap((line) =>
    line.stretches().map((stretch) => ({ ...stretch, baseline: line.baseline })),
  );
}

/** Whether too many lines are drawn above the one before, in the same column. */
function goesUp(lines: readonly PageLine[]): boolean {
  const stretches = stretchesOf(lines);
  let [steps, up] = [0, 0];
  for (const [index, { start, end, baseline }] of stretches.entries()) {
    const last = stretches[index - 1];
    if (last === undefined || last.end <= start || end <= last.start || last.baseline === baseline) continue;
    steps += 1;
    if (baseline > last.baseline) up += 1;
  }
  return up >= fewestLines && up > steps * 0.3;
}

function downwards(lines: readonly PageLine[]): readonly PageLine[] {
  return lines.toSorted((one, other) => other.baseline - one.baseline);
}

/** Puts columns one after the other, where the lines go to and fro between them. */
function byColumns(lines: readonly PageLine[], depth: number): readonly PageLine[] {
  const stretches = stretchesOf(lines);
  const gutter =
    depth < deepest && lines.length >= fewestLines && wanders(stretches)
      ? gutterOf(stretches, lines)
      : undefined;
  if (gutter === undefined) return lines;
  const isLeftward = lines.filter(({ isRightToLeft }) => isRightToLeft).length > lines.length / 2;
  const read: PageLine[] = [];
  let left: PageLine[] = [];
  let right: PageLine[] = [];
  const close = (): void => {
    const columns = [byColumns(left, depth + 1), byColumns(right, depth + 1)];
    read.push(...(isLeftward ? columns.toReversed() : columns).flat());
    left = [];
    right = [];
  };
  for (const line of downwards(lines)) {
    if (line.stretches().some(({ start, end }) => crosses(start, end, gutter, line.size))) {
      close();
      read.push(line);
      continue;
    }
    const parts = line.parts(gutter);
    if (parts.left !== undefined) left.push(parts.left);
    if (parts.right !== undefined) right.push(parts.right);
  }
  close();
  return read;
}

/** Whether the lines often lead to text beside the text before. */
function wanders(stretches: readonly Placed[]): boolean {
  let aside = 0;
  for (const [index, { start, end }] of stretches.entries()) {
    const last = stretches[index - 1];
    if (last !== undefined && (last.end <= start || end <= last.start)) aside += 1;
  }
  return aside >= fewestLines && aside > stretches.length * 0.4;
}

/** Where two columns of running text part; undefined when there are none. */
function gutterOf(stretches: readonly Placed[], lines: readonly PageLine[]): number | undefined {
  const size = lines.reduce((sum, line) => sum + line.size, 0) / lines.length;
  let best: { readonly place: number; readonly crossing: number } | undefined;
  for (const place of new Set(stretches.map(({ start }) => Math.round(start)))) {
    const gutter = place - size * 0.4;
    let [left, right, crossing, leftLength, rightLength] = [0, 0, 0, 0, 0];
    for (const { start, end, length } of stretches) {
      if (crosses(start, end, gutter, size)) crossing += 1;
      else if (start < gutter) {
        left += 1;
        leftLength += length;
      } else {
        right += 1;
        rightLength += length;
      }
    }
    const isText = leftLength >= left * shortestLine && rightLength >= right * shortestLine;
    const isBalanced = Math.min(left, right) >= Math.max(3, stretches.length * 0.2);
    if (!isText || !isBalanced || crossing > stretches.length * 0.15) continue;
    if (best === undefined || crossing < best.crossing) best = { place: gutter, crossing };
  }
  return best?.place;
}

function crosses(start: number, end: number, place: number, size: number): boolean {
  return start < place - size * 0.1 && end > place + size * 0.1;
}
