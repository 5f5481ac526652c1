/** An entry of an environment; `null` is a bare name. */
export type Pair = readonly [name: string, value: string | null];

/** Stored entries, and what opening them gives. */
export interface SecretVector {
  readonly id: string;
  readonly why: string;
  /** The vector that this one differs from in one place; only where something is refused. */
  readonly differsFrom?: string;
  /** `null`: none is given. */
  readonly password: string | null;
  readonly entries: readonly Pair[];
  readonly expect: { readonly values: readonly Pair[] } | { readonly code: string };
}

/** A dotenv text, and what reading it gives. */
export interface EnvTextVector {
  readonly id: string;
  readonly why: string;
  readonly text: string;
  readonly values: readonly Pair[];
  readonly warnings: readonly { readonly line: number; readonly fault: string; readonly envName?: string }[];
  /** Whether writing `values` gives `text` back. */
  readonly isCanonical?: boolean;
}

const invalid = { code: "endpoints/invalid-secret" };

/** Gives vectors their ids, in order. */
export function numbered<V extends object>(
  prefix: string,
  vectors: readonly V[],
): (V & { readonly id: string })[] {
  return vectors.map((vector, index) => ({
    id: `${prefix}-${String(index + 1).padStart(2, "0")}`,
    ...vector,
  }));
}

/** A refused vector: one that opens, with one change. */
export function refusal(
  base: SecretVector,
  why: string,
  change: { entries?: readonly Pair[]; password?: string | null; code?: string },
): Omit<SecretVector, "id"> {
  return {
    why,
    differsFrom: base.id,
    password: change.password === undefined ? base.password : change.password,
    entries: change.entries ?? base.entries,
    expect: change.code === undefined ? invalid : { code: change.code },
  };
}

/** The same text with one field changed; fields are counted from 0 and parted by colons. */
export function changeField(text: string, field: number, change: (field: string) => string): string {
  return text
    .split(":")
    .map((part, index) => (index === field ? change(part) : part))
    .join(":");
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Flips the highest bit of one base64 character, which always changes the bytes. */
export function flip(text: string, at: number): string {
  const position = at < 0 ? text.length + at : at;
  const other = alphabet.charAt(alphabet.indexOf(text.charAt(position)) ^ 32);
  return text.slice(0, position) + other + text.slice(position + 1);
}

/** Sets the lowest bit of the last base64 character, which stands for no byte: the same bytes, spelled otherwise. */
export function respell(text: string): string {
  const end = text.search(/=*$/);
  const other = alphabet.charAt(alphabet.indexOf(text.charAt(end - 1)) ^ 1);
  return text.slice(0, end - 1) + other + text.slice(end);
}
