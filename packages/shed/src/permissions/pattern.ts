/** A permission pattern, ready to match. */
export interface Pattern {
  /** Whether it is matched against the absolute path, rather than the one relative to the base. */
  readonly isAbsolute: boolean;
  readonly parts: readonly Part[];
  /** Whether it matches every path it is matched against. */
  readonly isEverything: boolean;
}

/** One component: any number of components, an exact name, or pieces that together match a name. */
type Part = typeof deep | string | readonly Piece[];

/** Any run of characters, exactly one, or one that a test accepts. */
type Piece = typeof run | typeof one | ((character: string) => boolean);

const deep = Symbol("any components");
const run = Symbol("any characters");
const one = Symbol("one character");

/**
 * Reads a pattern: `*`, `?`, `[…]` and `[!…]` within a component, `**` as a whole component. Empty and `.` components are
 * insignificant. A `[` without its `]` is an ordinary character.
 */
export function parsePattern(text: string): Pattern {
  const components = text.split("/").filter((component) => component !== "" && component !== ".");
  const parts = components.map(parseComponent);
  const isEverything = parts.length > 0 && parts.every((part) => part === deep);
  return { isAbsolute: text.startsWith("/"), parts, isEverything };
}

function parseComponent(component: string): Part {
  if (component === "**") return deep;
  if (!/[*?[]/.test(component)) return component;
  const pieces: Piece[] = [];
  const characters = Array.from(component);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] ?? "";
    const end = character === "[" ? classEnd(characters, index) : -1;
    if (end !== -1) {
      pieces.push(classTest(characters.slice(index + 1, end)));
      index = end;
    } else if (character === "*") {
      if (pieces.at(-1) !== run) pieces.push(run);
    } else {
      pieces.push(character === "?" ? one : (other) => other === character);
    }
  }
  return pieces;
}

/** Where the class that opens at `start` closes; -1 when it does not. A `]` that comes first is a member. */
function classEnd(characters: readonly string[], start: number): number {
  const first = start + (characters[start + 1] === "!" ? 2 : 1);
  return characters.indexOf("]", first + 1);
}

function classTest(members: readonly string[]): (character: string) => boolean {
  const isNegated = members[0] === "!";
  const singles = new Set<string>();
  const ranges: (readonly [number, number])[] = [];
  for (let index = isNegated ? 1 : 0; index < members.length; index++) {
    const from = members[index] ?? "";
    const to = members[index + 1] === "-" ? members[index + 2] : undefined;
    if (to === undefined) {
      singles.add(from);
    } else {
      ranges.push([codePoint(from), codePoint(to)]);
      index += 2;
    }
  }
  return (character) => {
    const point = codePoint(character);
    const isMember = singles.has(character) || ranges.some(([low, high]) => low <= point && point <= high);
    return isMember !== isNegated;
  };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Whether the whole path, given as its components, matches the whole pattern. */
export function matchesPattern({ parts }: Pattern, components: readonly string[]): boolean {
  return matchRuns(parts, components, deep, matchesPart);
}

function matchesPart(part: Part, component: string): boolean {
  if (part === deep) return true;
  if (typeof part === "string") return part === component;
  return matchRuns(part, Array.from(component), run, (piece, character) =>
    typeof piece === "function" ? piece(character) : true,
  );
}

/**
 * Matches items against a pattern in which `wild` stands for any number of them, and everything else for one. Only the
 * last `wild` is ever tried again, so the work is at most items × pattern, whatever they are.
 */
export function matchRuns<P, I>(
  pattern: readonly P[],
  items: readonly I[],
  wild: P,
  matches: (piece: P, item: I) => boolean,
): boolean {
  let at = 0;
  let item = 0;
  let retryAt = -1;
  let retryItem = 0;
  while (item < items.length) {
    const piece = pattern[at];
    const current = items[item];
    if (at < pattern.length && piece === wild) {
      at += 1;
      retryAt = at;
      retryItem = item;
    } else if (piece !== undefined && current !== undefined && matches(piece, current)) {
      at += 1;
      item += 1;
    } else if (retryAt !== -1) {
      retryItem += 1;
      at = retryAt;
      item = retryItem;
    } else {
      return false;
    }
  }
  while (at < pattern.length && pattern[at] === wild) at += 1;
  return at === pattern.length;
}

/** A name as a pattern that matches it and nothing else. */
export function escapePattern(name: string): string {
  return name.replace(/[*?[]/g, "[$&]");
}
