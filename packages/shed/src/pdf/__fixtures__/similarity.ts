/**
 * How alike two texts are, from 0 to 1: one less the share of the characters that have to be inserted, removed or replaced. All
 * white space counts as one space, and marks of direction, which show nowhere, as nothing.
 */
export function similarity(one: string, other: string): number {
  const [left, right] = [points(one), points(other)];
  const longest = Math.max(left.length, right.length);
  return longest === 0 ? 1 : 1 - distance(left, right) / longest;
}

function points(text: string): Uint32Array {
  const plain = text
    .normalize("NFC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return Uint32Array.from(plain, (character) => character.codePointAt(0) ?? 0);
}

function distance(left: Uint32Array, right: Uint32Array): number {
  let above = Uint32Array.from({ length: right.length + 1 }, (_, index) => index);
  let row = new Uint32Array(right.length + 1);
  for (const [index, point] of left.entries()) {
    let before = index + 1;
    row[0] = before;
    let corner = index;
    for (let at = 0; at < right.length; at++) {
      const over = above[at + 1] ?? 0;
      before = Math.min(corner + (point === right[at] ? 0 : 1), over + 1, before + 1);
      corner = over;
      row[at + 1] = before;
    }
    [above, row] = [row, above];
  }
  return above[right.length] ?? 0;
}
