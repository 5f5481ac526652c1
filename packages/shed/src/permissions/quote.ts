/**
 * A text on one line, between single quotes, that shows every character for what it is: quotes and backslashes are
 * escaped, and so is all that could break the line, move the cursor or hide. Bytes that are no UTF-8 stand as `\xNN`.
 */
export function quoted(text: string): string {
  return `'${text.replace(unsafe, (character) => short[character] ?? escapedPoint(character))}'`;
}

// Quotes and backslashes; control, format and unassigned characters, separators but the space, lone surrogates, and
// marks without a letter of their own.
const unsafe = /['\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu;

const short: Readonly<Record<string, string>> = {
  "'": "\\'",
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function escapedPoint(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point >= 0xdc80 && point <= 0xdcff) return `\\x${(point - 0xdc00).toString(16)}`;
  if (point < 0x80) return `\\x${point.toString(16).padStart(2, "0")}`;
  if (point < 0x10000) return `\\u${point.toString(16).padStart(4, "0")}`;
  return `\\u{${point.toString(16)}}`;
}
