import { decodedOnce } from "./decoded-text.ts";

/** Shorter values are not masked: they could be guessed, and the gaps in a text would give them away. */
const minLength = 3;
/** The shortest line that counts as a secret of its own when it stands in a secret of several lines. */
const minLine = 16;
/** How far a secret can reach in its longest form. */
const widestForm = 20;

/** The forms in which secrets are looked for, beside the encodings that {@link layersOf} undoes. */
export interface SecretForms {
  /** The secrets as they are. */
  readonly plain: readonly string[];
  /** In base64, at each of the three places where a secret can begin; only what the secret alone decides. */
  readonly base64: readonly string[];
  /** In hexadecimal, in lower case. */
  readonly hexadecimal: readonly string[];
  /** How many characters of a text the longest form may take. */
  readonly reach: number;
}

/** The forms of secrets. Blank ones and those of less than three characters are left out. */
export function formsOf(secrets: Iterable<unknown>): SecretForms {
  const plain = new Set<string>();
  let longest = 0;
  for (const secret of secrets) {
    if (typeof secret !== "string") continue;
    longest = Math.max(longest, secret.length);
    for (const spelling of spellings(secret)) {
      if (spelling.length >= minLength) plain.add(spelling);
    }
  }
  const base64 = new Set<string>();
  const hexadecimal = new Set<string>();
  for (const bytes of [...plain].flatMap(bytesOf)) {
    for (let offset = 0; offset < 3; offset += 1) base64.add(base64At(bytes, offset));
    const pairs = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
    for (const separator of ["", " ", ":"]) hexadecimal.add(pairs.join(separator));
    for (const separator of [",", ", "]) plain.add(bytes.join(separator));
  }
  return {
    plain: [...plain],
    base64: [...base64],
    hexadecimal: [...hexadecimal],
    reach: longest * widestForm,
  };
}

/** A secret as it is, without space around it, with its own encodings undone, form-encoded, and each of its long lines. */
function spellings(secret: string): readonly string[] {
  const found = new Set<string>();
  let spelling = secret.trim();
  if (spelling !== "") found.add(spelling);
  for (let layer = 0; layer < 3; layer += 1) {
    spelling = decodedOnce(spelling).trim();
    found.add(spelling);
  }
  for (const text of [...found]) {
    found.add(text.replaceAll(" ", "+"));
    if (!text.includes("\n")) continue;
    for (const line of text.split(/\r?\n/)) {
      // The first and the last line of a PEM block are no secret.
      if (line.trim().length >= minLine && !line.startsWith("-----")) found.add(line.trim());
    }
  }
  return [...found];
}

/** A text's bytes: in UTF-8, and in Latin-1 where that differs and can be. */
function bytesOf(text: string): readonly Uint8Array[] {
  const utf8 = new TextEncoder().encode(text);
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const isLatin1 = codes.every((code) => code <= 0xff);
  return isLatin1 && codes.some((code) => code > 0x7f) ? [utf8, Uint8Array.from(codes)] : [utf8];
}

/** The base64 of bytes that come after `offset` others, without the characters that share bits with others. */
function base64At(bytes: Uint8Array, offset: number): string {
  const text = btoa("\0".repeat(offset) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
