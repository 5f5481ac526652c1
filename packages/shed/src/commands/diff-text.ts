import type { Changes } from "./diff-edits.ts";

/** A text as lines without their newlines; each character is one byte. */
export interface Text {
  readonly lines: readonly string[];
  /** Whether the last line has no newline. */
  readonly isCut: boolean;
}

export function textOf(bytes: Buffer): Text {
  const lines = bytes.toString("latin1").split("\n");
  const last = lines.pop();
  if (last === undefined || last === "") return { lines, isCut: false };
  return { lines: [...lines, last], isCut: true };
}

/** Lines of one text that stand for lines of the other; ends are exclusive. */
interface Edit {
  readonly left: number;
  readonly leftEnd: number;
  readonly right: number;
  readonly rightEnd: number;
}

export function editsOf({ deleted, added }: Changes): readonly Edit[] {
  const edits: Edit[] = [];
  const [leftLength, rightLength] = [deleted.length - 1, added.length - 1];
  let [left, right] = [0, 0];
  while (left < leftLength || right < rightLength) {
    let [leftEnd, rightEnd] = [left, right];
    while (deleted[leftEnd] === 1) leftEnd++;
    while (added[rightEnd] === 1) rightEnd++;
    if (leftEnd > left || rightEnd > right) edits.push({ left, leftEnd, right, rightEnd });
    left = leftEnd + 1;
    right = rightEnd + 1;
  }
  return edits;
}

/** Writes lines with a mark before each; one that has no newline gets a note. */
function marked(mark: string, text: Text, from: number, to: number): string {
  let written = "";
  for (let index = from; index < to; index++) {
    const isCut = text.isCut && index === text.lines.length - 1;
    written += `${mark}${text.lines[index] ?? ""}\n${isCut ? "\\ No newline at end of file\n" : ""}`;
  }
  return written;
}

/** The format without context: commands such as `3,4c3` with the lines they change. */
export function* normalFormat(edits: readonly Edit[], left: Text, right: Text): Generator<string, void> {
  for (const edit of edits) {
    const isDeletion = edit.right === edit.rightEnd;
    const isAddition = edit.left === edit.leftEnd;
    const letter = isDeletion ? "d" : isAddition ? "a" : "c";
    yield `${normalRange(edit.left, edit.leftEnd)}${letter}${normalRange(edit.right, edit.rightEnd)}\n`;
    yield marked("< ", left, edit.left, edit.leftEnd);
    if (letter === "c") yield "---\n";
    yield marked("> ", right, edit.right, edit.rightEnd);
  }
}

function normalRange(start: number, end: number): string {
  return end - start > 1 ? `${start + 1},${end}` : String(Math.max(start + (end > start ? 1 : 0), 0));
}

const contextLines = 3;

/** The unified format: changes with three lines around them, joined where these touch. */
export function* unifiedFormat(edits: readonly Edit[], left: Text, right: Text): Generator<string, void> {
  for (let first = 0; first < edits.length;) {
    let next = first + 1;
    while (
      next < edits.length &&
      (edits[next]?.left ?? 0) - (edits[next - 1]?.leftEnd ?? 0) <= 2 * contextLines
    )
      next++;
    yield hunk(edits.slice(first, next), left, right);
    first = next;
  }
}

function hunk(edits: readonly Edit[], left: Text, right: Text): string {
  const [first, last] = [edits[0], edits.at(-1)];
  if (first === undefined || last === undefined) return "";
  const before = Math.min(contextLines, first.left);
  const after = Math.min(contextLines, left.lines.length - last.leftEnd);
  const leftRange = unifiedRange(first.left - before, last.leftEnd + after);
  const rightRange = unifiedRange(first.right - before, last.rightEnd + after);
  let written = `@@ -${leftRange} +${rightRange} @@\n`;
  let at = first.left - before;
  for (const edit of edits) {
    written += marked(" ", left, at, edit.left);
    written += marked("-", left, edit.left, edit.leftEnd);
    written += marked("+", right, edit.right, edit.rightEnd);
    at = edit.leftEnd;
  }
  return written + marked(" ", left, at, last.leftEnd + after);
}

function unifiedRange(start: number, end: number): string {
  if (end - start === 1) return String(start + 1);
  return `${end === start ? start : start + 1},${end - start}`;
}
