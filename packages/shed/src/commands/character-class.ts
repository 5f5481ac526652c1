/** How many columns a character takes in a terminal: 0 for marks that join the one before, 2 for wide ones. */
export function columnsOf(point: number): number {
  if (point < 0x300) return 1;
  const character = String.fromCodePoint(point);
  if (/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) return 0;
  return isWide(point) || /^\p{Emoji_Presentation}$/u.test(character) ? 2 : 1;
}

// East Asian Width "W" and "F" (Unicode Standard Annex 11), in the blocks that hold them.
const wideBlocks: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2fb],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

function isWide(point: number): boolean {
  return wideBlocks.some(([first, last]) => point >= first && point <= last);
}

/** Whether a character beyond ASCII can be printed. */
export function isPrintable(point: number): boolean {
  return !/^[\p{Cc}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]$/u.test(String.fromCodePoint(point));
}

/** Whether a character beyond ASCII separates words. */
export function isSpace(point: number): boolean {
  return /^[\p{Zs}\p{Zl}\p{Zp}\u2060]$/u.test(String.fromCodePoint(point));
}
