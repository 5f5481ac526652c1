import type { EntryKind, Identity } from "./entry.ts";
import type { ListedEntry } from "./open-directory.ts";

// What very many directories hold takes little room this way, and goes from thread to thread at little cost.

/** The entries of a directory as two texts. */
export interface PackedEntries {
  /** Each name ends with a `/`. */
  readonly names: string;
  /** A digit for each name: its place in {@link kinds}. */
  readonly kinds: string;
}

export const noEntries: PackedEntries = { names: "", kinds: "" };

const kinds: readonly EntryKind[] = ["file", "directory", "link", "special"];
const zero = 48;

export function packEntries(entries: readonly ListedEntry[]): PackedEntries {
  let [names, digits] = ["", ""];
  for (const { name, kind } of entries) {
    names += `${name}/`;
    digits += String(kinds.indexOf(kind));
  }
  return { names, kinds: digits };
}

export function hasKind(entries: PackedEntries, kind: EntryKind): boolean {
  return entries.kinds.includes(String(kinds.indexOf(kind)));
}

/** Whether a name begins with a dot. */
export function hasDotName({ names }: PackedEntries): boolean {
  return names.startsWith(".") || names.includes("/.");
}

/** How many of the entries are ordinary files. */
export function countFiles({ kinds: digits }: PackedEntries): number {
  let count = 0;
  for (let at = 0; at < digits.length; at++) if (digits.charCodeAt(at) === zero) count++;
  return count;
}

/** Goes through entries in their order. */
export class EntryReader {
  readonly #names: string;
  readonly #kinds: string;
  #at = 0;
  #start = 0;
  /** Of the entry that is being looked at. */
  name = "";
  kind: EntryKind = "special";

  constructor({ names, kinds: digits }: PackedEntries) {
    this.#names = names;
    this.#kinds = digits;
  }

  /** Goes on to the next entry; false when there is none. */
  advance(): boolean {
    const kind = kinds[this.#kinds.charCodeAt(this.#at) - zero];
    if (kind === undefined) return false;
    const end = this.#names.indexOf("/", this.#start);
    this.name = this.#names.slice(this.#start, end);
    this.kind = kind;
    this.#at += 1;
    this.#start = end + 1;
    return true;
  }
}

/** Texts without a NUL, such as paths, as one; at least one of them. */
export function packTexts(texts: readonly string[]): string {
  return texts.join("\0");
}

export function unpackTexts(packed: string): readonly string[] {
  return packed.split("\0");
}

const numbersOfOne = 3;

/** Which directories they are, as numbers. */
export function packIdentities(identities: readonly (Identity | undefined)[]): BigInt64Array {
  const packed = new BigInt64Array(identities.length * numbersOfOne);
  for (const [index, identity] of identities.entries()) {
    if (identity !== undefined)
      packed.set([identity.dev, identity.ino, identity.birthtimeNs], index * numbersOfOne);
  }
  return packed;
}

/** Undefined where there was none: no directory has the number 0. */
export function identityAt(packed: BigInt64Array, index: number): Identity | undefined {
  const at = index * numbersOfOne;
  const [dev, ino, birthtimeNs] = [packed[at], packed[at + 1], packed[at + 2]];
  if (dev === undefined || ino === undefined || ino === 0n || birthtimeNs === undefined) return undefined;
  return { dev, ino, birthtimeNs };
}
