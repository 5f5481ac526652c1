import { credentialPatterns } from "./credential-patterns.ts";
import { layersOf, type Layer, type Range } from "./decoded-text.ts";
import { environmentSecrets, type Environment } from "./environment-secrets.ts";
import { formsOf, type SecretForms } from "./secret-forms.ts";

/** What counts as a secret beside what looks like one. */
export interface RedactionOptions {
  /** Values that must not be shown; a text is one of them. Blank ones and those of less than three characters are not looked for. */
  readonly secrets?: Iterable<string> | undefined;
  /** Where variables that are named like credentials are found; the process's environment by default; a browser has none. */
  readonly environment?: Environment | undefined;
  /** Where the text is cut, after it was masked; 100 000 by default. */
  readonly maxCharacters?: number | undefined;
}

/** What stands in place of a secret. */
const redacted = "[redacted]";
const defaultMaxCharacters = 100_000;
/** How far beyond the cut a text is looked at, so that what begins before it is known for what it is. */
const patternReach = 4096;

/**
 * Masks secrets in a text that people may see: the secrets given, and the values of environment variables whose names end
 * like a credential's (`_SECRET`, `_PASSWORD`, `_API_KEY`, `_TOKEN`, `_ACCESS_KEY`, `_PRIVATE_KEY`, `_PASSPHRASE`) or that
 * have an encrypted companion `NAME_ENCRYPTED`. Each is found as it is, percent-encoded, form-encoded, escaped as in JSON,
 * JavaScript or HTML, in hexadecimal and in base64, also when encoded twice. Without knowing them, it masks the user and
 * password of URLs, `Bearer` and `Basic` credentials, private keys, and values that are named like a credential, as in
 * `api_key=…`. Host names and other words stay. Nothing is loaded or decrypted for this.
 *
 * A text longer than `maxCharacters` is masked first and cut then; what was left out is not looked at.
 */
export function redactSecrets(text: string, options: RedactionOptions = {}): string {
  return redactor(options)(text, options.maxCharacters ?? defaultMaxCharacters);
}

/** Masks a text, and cuts it then. */
export type Redactor = (text: string, maxCharacters: number) => string;

/** What masks several texts, with the secrets as they are now. */
export function redactor({ secrets = [], environment = ownEnvironment() }: RedactionOptions): Redactor {
  // A text is iterable: its letters would be too short to be looked for, and it would be shown.
  const given = typeof secrets === "string" ? [secrets] : secrets;
  const forms = formsOf([...given, ...environmentSecrets(environment)]);
  return (text, maxCharacters) => {
    const shown = text.slice(0, maxCharacters + forms.reach + patternReach);
    const ranges = merged(layersOf(shown).flatMap((layer) => secretRanges(layer, forms)));
    return masked(text, shown, ranges, maxCharacters);
  };
}

/** The process's environment; a browser has none. */
function ownEnvironment(): Environment {
  return typeof process === "undefined" ? {} : process.env;
}

/** Where a layer shows a secret, as places in the original text. */
function secretRanges(layer: Layer, { plain, base64, hexadecimal }: SecretForms): readonly Range[] {
  const { text, origin } = layer;
  const found: Range[] = [];
  const find = (haystack: string, needle: string, widen: (range: Range) => Range): void => {
    for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + 1)) {
      const { start, end } = widen({ start: at, end: at + needle.length });
      found.push(origin(start, end));
    }
  };
  for (const needle of plain) find(text, needle, (range) => range);
  const sameAlphabet = text.replace(/[-_]/g, (sign) => (sign === "-" ? "+" : "/"));
  for (const needle of base64) find(sameAlphabet, needle, (range) => wholeBase64(sameAlphabet, range));
  const lower = text.replace(/[A-F]/g, (digit) => digit.toLowerCase());
  for (const needle of hexadecimal) find(lower, needle, (range) => range);
  for (const pattern of credentialPatterns) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.[1] ?? [0, 0];
      if (end > start) found.push(origin(start, end));
    }
  }
  return found;
}

/** Takes in the characters at both ends that have some of the secret's bits, and the padding. */
function wholeBase64(text: string, { start, end }: Range): Range {
  const isPart = (at: number): boolean => /^[\w+/=]$/.test(text.charAt(at));
  let [from, to] = [start, end];
  while (from > 0 && start - from < 2 && isPart(from - 1)) from -= 1;
  while (to - end < 3 && isPart(to)) to += 1;
  return { start: from, end: to };
}

/** Ranges in order, with those that touch made one. */
function merged(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = joined.at(-1);
    if (last === undefined || range.start > last.end) joined.push(range);
    else if (range.end > last.end) joined[joined.length - 1] = { start: last.start, end: range.end };
  }
  return joined;
}

function masked(text: string, shown: string, ranges: readonly Range[], maxCharacters: number): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    if (start >= maxCharacters) break;
    if (isMask(shown, { start, end })) continue;
    pieces.push(shown.slice(from, start), redacted);
    from = end;
  }
  const cut = Math.max(from, cutAt(shown, maxCharacters));
  pieces.push(shown.slice(from, cut));
  if (cut < text.length) pieces.push(`… (${text.length - cut} more characters)`);
  return pieces.join("");
}

/** Whether a range lies in a mask that stands in the text already. */
function isMask(text: string, { start, end }: Range): boolean {
  if (end - start > redacted.length) return false;
  const from = Math.max(0, end - redacted.length);
  const at = text.slice(from, start + redacted.length).indexOf(redacted);
  return at !== -1 && from + at <= start;
}

/** Where a text is cut, so that no character is cut in two. */
function cutAt(text: string, maxCharacters: number): number {
  const code = text.charCodeAt(maxCharacters - 1);
  return code >= 0xd800 && code <= 0xdbff ? maxCharacters - 1 : Math.min(maxCharacters, text.length);
}
