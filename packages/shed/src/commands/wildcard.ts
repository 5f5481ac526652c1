/** Matches texts as `fnmatch` does: `*`, `?`, `[…]` with ranges, classes and `!`, and `\` before a literal character. */
export class Wildcard {
  readonly #parts: readonly Part[];

  constructor(pattern: string, { ignoreCase = false }: { ignoreCase?: boolean } = {}) {
    this.#parts = parse(pattern, ignoreCase);
  }

  matches(text: string): boolean {
    const characters = Array.from(text);
    let [at, part, star, starAt] = [0, 0, -1, 0];
    // On a mismatch only the last star takes one character more, so the work is at most pattern times text.
    while (at < characters.length) {
      const wanted = this.#parts[part];
      if (wanted === "star") {
        star = part++;
        starAt = at;
      } else if (wanted?.(characters[at] ?? "") === true) {
        part++;
        at++;
      } else if (star >= 0) {
        part = star + 1;
        at = ++starAt;
      } else {
        return false;
      }
    }
    while (this.#parts[part] === "star") part++;
    return part === this.#parts.length;
  }
}

type Part = "star" | ((character: string) => boolean);

function parse(pattern: string, ignoreCase: boolean): readonly Part[] {
  const parts: Part[] = [];
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    if (character === "*") {
      if (parts.at(-1) !== "star") parts.push("star");
    } else if (character === "?") {
      parts.push(() => true);
    } else if (character === "[") {
      const set = parseSet(characters, index, ignoreCase);
      parts.push(set?.part ?? literal("[", ignoreCase));
      index = set?.end ?? index;
    } else if (character === "\\" && index + 1 < characters.length) {
      parts.push(literal(characters[++index] ?? "", ignoreCase));
    } else {
      // A backslash at the end stands for nothing that could match.
      parts.push(character === "\\" ? () => false : literal(character, ignoreCase));
    }
  }
  return parts;
}

function literal(wanted: string, ignoreCase: boolean): Part {
  const folded = fold(wanted, ignoreCase);
  return (character) => fold(character, ignoreCase) === folded;
}

function fold(character: string, ignoreCase: boolean): string {
  return ignoreCase ? character.toLowerCase() : character;
}

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /^[\p{L}\p{N}]$/u,
  alpha: /^[\p{L}]$/u,
  blank: /^[ \t]$/,
  cntrl: /^\p{Cc}$/u,
  digit: /^[0-9]$/,
  graph: /^[^\s\p{C}]$/u,
  lower: /^\p{Ll}$/u,
  print: /^[^\p{C}]$/u,
  punct: /^[\p{P}\p{S}]$/u,
  space: /^\s$/,
  upper: /^\p{Lu}$/u,
  xdigit: /^[0-9A-Fa-f]$/,
};

function parseSet(
  characters: readonly string[],
  start: number,
  ignoreCase: boolean,
): { part: Part; end: number } | undefined {
  let index = start + 1;
  const isNegated = characters[index] === "!" || characters[index] === "^";
  if (isNegated) index++;
  const tests: ((character: string) => boolean)[] = [];
  for (let isFirst = true; isFirst || characters[index] !== "]"; isFirst = false) {
    if (index >= characters.length) return undefined;
    const named = /^\[:([a-z]+):\]/.exec(characters.slice(index, index + 12).join(""));
    if (named !== null) {
      const known = classes[named[1] ?? ""];
      if (known === undefined) return undefined;
      tests.push((character) => known.test(character));
      index += named[0].length;
      continue;
    }
    const first = setMember(characters, index);
    index = first.next;
    let last = first.member;
    if (characters[index] === "-" && characters[index + 1] !== undefined && characters[index + 1] !== "]") {
      const end = setMember(characters, index + 1);
      last = end.member;
      index = end.next;
    }
    tests.push(within(first.member, last, ignoreCase));
  }
  return { part: (character) => tests.some((test) => test(character)) !== isNegated, end: index };
}

function setMember(characters: readonly string[], index: number): { member: string; next: number } {
  const escaped = characters[index] === "\\" && characters[index + 1] !== undefined;
  return escaped
    ? { member: characters[index + 1] ?? "", next: index + 2 }
    : { member: characters[index] ?? "", next: index + 1 };
}

function within(first: string, last: string, ignoreCase: boolean): (character: string) => boolean {
  const [low, high] = [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0];
  const isIn = (character: string) => {
    const point = character.codePointAt(0) ?? 0;
    return point >= low && point <= high;
  };
  if (!ignoreCase) return isIn;
  return (character) => isIn(character.toLowerCase()) || isIn(character.toUpperCase());
}
