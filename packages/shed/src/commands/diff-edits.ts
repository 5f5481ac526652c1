/** Which lines of two texts are not in both: true for a line that was deleted, or added. */
export interface Changes {
  readonly deleted: Uint8Array;
  readonly added: Uint8Array;
}

/**
 * Finds a smallest set of changes that turns one list of lines into another, by Myers' algorithm in linear space
 * ("An O(ND) Difference Algorithm and Its Variations", 1986, section 4b).
 *
 * @param left - Lines as numbers; equal lines have equal numbers.
 * @param pause - Called often; may throw to end the work.
 */
export async function changesBetween(
  left: readonly number[],
  right: readonly number[],
  pause: () => Promise<void>,
): Promise<Changes> {
  const changes = { deleted: new Uint8Array(left.length + 1), added: new Uint8Array(right.length + 1) };
  const kept = keepCommon(left, right, changes);
  await new Comparison(kept, changes, pause).run();
  slideRuns(left, changes.deleted, changes.added);
  slideRuns(right, changes.added, changes.deleted);
  return changes;
}

interface Side {
  readonly lines: Int32Array;
  /** Where each line stands in the whole text. */
  readonly places: Int32Array;
}

/** A line that the other text does not have at all is a change without further thought. */
function keepCommon(
  left: readonly number[],
  right: readonly number[],
  changes: Changes,
): { left: Side; right: Side } {
  const inLeft = new Set(left);
  const inRight = new Set(right);
  const side = (lines: readonly number[], other: ReadonlySet<number>, changed: Uint8Array): Side => {
    const places: number[] = [];
    for (const [place, line] of lines.entries()) {
      if (other.has(line)) places.push(place);
      else changed[place] = 1;
    }
    return { lines: Int32Array.from(places, (place) => lines[place] ?? 0), places: Int32Array.from(places) };
  };
  return { left: side(left, inRight, changes.deleted), right: side(right, inLeft, changes.added) };
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly leftEnd: number;
  readonly rightEnd: number;
}

/** After this many steps a split that is good enough is taken, so that two large and different texts end. */
const mostSteps = 4096;

class Comparison {
  readonly #left: Side;
  readonly #right: Side;
  readonly #changes: Changes;
  readonly #pause: () => Promise<void>;
  /** The furthest place on each diagonal, from the start and from the end. */
  readonly #down: Int32Array;
  readonly #up: Int32Array;
  readonly #shift: number;

  constructor({ left, right }: { left: Side; right: Side }, changes: Changes, pause: () => Promise<void>) {
    this.#left = left;
    this.#right = right;
    this.#changes = changes;
    this.#pause = pause;
    const diagonals = left.lines.length + right.lines.length + 3;
    this.#down = new Int32Array(diagonals);
    this.#up = new Int32Array(diagonals);
    this.#shift = right.lines.length + 1;
  }

  async run(): Promise<void> {
    const waiting: Box[] = [
      { left: 0, right: 0, leftEnd: this.#left.lines.length, rightEnd: this.#right.lines.length },
    ];
    for (let box = waiting.pop(); box !== undefined; box = waiting.pop()) {
      const rest = this.#trimmed(box);
      if (rest.left === rest.leftEnd || rest.right === rest.rightEnd) {
        this.#markAll(rest);
        continue;
      }
      const [x, y] = await this.#split(rest);
      waiting.push({ ...rest, left: x, right: y }, { ...rest, leftEnd: x, rightEnd: y });
    }
  }

  #trimmed({ left, right, leftEnd, rightEnd }: Box): Box {
    const [a, b] = [this.#left.lines, this.#right.lines];
    let [start, other, end, otherEnd] = [left, right, leftEnd, rightEnd];
    while (start < end && other < otherEnd && a[start] === b[other]) {
      start++;
      other++;
    }
    while (start < end && other < otherEnd && a[end - 1] === b[otherEnd - 1]) {
      end--;
      otherEnd--;
    }
    return { left: start, right: other, leftEnd: end, rightEnd: otherEnd };
  }

  #markAll({ left, right, leftEnd, rightEnd }: Box): void {
    for (let index = left; index < leftEnd; index++) this.#changes.deleted[this.#left.places[index] ?? 0] = 1;
    for (let index = right; index < rightEnd; index++)
      this.#changes.added[this.#right.places[index] ?? 0] = 1;
  }

