/** A piece of text where a page shows it. Lengths are in the page's units, of 1/72 inch as a rule. */
export interface Piece {
  /** In the order in which it is read. */
  readonly text: string;
  /** The direction in which its line runs, in whole degrees counterclockwise; 0 from left to right. */
  readonly angle: number;
  /** Where it begins, in the direction of its line. */
  readonly along: number;
  /** Where its baseline is; greater for lines further up. */
  readonly across: number;
  readonly width: number;
  /** The height of its letters. */
  readonly size: number;
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
const leftToRight =
  /(?![\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])[\p{L}\p{Nd}]/gu;
const squareEnd = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]$/u;
const squareStart = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;

// All in heights of letters.
const gapOfSpaceInLatin = 0.2;
const gapOfSpaceInArabic = 0.14;
const gapOfSpaceInSquares = 0.8;
const gapOfColumn = 1.5;
const gapOfParagraph = 1.75;
const mostBackward = 1;

/** A part of a line that has text. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** In characters. */
  readonly length: number;
}

/** Pieces that stand beside each other. */
export class PageLine {
  readonly angle: number;
  readonly baseline: number;
  readonly #pieces: Piece[];
  #size: number;
  #end: number;
  #isRightToLeft: boolean;
  #isSpaced = false;
  readonly #spacedBefore = new Set<Piece>();

  constructor(first: Piece) {
    this.angle = first.angle;
    this.baseline = first.across;
    this.#size = first.size;
    this.#pieces = [first];
    this.#end = first.along + first.width;
    this.#isRightToLeft = count(first.text, rightToLeft) > 0;
  }

  /** The height of its largest letters. */
  get size(): number {
    return this.#size;
  }

  get isRightToLeft(): boolean {
    return this.#isRightToLeft;
  }

  /** Where it has text, from left to right; a gap as between columns divides two stretches. */
  stretches(): readonly Stretch[] {
    const stretches: { start: number; end: number; length: number }[] = [];
    for (const { along, width, text } of this.#shown()) {
      const last = stretches.at(-1);
      const end = along + width;
      if (last !== undefined && along - last.end <= gapOfColumn * this.#size) {
        last.end = Math.max(last.end, end);
        last.length += text.length;
      } else stretches.push({ start: along, end, length: text.length });
    }
    return stretches;
  }

  /** Its parts on both sides of a place; one that has nothing there is left out. */
  parts(place: number): { readonly left: PageLine | undefined; readonly right: PageLine | undefined } {
    const isLeft = ({ along, width }: Piece): boolean => along + width / 2 < place;
    return { left: this.#part(isLeft), right: this.#part((piece) => !isLeft(piece)) };
  }

  #part(isWanted: (piece: Piece) => boolean): PageLine | undefined {
    const [first, ...others] = this.#pieces.filter(isWanted);
    if (first === undefined) return undefined;
    const part = new PageLine(first);
    for (const piece of others) {
      if (this.#spacedBefore.has(piece)) part.#isSpaced = true;
      part.add(piece);
    }
    return part;
  }

  #shown(): readonly Piece[] {
    return this.#pieces.toSorted((one, other) => one.along - other.along);
  }

