import { SecretNameError, SecretValueError } from "./errors.ts";
import type { EnvValues } from "./env-values.ts";
import { ENCRYPTED_SUFFIX, isIdentifier, readStoredName } from "./names.ts";

/**
 * Why a line was skipped: a quote is never closed (`unclosed-quote`), something other than a comment follows a
 * closing quote (`after-quote`), a name has characters that no name has (`name`), or it is no setting at all (`syntax`).
 */
export type EnvLineFault = "unclosed-quote" | "after-quote" | "name" | "syntax";

/** A line that was skipped. It never holds a value. */
export interface EnvWarning {
  /** Counted from 1. */
  readonly line: number;
  readonly fault: EnvLineFault;
  /** The name on the line, unless it may be part of a value, as below a quote that was never closed. */
  readonly envName?: string;
}

/** What a text holds. */
export interface ParsedEnv {
  /** In the order of their first mention; the last mention gives the value. */
  readonly values: EnvValues;
  /** In the order of the lines. */
  readonly warnings: readonly EnvWarning[];
}

// White space within a line.
const blank = /[^\S\r\n]*/y;
const lineEnd = /\r\n|\r|\n/y;
const restOfLine = /[^\r\n]*/y;
const exportWord = /export[^\S\r\n]+(?=[^\s=#])/y;
const nameToken = /[^\s=#]+/y;
// A `#` begins a comment at the start of a value only when white space stands before it.
const inlineComment = /\s#.*/s;
const quotableName = /^[\w.-]{1,64}$/;

const doubleQuoteEscapes: ReadonlyMap<string, string> = new Map([
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
const singleQuoteEscapes: ReadonlyMap<string, string> = new Map([
  ["\\", "\\"],
  ["'", "'"],
]);

/**
 * Reads a dotenv text. Nothing is interpolated: `$X` and `${X}` stay as written.
 *
 * A line is `NAME=value` or a bare `NAME`, each with an optional `export` before it. In single quotes `\\` and `\'`
 * are escapes; in double quotes these and `\" \a \b \f \n \r \t \v`; both may span lines and keep every character.
 * Other values end with the line or before a `#` that white space precedes, and are trimmed. LF, CRLF and CR end lines.
 *
 * Never throws: what cannot be read is left out and named by its line in `warnings`. Names are not limited to stored
 * names here; encrypting and loading check that.
 */
export function parseEnv(text: string): ParsedEnv {
  const values = new Map<string, string | undefined>();
  const warnings: EnvWarning[] = [];
  let hasStrayLines = false;
  let line = 1;
  // A byte-order mark is not part of the first name.
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  while (at < text.length) {
    const start = skip(blank, text, at);
    const entry = scanLine(text, start);
    let end = entry.end;
    if (entry.kind === "entry") {
      values.set(entry.name, entry.value);
    } else if (entry.kind === "fault") {
      const { fault, name } = entry;
      const isQuotable = name !== undefined && isShowable(name, hasStrayLines);
      warnings.push(isQuotable ? { line, fault, envName: name } : { line, fault });
      if (fault !== "name") hasStrayLines = true;
      // Only this line: a quote that is never closed must not take the settings below it along.
      end = skip(restOfLine, text, start);
    }
    const next = skip(lineEnd, text, end);
    line += countLineEnds(text, at, next);
    at = next;
  }
  return { values, warnings };
}

function isShowable(name: string, isBelowStrayLine: boolean): boolean {
  // Nothing but the name of an encrypted entry ends so.
  if (isIdentifier(name) && name.endsWith(ENCRYPTED_SUFFIX)) return true;
  return !isBelowStrayLine && quotableName.test(name);
}

type ScannedLine =
  | {
      readonly kind: "entry";
      readonly name: string;
      readonly value: string | undefined;
      readonly end: number;
    }
  | { readonly kind: "nothing"; readonly end: number }
  | { readonly kind: "fault"; readonly fault: EnvLineFault; readonly name?: string; readonly end: number };

/** Reads one line from its first character that is not white space; `end` is the place of its line end. */
function scanLine(text: string, start: number): ScannedLine {
  const nothing = endOfBlankLine(text, start);
  if (nothing !== undefined) return { kind: "nothing", end: nothing };

  const nameStart = skip(exportWord, text, start);
  const nameEnd = skip(nameToken, text, nameStart);
  const name = text.slice(nameStart, nameEnd);
  const afterName = skip(blank, text, nameEnd);
  if (text[afterName] === "=" && name !== "") {
    if (isIdentifier(name)) return scanValue(text, name, afterName + 1);
    // Without a value this may be no name but the last line of a key in base64, which ends in `=`.
    const isName =
      text
        .slice(afterName, skip(restOfLine, text, afterName))
        .replaceAll("=", "")
        .trim() !== "";
    return isName
      ? { kind: "fault", fault: "name", name, end: start }
      : { kind: "fault", fault: "name", end: start };
  }
  const end = endOfBlankLine(text, afterName);
  if (end === undefined || !isIdentifier(name)) return { kind: "fault", fault: "syntax", end: start };
  return { kind: "entry", name, value: undefined, end };
}

function scanValue(text: string, name: string, afterEquals: number): ScannedLine {
  const start = skip(blank, text, afterEquals);
  const quote = text[start];
  if (quote !== "'" && quote !== '"') {
    const end = skip(restOfLine, text, afterEquals);
    const value = text.slice(afterEquals, end).replace(inlineComment, "").trim();
    return { kind: "entry", name, value, end };
  }
  const quoted = readQuoted(text, start + 1, quote);
  if (quoted === undefined) return { kind: "fault", fault: "unclosed-quote", name, end: start };
  const end = endOfBlankLine(text, skip(blank, text, quoted.end));
  if (end === undefined) return { kind: "fault", fault: "after-quote", name, end: start };
  return { kind: "entry", name, value: quoted.value, end };
}

/**
 * Reads up to the closing quote, strictly from left to right: a backslash is looked at together with the next
 * character, so that `\\'` is a backslash and a closing quote. Other escapes stay as written.
 */
function readQuoted(
  text: string,
  start: number,
  quote: "'" | '"',
): { value: string; end: number } | undefined {
  const escapes = quote === "'" ? singleQuoteEscapes : doubleQuoteEscapes;
  const special = quote === "'" ? /['\\]/g : /["\\]/g;
  const parts: string[] = [];
  let from = start;
  for (;;) {
    special.lastIndex = from;
    const found = special.exec(text);
    if (found === null) return undefined;
    const { index } = found;
    parts.push(text.slice(from, index));
    if (found[0] === quote) return { value: parts.join(""), end: index + 1 };
    const escaped = text.slice(index + 1, index + 2);
    parts.push(escapes.get(escaped) ?? `\\${escaped}`);
    from = index + 2;
  }
}

/** The place of the line end when only a comment stands before it. */
function endOfBlankLine(text: string, at: number): number | undefined {
  const end = text[at] === "#" ? skip(restOfLine, text, at) : at;
  return end === text.length || text[end] === "\n" || text[end] === "\r" ? end : undefined;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function countLineEnds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const character = text[at];
    if (character === "\n" || (character === "\r" && text[at + 1] !== "\n")) count++;
  }
  return count;
}

/**
 * Writes an environment as dotenv text, one entry after the other. {@link parseEnv} gives the same map back, for
 * every value without NUL.
 *
 * @param values - Stored names to values. Each value is put in single quotes, where only `\` and `'` are escaped;
 * `$`, line ends and all else stay as they are. `undefined` is written as a bare name.
 * @returns The text; every entry ends with LF. Empty for an empty map.
 * @throws {@link SecretNameError} (`endpoints/secret-name`) for what is not a stored name;
 * {@link SecretValueError} (`endpoints/secret-value`) for a value with a NUL.
 */
export function serializeEnv(values: EnvValues): string {
  const lines: string[] = [];
  for (const [envName, value] of values) {
    if (readStoredName(envName) === undefined)
      throw new SecretNameError({ envName, fault: "not-stored-name" });
    if (value?.includes("\0")) throw new SecretValueError({ envName, fault: "nul" });
    lines.push(value === undefined ? `${envName}\n` : `${envName}='${value.replace(/[\\']/g, "\\$&")}'\n`);
  }
  return lines.join("");
}
