/** Control characters that move the cursor or change the screen, and those that reorder the text around them. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text that a terminal shows and does not obey: each control character, and so the start of every escape sequence, is
 * replaced by a sign for it. Line breaks and tabs stay, other characters too.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(unprintable, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, " ").trim();
}