  /** Whether a piece that is drawn next belongs to this line. */
  takes(piece: Piece): boolean {
    const { text, angle, along, across, size } = piece;
    if (angle !== this.angle) return false;
    const isSmaller = Math.min(size, this.#size) < Math.max(size, this.#size) * 0.8;
    // What is set lower or higher beside larger letters is smaller.
    const reach = isSmaller ? Math.max(size, this.#size) * 0.55 : Math.max(size, this.#size) * 0.3;
    if (Math.abs(across - this.baseline) > reach) return false;
    if (this.#isRightToLeft || count(text, rightToLeft) > 0) return true;
    return along >= this.#end - mostBackward * this.#size || this.#repeats(piece);
  }

  /** Some producers draw a text twice, for heavier letters or a shadow. */
  #repeats({ text, along, size }: Piece): boolean {
    const last = this.#pieces.at(-1);
    return last?.text === text && Math.abs(last.along - along) < 0.1 * size;
  }

  /** Adds the piece that is drawn next. */
  add(piece: Piece): void {
    if (piece.text.trim() === "") {
      this.#isSpaced = true;
      return;
    }
    if (this.#repeats(piece)) return;
    this.#pieces.push(piece);
    if (this.#isSpaced) this.#spacedBefore.add(piece);
    this.#isSpaced = false;
    this.#size = Math.max(this.#size, piece.size);
    this.#end = Math.max(this.#end, piece.along + piece.width);
    this.#isRightToLeft ||= count(piece.text, rightToLeft) > 0;
  }

  /** Adds a piece where it stands. */
  insert(piece: Piece): void {
    const at = this.#pieces.findIndex(({ along }) => along > piece.along);
    this.#pieces.splice(at === -1 ? this.#pieces.length : at, 0, piece);
    this.#spacedBefore.add(piece);
  }

  /** Whether the gap to the line before is that of a new paragraph. */
  isApartFrom({ angle, baseline, size }: PageLine): boolean {
    return angle !== this.angle || baseline - this.baseline > gapOfParagraph * Math.max(size, this.#size);
  }

  text(): string {
    const text = this.#isRightToLeft ? this.#textOfBothDirections() : this.#textFromLeft();
    return text
      .replace(/ *\t[ \t]*/g, "\t")
      .replace(/ {2,}/g, " ")
      .trim();
  }

  #textFromLeft(): string {
    let text = "";
    let last: Piece | undefined;
    for (const piece of this.#pieces) {
      if (last !== undefined)
        text += this.#spacedBefore.has(piece) ? this.#apart(last, piece) : this.#gap(last, piece);
      text += piece.text;
      last = piece;
    }
    return text;
  }

  #textOfBothDirections(): string {
    const shown = this.#shown();
    const places = new Map(shown.map((piece, index) => [piece, index]));
    let text = "";
    let last: Piece | undefined;
    for (const piece of readInOrder(shown)) {
      const step = last === undefined ? 0 : (places.get(piece) ?? 0) - (places.get(last) ?? 0);
      // What is read next may be shown elsewhere, and the gap to it says nothing.
      if (last !== undefined && Math.abs(step) === 1)
        text +=
          step === 1
            ? this.#gap(last, piece, gapOfSpaceInArabic)
            : this.#gap(piece, last, gapOfSpaceInArabic);
      else if (last !== undefined) text += " ";
      text += piece.text;
      last = piece;
    }
    return text;
  }

  /** What stands between two pieces with a space in between. */
  #apart(left: Piece, right: Piece): " " | "\t" {
    return this.#gap(left, right) === "\t" ? "\t" : " ";
  }

  /** What stands between a piece and the one that is shown to its right. */
  #gap(left: Piece, right: Piece, gapOfSpace = gapOfSpaceInLatin): "" | " " | "\t" {
    const gap = (right.along - left.along - left.width) / this.#size;
    if (gap > gapOfColumn) return "\t";
    const isSquare = squareEnd.test(left.text) && squareStart.test(right.text);
    return gap > (isSquare ? gapOfSpaceInSquares : gapOfSpace) ? " " : "";
  }
}

/** Pieces of a line with words from right to left, as they are shown from left to right, in the order in which they are read. */
function readInOrder(shown: readonly Piece[]): readonly Piece[] {
  const text = shown.map((piece) => piece.text).join("");
  const isLeftward = count(text, rightToLeft) >= count(text.replace(/\p{Nd}/gu, ""), leftToRight);
  // What runs against the line keeps its own order.
  const against = isLeftward ? leftToRight : rightToLeft;
  const along = isLeftward ? rightToLeft : leftToRight;
  const read: Piece[] = [];
  let run: Piece[] = [];
  let neutral: Piece[] = [];
  const close = (): void => {
    read.push(...run.reverse(), ...neutral);
    run = [];
    neutral = [];
  };
  for (const piece of isLeftward ? shown.toReversed() : shown) {
    const runsAgainst = count(piece.text, against) > 0 && count(piece.text, along) === 0;
    if (runsAgainst) {
      run.push(...neutral, piece);
      neutral = [];
    } else if (run.length > 0 && count(piece.text, along) === 0) {
      neutral.push(piece);
    } else {
      close();
      read.push(piece);
    }
  }
  close();
  return read;
}

function count(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0;
}
