import type { BigIntStats } from "node:fs";
import { constants, readFileSync, closeSync } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation, lastName, parentLocation } from "../files/file-name.ts";
import { systemSentence } from "../files/system-error.ts";
import type { CommandDefinition } from "./command.ts";
import { IgnoreRules, ignoreFileNames } from "./ignore-rules.ts";
import type { IgnoreTexts } from "./ignore-rules.ts";
import { fingerprintOf, read } from "./inputs.ts";
import { searchOptions } from "./search-options.ts";
import { patternOf, planSearch, searchedPlaces, searchNeeds, shownOperands } from "./search-plan.ts";
import type { SearchOperand, Searched, TreeFile } from "./search-plan.ts";
import { runSearch } from "./search-run.ts";
import type { SearchItem } from "./search-run.ts";

/** What is known about the directories above a searched tree. */
interface Above {
  readonly location: string;
  readonly ignoreFiles: readonly Searched[];
  readonly isRepository: boolean;
}

/** `rg`: lines that match, by the real ripgrep. */
export const rg: CommandDefinition = {
  name: "rg",
  options: {
    options: [
      ...searchOptions,
      { key: "no-filename", forms: ["-I", "--no-filename"] },
      { key: "hidden", forms: ["--hidden"] },
      { key: "no-ignore", forms: ["--no-ignore"] },
      { key: "unrestricted", forms: ["-uu"] },
    ],
    conflicts: [["with-filename", "no-filename"]],
  },
  async prepare(command, context) {
    const { options, operands, tokens } = command;
    const pattern = patternOf("rg", operands);
    const planned = [
      ...(await planSearch("rg", operands.slice(1), { isRecursive: true, isStrict: false }, context)),
    ];
    if (planned.length === 0) planned.push({ kind: "stdin" });
    const readsIgnores = !options.has("no-ignore") && !options.has("unrestricted");
    const above = new Map(
      planned.flatMap((operand) =>
        operand.kind === "tree" && readsIgnores
          ? [[operand, directoriesAbove(context.access, operand.root.location)] as const]
          : [],
      ),
    );
    const ignoreFiles = [...above.values()].flat().flatMap((directory) => directory.ignoreFiles);
    return {
      needs: [...searchNeeds(planned), ...ignoreFiles.map(({ location }) => read(location))],
      shown: [
        ...tokens.slice(0, tokens.length - operands.length).map(({ text }) => text),
        "-e",
        pattern,
        "--",
        ...shownOperands(planned),
      ],
      fingerprint: () => fingerprintOf([...searchedPlaces(planned), ...ignoreFiles]),
      run: (io) => {
        const showsHidden = options.has("hidden") || options.has("unrestricted");
        const passedOver: TreeFile[] = [];
        const items = planned.flatMap((operand): readonly SearchItem[] => {
          if (operand.kind === "stdin") return [{ kind: "stdin" }];
          if (operand.kind === "file") return [{ kind: "named", file: operand.file }];
          const { found, left } = sortedOut(context.access, operand, above.get(operand), showsHidden);
          for (const file of left) passedOver.push(file);
          return found;
        });
        const search = {
          name: "rg",
          options,
          pattern,
          hasNames: hasNames(options, planned),
          more: ["--no-config", "--no-heading"],
          tellsFoundFiles: true,
        } as const;
        return runSearch(search, { items, passedOver }, { access: context.access, io });
      },
    };
  },
};

function hasNames(options: ReadonlyMap<string, unknown>, planned: readonly SearchOperand[]): boolean {
  if (options.has("with-filename")) return true;
  if (options.has("no-filename")) return false;
  return planned.length > 1 || planned[0]?.kind === "tree";
}

/** The directories from `/` to the parent of a tree, with the ignore files that reach into it. */
function directoriesAbove(access: FileAccess, root: string): readonly Above[] {
  const above: Above[] = [];
  for (let location = root; location !== "/";) {
    location = parentLocation(location);
    const directory = access.at(location);
    const ignoreFiles = ignoreFileNames.flatMap((name) => {
      const stats = directory.inspect(name);
      return stats === undefined || !isReadable(stats)
        ? []
        : [{ location: childLocation(location, name), shown: name, stats }];
    });
    above.unshift({ location, ignoreFiles, isRepository: directory.inspect(".git") !== undefined });
  }
  return above;
}

function isReadable(stats: BigIntStats): boolean {
  return kindOf(stats) === "file" && stats.nlink === 1n;
}

/** The files of a tree that are searched: not hidden, not ignored, and in no directory that is; and those that are left. */
function sortedOut(
  access: FileAccess,
  { root, entries }: Extract<SearchOperand, { kind: "tree" }>,
  above: readonly Above[] | undefined,
  showsHidden: boolean,
): { readonly found: readonly SearchItem[]; readonly left: readonly TreeFile[] } {
  const readsIgnores = above !== undefined;
  const ignoreFiles = new Map<string, Searched[]>();
  const repositories = new Set<string>();
  for (const entry of entries) {
    const { name, directory } = entry;
    if (name === ".git") repositories.add(directory);
    if (!entry.isDirectory && ignoreFileNames.some((known) => known === name)) {
      ignoreFiles.set(directory, [...(ignoreFiles.get(directory) ?? []), entry]);
    }
  }
  let outer = new IgnoreRules();
  for (const { location, ignoreFiles: files, isRepository } of above ?? []) {
    outer = outer.below(location, textsOf(access, files), isRepository);
  }
  const rulesAt = new Map<string, IgnoreRules>();
  const enter = (location: string, rules: IgnoreRules): void => {
    const files = ignoreFiles.get(location) ?? [];
    const isRepository = repositories.has(location);
    const isPlain = !readsIgnores || (files.length === 0 && !isRepository);
    rulesAt.set(location, isPlain ? rules : rules.below(location, textsOf(access, files), isRepository));
  };
  enter(root.location, outer);
  const found: SearchItem[] = [];
  const left: TreeFile[] = [];
  for (const entry of entries) {
    // A directory that was not entered has no rules, and so nothing below it is searched.
    const rules = rulesAt.get(entry.directory);
    const isSearched = rules !== undefined && isWanted(entry, rules, showsHidden);
    if (isSearched && entry.isDirectory) enter(entry.location, rules);
    else if (isSearched) found.push({ kind: "found", file: entry });
    else if (!entry.isDirectory) left.push(entry);
  }
  return { found, left };
}

function isWanted(
  { location, name, isDirectory }: TreeFile,
  rules: IgnoreRules,
  showsHidden: boolean,
): boolean {
  const decision = rules.decide(location, isDirectory);
  return decision === undefined ? showsHidden || !name.startsWith(".") : decision === "wanted";
}

function textsOf(access: FileAccess, files: readonly Searched[]): IgnoreTexts {
  const texts: Record<string, string> = {};
  for (const { location, stats } of files) {
    try {
      const { descriptor } = access
        .at(parentLocation(location))
        .openFile(lastName(location), constants.O_RDONLY, stats);
      try {
        texts[lastName(location)] = readFileSync(descriptor, "utf8");
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      // A file that cannot be read ignores nothing, as for the program.
      if (systemSentence(error) === undefined) throw error;
    }
  }
  return texts;
}
