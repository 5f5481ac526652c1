import { maxIntegerDigits } from "./nanoseconds.ts";

/** A value as JSON has it, with `bigint` for an integer that a `number` cannot hold. */
export type LosslessJson =
  string | number | bigint | boolean | null | LosslessJson[] | { [key: string]: LosslessJson };

/** What stands around the digits of an integer while the built-in parser or writer has the text; nobody can guess it. */
function newMark(): string {
  const parts = crypto.getRandomValues(new Uint32Array(4));
  return `#${Array.from(parts, (part) => part.toString(36)).join("-")}:`;
}

/**
 * Reads JSON without losing digits: an integer that a `number` cannot hold becomes a `bigint`, every other value is what
 * `JSON.parse` makes of it. An integer of more than 64 digits is none of ours and is rounded as `JSON.parse` does.
 *
 * @throws `SyntaxError`, as `JSON.parse`.
 */
export function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const mark = newMark();
  const marked = markIntegers(text, mark);
  if (marked === undefined) return JSON.parse(text);
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** The text with its unsafe integers as marked strings; nothing when there is none. */
function markIntegers(text: string, mark: string): string | undefined {
  const token = /"|-?\d[\d.eE+-]*/g;
  const pieces: string[] = [];
  let from = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [found] = match;
    if (found === '"') {
      token.lastIndex = endOfString(text, match.index + 1);
    } else if (isUnsafeInteger(found)) {
      pieces.push(text.slice(from, match.index), `"${mark}${found}"`);
      from = match.index + found.length;
    }
  }
  return from === 0 ? undefined : pieces.join("") + text.slice(from);
}

/** Where a string ends whose contents begin at `from`, its closing quote included. */
function endOfString(text: string, from: number): number {
  for (let at = from; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function isUnsafeInteger(token: string): boolean {
  // A leading zero is no JSON; the parser says so.
  return (
    token.length > 15 &&
    token.length <= maxIntegerDigits &&
    /^-?[1-9]\d*$/.test(token) &&
    !Number.isSafeInteger(Number(token))
  );
}

/** A value for those who know plain JSON alone: an integer that a `number` cannot hold is the text of its digits. */
export function withDigitsAsText(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? String(part) : part)),
  );
}

/**
 * Writes JSON, a `bigint` as an integer with all its digits. Other values are written as `JSON.stringify` does.
 *
 * @throws `TypeError` for a cycle, and for what has no JSON at all, such as a function.
 */
export function stringifyJson(value: unknown): string {
  const mark = newMark();
  const integers: bigint[] = [];
  const text: string | undefined = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "bigint") return part;
    integers.push(part);
    return `${mark}${part}`;
  });
  // It is declared to give a string, and gives nothing for a function, a symbol and `undefined`.
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- its declaration leaves that out
  if (text === undefined) throw new TypeError(`A ${typeof value} has no JSON`);
  return integers.length > 0 ? text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, "g"), "$1") : text;
}
