import type { BigIntStats } from "node:fs";
import { kindOf } from "../files/entry.ts";
import { quoted } from "../permissions/quote.ts";
import { CommandRefusal } from "./command.ts";
import type { CommandToken } from "./command.ts";
import { Wildcard } from "./wildcard.ts";

/** One entry as an expression sees it. */
export interface Candidate {
  readonly path: string;
  readonly name: string;
  readonly stats: BigIntStats;
  /** Whether a directory has no entries. */
  readonly isEmptyDirectory: () => boolean;
}

/** What an expression can do besides being true or false. */
export interface Effects {
  readonly print: (path: string, end: "\n" | "\0") => void;
  readonly prune: () => void;
  readonly quit: () => void;
}

/** Says whether an entry is wanted, and acts on the way. */
export type Test = (candidate: Candidate, effects: Effects) => boolean;

export interface Expression {
  readonly test: Test;
  readonly leastDepth: number;
  readonly mostDepth: number;
  readonly isDepthFirst: boolean;
  readonly staysOnDevice: boolean;
}

const deepestNesting = 200;

/**
 * Reads the expression of `find`: tests, actions and operators, `!` before `-a` before `-o`. Without a printing
 * action, what the whole is true for is printed.
 *
 * @throws {@link CommandRefusal} for anything that is not on the list, and for a malformed expression.
 */
export function parseExpression(tokens: readonly CommandToken[], nowMs: number): Expression {
  const parser = new Parser(tokens, nowMs);
  const test = tokens.length === 0 ? () => true : parser.whole();
  const prints: Test = (candidate, effects) => {
    const isTrue = test(candidate, effects);
    if (isTrue) effects.print(candidate.path, "\n");
    return isTrue;
  };
  const { leastDepth, mostDepth, isDepthFirst, staysOnDevice } = parser;
  return { test: parser.hasPrint ? test : prints, leastDepth, mostDepth, isDepthFirst, staysOnDevice };
}

class Parser {
  readonly #tokens: readonly CommandToken[];
  readonly #nowMs: number;
  #at = 0;
  #nesting = 0;
  hasPrint = false;
  leastDepth = 0;
  mostDepth = Number.POSITIVE_INFINITY;
  isDepthFirst = false;
  staysOnDevice = false;

  constructor(tokens: readonly CommandToken[], nowMs: number) {
    this.#tokens = tokens;
    this.#nowMs = nowMs;
  }

  whole(): Test {
    const test = this.#either();
    const left = this.#tokens[this.#at];
    if (left !== undefined) throw invalid(`unexpected ${quoted(left.text)}`);
    return test;
  }

