import { matchRuns } from "../permissions/pattern.ts";
import { Wildcard } from "./wildcard.ts";

/** One line of an ignore file. */
interface Rule {
  readonly isWanted: boolean;
  readonly isForDirectories: boolean;
  /** What the last component must be, wherever it stands; or all components from the directory of the file on. */
  readonly pattern: NamePattern | readonly (NamePattern | typeof deep)[];
}

type NamePattern = (name: string) => boolean;

/** Any number of components. */
const deep = Symbol("any components");

/**
 * The rules of one ignore file, as `rg` reads them: each name is judged by itself, not by the directories above it. No
 * pattern takes more work than its length times that of the name, whoever wrote it.
 */
export class IgnoreFile {
  /** The last line first: it counts. */
  readonly #rules: readonly Rule[];

  constructor(text: string) {
    const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
    this.#rules = lines.flatMap((line) => ruleOf(line) ?? []).reverse();
  }

  /** @param path - From the directory of the file on. */
  decide(path: string, isDirectory: boolean): "ignored" | "wanted" | undefined {
    const name = path.slice(path.lastIndexOf("/") + 1);
    let components: readonly string[] | undefined;
    for (const { isWanted, isForDirectories, pattern } of this.#rules) {
      if (isForDirectories && !isDirectory) continue;
      const isMatch =
        typeof pattern === "function"
          ? pattern(name)
          : matchRuns(pattern, (components ??= path.split("/")), deep, matchesName);
      if (isMatch) return isWanted ? "wanted" : "ignored";
    }
    return undefined;
  }
}

function matchesName(part: NamePattern | typeof deep, name: string): boolean {
  return part === deep || part(name);
}

/** Undefined for a line that says nothing. */
function ruleOf(line: string): Rule | undefined {
  if (line.startsWith("#")) return undefined;
  let rest = line.endsWith("\\ ") ? line : line.trimEnd();
  const isWanted = rest.startsWith("!");
  if (isWanted) rest = rest.slice(1);
  const isAnchored = rest.startsWith("/");
  if (isAnchored) rest = rest.slice(1);
  const isForDirectories = rest.endsWith("/");
  if (isForDirectories) rest = rest.slice(0, -1);
  if (rest === "") return undefined;
  const parts = rest.split("/");
  const [only = ""] = parts;
  if (parts.length === 1 && !isAnchored)
    return { isWanted, isForDirectories, pattern: only === "**" ? () => true : patternOf(only) };
  // What ends with `/**` is for all in a directory, and not for itself.
  if (parts.length > 1 && parts.at(-1) === "**") parts.push("*");
  return {
    isWanted,
    isForDirectories,
    pattern: parts.map((part) => (part === "**" ? deep : patternOf(part))),
  };
}

/** Most patterns are words, or end with one: looking for these is much faster. */
function patternOf(text: string): NamePattern {
  const word = text.startsWith("*") ? text.slice(1) : text;
  if (/[*?[\\]/.test(word)) {
    const wildcard = new Wildcard(text);
    return (name) => wildcard.matches(name);
  }
  return text === word ? (name) => name === word : (name) => name.endsWith(word);
}
