import { columnsOf, isPrintable, isSpace } from "./character-class.ts";

/** What `wc` counts of one input. */
export interface Counts {
  lines: number;
  words: number;
  chars: number;
  bytes: number;
  longest: number;
}

export function noCounts(): Counts {
  return { lines: 0, words: 0, chars: 0, bytes: 0, longest: 0 };
}

const separators = new Uint8Array(128);
for (const byte of [9, 10, 11, 12, 13, 32]) separators[byte] = 1;
for (let byte = 33; byte < 127; byte++) separators[byte] = 2;

/** Counts a stream of bytes as UTF-8. Bytes that are no UTF-8 are neither characters nor parts of words. */
export class Counter {
  readonly counts = noCounts();
  readonly #needsWidth: boolean;
  #isInWord = false;
  #columns = 0;
  #held: Buffer = Buffer.alloc(0);

  constructor({ needsWidth }: { needsWidth: boolean }) {
    this.#needsWidth = needsWidth;
  }

  add(chunk: Buffer): void {
    this.counts.bytes += chunk.length;
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    this.#scan(bytes, false);
  }

  end(): Counts {
    const { counts } = this;
    this.#scan(this.#held, true);
    if (this.#isInWord) counts.words++;
    counts.longest = Math.max(counts.longest, this.#columns);
    return counts;
  }

  #scan(bytes: Buffer, isLast: boolean): void {
    let index = 0;
    while (index < bytes.length) {
      index = this.#needsWidth ? index : this.#plain(bytes, index);
      const byte = bytes[index];
      if (byte === undefined) return;
      if (byte < 0x80) {
        this.#ascii(byte);
        index++;
        continue;
      }
      const length = sequenceLength(bytes, index);
      if (length === "cut" && !isLast) {
        this.#held = Buffer.from(bytes.subarray(index));
        return;
      }
      if (typeof length === "number")
        this.#character(bytes.toString("utf8", index, index + length).codePointAt(0) ?? 0);
      index += typeof length === "number" ? length : 1;
    }
  }

  /** ASCII without columns, which is most of what is ever counted. Gives the place of the first other byte. */
  #plain(bytes: Buffer, from: number): number {
    let index = from;
    let lines = 0;
    let words = 0;
    let isInWord = this.#isInWord;
    const end = bytes.length;
    for (; index < end; index++) {
      const byte = bytes[index] ?? 0;
      if (byte >= 0x80) break;
      if (byte > 32 && byte !== 127) {
        isInWord = true;
      } else if (separators[byte] === 1) {
        if (byte === 10) lines++;
        if (isInWord) {
          words++;
          isInWord = false;
        }
      }
    }
    this.#isInWord = isInWord;
    this.counts.lines += lines;
    this.counts.words += words;
    this.counts.chars += index - from;
    return index;
  }

  #ascii(byte: number): void {
    const { counts } = this;
    counts.chars++;
    if (byte === 10) counts.lines++;
    if (byte === 10 || byte === 12 || byte === 13) {
      counts.longest = Math.max(counts.longest, this.#columns);
      this.#columns = 0;
    } else if (byte === 9) {
      this.#columns += 8 - (this.#columns % 8);
    } else if (byte >= 32 && byte < 127) {
      this.#columns++;
    }
    const kind = separators[byte];
    if (kind === 2) this.#isInWord = true;
    else if (kind === 1) this.#endWord();
  }

  #character(point: number): void {
    this.counts.chars++;
    if (!isPrintable(point)) return;
    if (this.#needsWidth) this.#columns += columnsOf(point);
    if (isSpace(point)) this.#endWord();
    else this.#isInWord = true;
  }

  #endWord(): void {
    if (this.#isInWord) this.counts.words++;
    this.#isInWord = false;
  }
}

/** How many bytes a character takes that starts here; `"cut"` when the bytes end inside of it. */
function sequenceLength(bytes: Buffer, index: number): number | "cut" | "invalid" {
  const lead = bytes[index] ?? 0;
  const length =
    lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 0;
  if (length === 0) return "invalid";
  for (let offset = 1; offset < length; offset++) {
    const byte = bytes[index + offset];
    if (byte === undefined) return "cut";
    if (byte < lowest(lead, offset) || byte > highest(lead, offset)) return "invalid";
  }
  return length;
}

// RFC 3629, section 4: no overlong forms, no surrogates, nothing above U+10FFFF.
function lowest(lead: number, offset: number): number {
  if (offset > 1) return 0x80;
  return lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
}

function highest(lead: number, offset: number): number {
  if (offset > 1) return 0xbf;
  return lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
}
