/** Random choices that a seed repeats (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.below(choices.length)];
    if (chosen === undefined) throw new Error("There is nothing to pick from");
    return chosen;
  }

  /** Some of the choices, each at most once, in random order. */
  some<T>(choices: readonly T[], most: number): readonly T[] {
    const left = [...choices];
    const chosen: T[] = [];
    for (let count = this.below(most + 1); count > 0 && left.length > 0; count--) {
      chosen.push(...left.splice(this.below(left.length), 1));
    }
    return chosen;
  }
}