  #peek(...texts: readonly string[]): boolean {
    const token = this.#tokens[this.#at];
    return token?.tag === "FLG" && texts.includes(token.text);
  }

  #take(...texts: readonly string[]): boolean {
    const isNext = this.#peek(...texts);
    if (isNext) this.#at++;
    return isNext;
  }

  #either(): Test {
    const tests = [this.#both()];
    while (this.#take("-o", "-or")) tests.push(this.#both());
    return anyOf(tests);
  }

  #both(): Test {
    const tests = [this.#single()];
    while (this.#at < this.#tokens.length && !this.#peek("-o", "-or", ")")) {
      this.#take("-a", "-and");
      tests.push(this.#single());
    }
    return allOf(tests);
  }

  #single(): Test {
    let isNegated = false;
    while (this.#take("!", "-not")) isNegated = !isNegated;
    const test = this.#take("(") ? this.#group() : this.#primary();
    return isNegated ? (candidate, effects) => !test(candidate, effects) : test;
  }

  #group(): Test {
    if (++this.#nesting > deepestNesting) throw invalid("too many parentheses inside each other");
    if (this.#peek(")")) throw invalid("empty parentheses");
    const test = this.#either();
    if (!this.#take(")")) throw invalid("a parenthesis is not closed");
    this.#nesting--;
    return test;
  }

  #primary(): Test {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw invalid("something is missing at its end");
    const { text, tag } = token;
    if (tag === "PTH") throw invalid(`the path ${quoted(text)} must come before it`);
    if (tag === "ARG") throw invalid(`unexpected ${quoted(text)}`);
    return this.#plain(text) ?? this.#valued(text);
  }

  #plain(text: string): Test | undefined {
    switch (text) {
      case "-depth":
        this.isDepthFirst = true;
        return () => true;
      case "-xdev":
        this.staysOnDevice = true;
        return () => true;
      case "-empty":
        return isEmpty;
      case "-print":
      case "-print0":
        this.hasPrint = true;
        return ({ path }, { print }) => {
          print(path, text === "-print" ? "\n" : "\0");
          return true;
        };
      case "-prune":
        return (_candidate, { prune }) => {
          prune();
          return true;
        };
      case "-quit":
        return (_candidate, { quit }) => {
          quit();
          return true;
        };
      default:
        return undefined;
    }
  }

  #valued(text: string): Test {
    const make = Object.hasOwn(valued, text) ? valued[text] : undefined;
    if (make === undefined) {
      throw new CommandRefusal(
        `find: unknown or unsupported: ${quoted(text)}; it takes ${[...Object.keys(valued), ...plain].join(" ")}`,
      );
    }
    const token = this.#tokens[this.#at++];
    if (token?.tag !== "ARG")
      throw new CommandRefusal(`find: ${text} needs a value: the next token must be an ARG`);
    return make(token.text, this, this.#nowMs);
  }
}

const plain = [
  "-empty",
  "-depth",
  "-xdev",
  "-print",
  "-print0",
  "-prune",
  "-quit",
  "-a",
  "-and",
  "-o",
  "-or",
  "!",
  "-not",
  "(",
  ")",
];

interface DepthRange {
  leastDepth: number;
  mostDepth: number;
}

const valued: Readonly<Record<string, (value: string, range: DepthRange, nowMs: number) => Test>> = {
  "-name": (value) => nameTest(value, false),
  "-iname": (value) => nameTest(value, true),
  "-path": (value) => pathTest(value, false),
  "-ipath": (value) => pathTest(value, true),
  "-type": typeTest,
  "-size": sizeTest,
  "-mtime": (value, _range, nowMs) => dayTest(value, nowMs),
  "-mmin": (value, _range, nowMs) => minuteTest(value, nowMs),
  "-maxdepth": (value, range) => {
    range.mostDepth = depth(value);
    return () => true;
  },
  "-mindepth": (value, range) => {
    range.leastDepth = depth(value);
    return () => true;
  },
};

function invalid(problem: string): CommandRefusal {
  return new CommandRefusal(`find: invalid expression: ${problem}`);
}

function allOf(tests: readonly Test[]): Test {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (candidate, effects) => tests.every((test) => test(candidate, effects));
}

function anyOf(tests: readonly Test[]): Test {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (candidate, effects) => tests.some((test) => test(candidate, effects));
}

const isEmpty: Test = ({ stats, isEmptyDirectory }) => {
  const kind = kindOf(stats);
  return kind === "directory" ? isEmptyDirectory() : kind === "file" && stats.size === 0n;
};

function nameTest(value: string, ignoreCase: boolean): Test {
  const wildcard = new Wildcard(value, { ignoreCase });
  return ({ name }) => wildcard.matches(name);
}

function pathTest(value: string, ignoreCase: boolean): Test {
  const wildcard = new Wildcard(value, { ignoreCase });
  return ({ path }) => wildcard.matches(path);
}

const kinds: Readonly<Record<string, (stats: BigIntStats) => boolean>> = {
  b: (stats) => stats.isBlockDevice(),
  c: (stats) => stats.isCharacterDevice(),
  d: (stats) => stats.isDirectory(),
  f: (stats) => stats.isFile(),
  l: (stats) => stats.isSymbolicLink(),
  p: (stats) => stats.isFIFO(),
  s: (stats) => stats.isSocket(),
};

function typeTest(value: string): Test {
  const wanted = value.split(",").map((letter) => (Object.hasOwn(kinds, letter) ? kinds[letter] : undefined));
  if (new Set(wanted).size !== wanted.length || wanted.includes(undefined)) {
    throw new CommandRefusal(`find: unknown -type: ${quoted(value)}; use letters of b, c, d, f, l, p, s`);
  }
  return ({ stats }) => wanted.some((isKind) => isKind?.(stats) === true);
}

const sizeUnits: Readonly<Record<string, bigint>> = {
  "": 512n,
  b: 512n,
  c: 1n,
  w: 2n,
  k: 1024n,
  M: 1024n ** 2n,
  G: 1024n ** 3n,
};

function sizeTest(value: string): Test {
  const match = /^([+-]?)(\d+)([bcwkMG]?)$/.exec(value);
  if (match === null) throw new CommandRefusal(`find: invalid -size: ${quoted(value)}`);
  const [, sign, count = "", unit = ""] = match;
  const wanted = BigInt(count);
  const bytes = sizeUnits[unit] ?? 512n;
  return ({ stats }) => {
    const units = (stats.size + bytes - 1n) / bytes;
    return sign === "+" ? units > wanted : sign === "-" ? units < wanted : units === wanted;
  };
}

function age(value: string): { sign: string; count: number } {
  const match = /^([+-]?)(\d+(?:\.\d+)?)$/.exec(value);
  if (match === null) throw new CommandRefusal(`find: invalid number: ${quoted(value)}`);
  return { sign: match[1] ?? "", count: Number(match[2]) };
}

/** Whole days: `1` is from one day to two. */
function dayTest(value: string, nowMs: number): Test {
  const { sign, count } = age(value);
  return ({ stats }) => {
    const days = (nowMs - Number(stats.mtimeNs) / 1e6) / 86_400_000;
    return sign === "+" ? days > count + 1 : sign === "-" ? days < count : days >= count && days < count + 1;
  };
}

/** Minutes are rounded up: `1` is up to one minute. */
function minuteTest(value: string, nowMs: number): Test {
  const { sign, count } = age(value);
  return ({ stats }) => {
    const minutes = (nowMs - Number(stats.mtimeNs) / 1e6) / 60_000;
    return sign === "+"
      ? minutes > count
      : sign === "-"
        ? minutes < count
        : minutes >= count - 1 && minutes < count;
  };
}

function depth(value: string): number {
  if (!/^\d+$/.test(value)) throw new CommandRefusal(`find: invalid depth: ${quoted(value)}`);
  return Number(value);
}
