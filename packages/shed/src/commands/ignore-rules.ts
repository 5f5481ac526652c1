import { childLocation } from "../files/file-name.ts";
import { IgnoreFile } from "./ignore-file.ts";

/** The ignore files `rg` reads in each directory; what an earlier one decides, a later one does not change. */
export const ignoreFileNames = [".rgignore", ".ignore", ".gitignore"] as const;
type IgnoreFileName = (typeof ignoreFileNames)[number];

/** The texts of the ignore files of one directory. */
export type IgnoreTexts = Readonly<Partial<Record<IgnoreFileName, string>>>;

interface Level {
  readonly location: string;
  readonly rules: Readonly<Partial<Record<IgnoreFileName, IgnoreFile>>>;
  /** A directory with a `.git` is the top of a repository: `.gitignore` files above it do not reach into it. */
  readonly isRepository: boolean;
}

/** Decides which entries of a tree are left out, as the directories from `/` down to them say. */
export class IgnoreRules {
  readonly #levels: readonly Level[];
  /** Whether there is a rule. */
  readonly hasAny: boolean;

  constructor(levels: readonly Level[] = []) {
    this.#levels = levels;
    this.hasAny = levels.some(({ rules }) => Object.keys(rules).length > 0);
  }

  /** The rules for the entries of one more directory. */
  below(location: string, texts: IgnoreTexts, isRepository: boolean): IgnoreRules {
    const rules: Partial<Record<IgnoreFileName, IgnoreFile>> = {};
    for (const name of ignoreFileNames) {
      const text = texts[name];
      if (text !== undefined) rules[name] = new IgnoreFile(text);
    }
    return new IgnoreRules([{ location, rules, isRepository }, ...this.#levels]);
  }

  /** `undefined` when no rule says anything, so that hidden entries are left out and others are not. */
  decide(location: string, isDirectory: boolean): "ignored" | "wanted" | undefined {
    if (!this.hasAny) return undefined;
    const isInRepository = this.#levels.some(({ isRepository }) => isRepository);
    for (const name of ignoreFileNames) {
      if (name === ".gitignore" && !isInRepository) continue;
      for (const level of this.#levels) {
        const decision = level.rules[name]?.decide(relativeTo(level.location, location), isDirectory);
        if (decision !== undefined) return decision;
        if (name === ".gitignore" && level.isRepository) break;
      }
    }
    return undefined;
  }
}

function relativeTo(directory: string, location: string): string {
  return location.slice(childLocation(directory, "").length);
}
