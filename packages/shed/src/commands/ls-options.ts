import { quoted } from "../permissions/quote.ts";
import { CommandRefusal } from "./command.ts";
import type { CommandToken } from "./command.ts";

/** How `ls` lists. */
export interface ListStyle {
  readonly hidden: "none" | "almost" | "all";
  readonly isLong: boolean;
  readonly isNumeric: boolean;
  readonly isHuman: boolean;
  readonly isDirectoryItself: boolean;
  readonly isRecursive: boolean;
  readonly isReversed: boolean;
  readonly sort: "name" | "time" | "size" | "none";
  readonly indicator: "none" | "slash" | "classify";
  readonly withInode: boolean;
  readonly withBlocks: boolean;
}

const plain: ListStyle = {
  hidden: "none",
  isLong: false,
  isNumeric: false,
  isHuman: false,
  isDirectoryItself: false,
  isRecursive: false,
  isReversed: false,
  sort: "name",
  indicator: "none",
  withInode: false,
  withBlocks: false,
};

const letters: Readonly<Record<string, Partial<ListStyle>>> = {
  "1": {},
  a: { hidden: "all" },
  A: { hidden: "almost" },
  d: { isDirectoryItself: true },
  F: { indicator: "classify" },
  h: { isHuman: true },
  i: { withInode: true },
  l: { isLong: true },
  n: { isLong: true, isNumeric: true },
  p: { indicator: "slash" },
  r: { isReversed: true },
  R: { isRecursive: true },
  s: { withBlocks: true },
  S: { sort: "size" },
  t: { sort: "time" },
  U: { sort: "none" },
};

const words: Readonly<Record<string, string>> = {
  "--all": "a",
  "--almost-all": "A",
  "--classify": "F",
  "--directory": "d",
  "--human-readable": "h",
  "--inode": "i",
  "--numeric-uid-gid": "n",
  "--recursive": "R",
  "--reverse": "r",
  "--size": "s",
};

/** Reads the tokens of `ls`: options and paths in any order; where options differ, the last one counts. */
export function readListTokens(tokens: readonly CommandToken[]): {
  style: ListStyle;
  paths: readonly string[];
} {
  let style = plain;
  let isEnded = false;
  const paths: string[] = [];
  for (const { text, tag } of tokens) {
    if (tag === "PTH") {
      paths.push(text);
    } else if (tag === "ARG") {
      throw new CommandRefusal(`ls: ${quoted(text)} is no path; give it as PTH`);
    } else if (isEnded) {
      throw new CommandRefusal(`ls: option after --: ${quoted(text)}`);
    } else if (text === "--") {
      isEnded = true;
    } else {
      for (const change of changesOf(text)) style = { ...style, ...change };
    }
  }
  return { style, paths };
}

function changesOf(text: string): readonly Partial<ListStyle>[] {
  const bundle = Object.hasOwn(words, text) ? words[text] : /^-([A-Za-z0-9]+)$/.exec(text)?.[1];
  const changes = Array.from(bundle ?? "", (letter) =>
    Object.hasOwn(letters, letter) ? letters[letter] : undefined,
  );
  if (changes.length === 0 || changes.includes(undefined)) {
    throw new CommandRefusal(
      `ls: unknown option: ${quoted(text)}; it takes -${Object.keys(letters).join("")}, ${Object.keys(words).join(", ")}`,
    );
  }
  return changes.flatMap((change) => change ?? []);
}