  /** A point that some shortest path goes through, where paths from both ends meet. */
  async #split(box: Box): Promise<readonly [number, number]> {
    const [down, up, shift] = [this.#down, this.#up, this.#shift];
    const [lowest, highest] = [box.left - box.rightEnd, box.leftEnd - box.right];
    const [first, last] = [box.left - box.right, box.leftEnd - box.rightEnd];
    const isOdd = ((first - last) & 1) !== 0;
    const forward = { low: first, high: first };
    const backward = { low: last, high: last };
    down[shift + first] = box.left;
    up[shift + last] = box.leftEnd;
    for (let steps = 1; ; steps++) {
      if ((steps & 63) === 0) await this.#pause();
      widen(forward, lowest, highest, down, shift, -1);
      for (let diagonal = forward.high; diagonal >= forward.low; diagonal -= 2) {
        const x = this.#runDown(diagonal, box);
        const isMet =
          isOdd && diagonal >= backward.low && diagonal <= backward.high && (up[shift + diagonal] ?? 0) <= x;
        if (isMet) return [x, x - diagonal];
      }
      widen(backward, lowest, highest, up, shift, 2 ** 31 - 1);
      for (let diagonal = backward.high; diagonal >= backward.low; diagonal -= 2) {
        const x = this.#runUp(diagonal, box);
        const isMet =
          !isOdd && diagonal >= forward.low && diagonal <= forward.high && x <= (down[shift + diagonal] ?? 0);
        if (isMet) return [x, x - diagonal];
      }
      if (steps >= mostSteps) return this.#furthest(forward, box);
    }
  }

  #runDown(diagonal: number, { leftEnd, rightEnd }: Box): number {
    const [down, at] = [this.#down, this.#shift + diagonal];
    const [below, above] = [down[at - 1] ?? 0, down[at + 1] ?? 0];
    let x = below < above ? above : below + 1;
    while (x < leftEnd && x - diagonal < rightEnd && this.#left.lines[x] === this.#right.lines[x - diagonal])
      x++;
    down[at] = x;
    return x;
  }

  #runUp(diagonal: number, { left, right }: Box): number {
    const [up, at] = [this.#up, this.#shift + diagonal];
    const [below, above] = [up[at - 1] ?? 0, up[at + 1] ?? 0];
    let x = below < above ? below : above - 1;
    while (
      x > left &&
      x - diagonal > right &&
      this.#left.lines[x - 1] === this.#right.lines[x - 1 - diagonal]
    )
      x--;
    up[at] = x;
    return x;
  }

  #furthest({ low, high }: Span, { left, right, leftEnd, rightEnd }: Box): readonly [number, number] {
    let best: readonly [number, number] = [left, right];
    for (let diagonal = high; diagonal >= low; diagonal -= 2) {
      const x = Math.min(this.#down[this.#shift + diagonal] ?? 0, leftEnd, rightEnd + diagonal);
      const isInside = x >= left && x - diagonal >= right;
      if (isInside && 2 * x - diagonal > best[0] + best[1]) best = [x, x - diagonal];
    }
    return best;
  }
}

interface Span {
  low: number;
  high: number;
}

/** Takes one diagonal more on each side, or one less where the box ends. */
function widen(
  span: Span,
  lowest: number,
  highest: number,
  furthest: Int32Array,
  shift: number,
  none: number,
): void {
  if (span.low > lowest) furthest[shift + --span.low - 1] = none;
  else span.low++;
  if (span.high < highest) furthest[shift + ++span.high + 1] = none;
  else span.high--;
}

/**
 * Moves each run of changed lines as far down as equal lines let it, joining runs that meet, and then up again to
 * where the other text has a change too. People expect a repeated block to be added after the first one.
 */
function slideRuns(lines: readonly number[], changed: Uint8Array, otherChanged: Uint8Array): void {
  const end = lines.length;
  let at = 0;
  let other = 0;
  for (;;) {
    while (at < end && changed[at] !== 1) {
      other = pastChanges(otherChanged, other) + 1;
      at++;
    }
    if (at === end) return;
    const run = { start: at, end: pastChanges(changed, at), other: pastChanges(otherChanged, other) };
    slide(run, lines, changed, otherChanged);
    at = run.end;
    other = run.other;
  }
}

function slide(
  run: { start: number; end: number; other: number },
  lines: readonly number[],
  changed: Uint8Array,
  otherChanged: Uint8Array,
): void {
  const up = () => {
    changed[--run.start] = 1;
    changed[--run.end] = 0;
    run.other = beforeChanges(otherChanged, run.other);
  };
  let meeting = -1;
  for (let size = -1; size !== run.end - run.start;) {
    size = run.end - run.start;
    while (run.start > 0 && lines[run.start - 1] === lines[run.end - 1]) {
      up();
      while (run.start > 0 && changed[run.start - 1] === 1) run.start--;
    }
    meeting = run.other > 0 && otherChanged[run.other - 1] === 1 ? run.end : -1;
    while (run.end < lines.length && lines[run.start] === lines[run.end]) {
      changed[run.start++] = 0;
      changed[run.end++] = 1;
      run.end = pastChanges(changed, run.end);
      const next = run.other + 1;
      run.other = pastChanges(otherChanged, next);
      if (run.other > next) meeting = run.end;
    }
  }
  while (meeting >= 0 && meeting < run.end) up();
}

function pastChanges(changed: Uint8Array, from: number): number {
  let at = from;
  while (changed[at] === 1) at++;
  return at;
}

function beforeChanges(changed: Uint8Array, from: number): number {
  let at = from - 1;
  while (at >= 0 && changed[at] === 1) at--;
  return at;
}
