import type { BigIntStats } from "node:fs";
import { constants, readFileSync, closeSync } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { childLocation, lastName, parentLocation } from "../files/file-name.ts";
import { namesIn } from "../files/listed-tree.ts";
import type { ListedDirectory, ListedName } from "../files/listed-tree.ts";
import { hasDotName } from "../files/packed-entries.ts";
import { systemSentence } from "../files/system-error.ts";
import { Pace } from "../language/pace.ts";
import { quoted } from "../permissions/quote.ts";
import { CommandRefusal } from "./command.ts";
import type { CommandDefinition } from "./command.ts";
import { IgnoreRules, ignoreFileNames } from "./ignore-rules.ts";
import type { IgnoreTexts } from "./ignore-rules.ts";
import { fingerprintOf, read } from "./inputs.ts";
import { searchOptions } from "./search-options.ts";
import { patternOf, planSearch, searchedPlaces, searchNeeds, shownOperands } from "./search-plan.ts";
import type { SearchedTree, SearchOperand } from "./search-plan.ts";
import { runSearch } from "./search-run.ts";
import type { SearchItem } from "./search-texts.ts";
import { DirectoryFiles, FoundFiles } from "./search-tree.ts";
import type { Searched } from "./search-tree.ts";

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
      ...searchNeeds(planned, ignoreFiles),
      shown: [
        ...tokens.slice(0, tokens.length - operands.length).map(({ text }) => text),
        "-e",
        pattern,
        "--",
        ...shownOperands(planned),
      ],
      fingerprint: () => fingerprintOf([...searchedPlaces(planned), ...ignoreFiles]),
      run: async (io) => {
        const sorting: SortingOut = {
          access: context.access,
          showsHidden: options.has("hidden") || options.has("unrestricted"),
          left: [],
          pace: new Pace(),
          signal: io.signal,
        };
        const items: SearchItem[] = [];
        for (const operand of planned) {
          if (operand.kind === "stdin") items.push("stdin");
          else if (operand.kind === "file") items.push(operand.file);
          else items.push(await sortOut(operand, above.get(operand), sorting));
        }
        const search = {
          name: "rg",
          options,
          pattern,
          hasNames: hasNames(options, planned),
          more: ["--no-config", "--no-heading", ...(isMapped(planned) ? [] : ["--no-mmap"])],
          tellsFoundFiles: true,
        } as const;
        return runSearch(search, { items, passedOver: sorting.left }, { access: context.access, io });
      },
    };
  },
};

function hasNames(options: ReadonlyMap<string, unknown>, planned: readonly SearchOperand[]): boolean {
  if (options.has("with-filename")) return true;
  if (options.has("no-filename")) return false;
  return planned.length > 1 || planned[0]?.kind === "tree";
}

/**
 * Whether the program would map files into its memory if it were given the operands, which decides how it tells binary
 * files: it does so for at most ten, and nothing else beside them.
 */
function isMapped(planned: readonly SearchOperand[]): boolean {
  return planned.length <= 10 && planned.every(({ kind }) => kind === "file");
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

interface SortingOut {
  readonly access: FileAccess;
  readonly showsHidden: boolean;
  /** What is not searched, tree by tree. */
  readonly left: FoundFiles[];
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/** The files of a tree that are searched: not hidden, not ignored, and in no directory that is. */
async function sortOut(
  { top, shown }: SearchedTree,
  above: readonly Above[] | undefined,
  sorting: SortingOut,
): Promise<FoundFiles> {
  const { access, left } = sorting;
  let outer = new IgnoreRules();
  for (const { location, ignoreFiles, isRepository } of above ?? [])
    outer = outer.below(location, textsOf(access, ignoreFiles), isRepository);
  const [found, passedOver] = [new FoundFiles(shown), new FoundFiles(shown)];
  left.push(passedOver);
  // A directory that is not entered has no rules, and so nothing below it is searched.
  const stack: { directory: ListedDirectory; rules: IgnoreRules | undefined }[] = [
    { directory: top, rules: outer },
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { directory } = next;
    const rules = above === undefined ? next.rules : rulesIn(access, directory, next.rules);
    const sorted = await sortedIn(directory, rules, sorting);
    if (sorted === "all") found.directories.push(new DirectoryFiles(directory, shown));
    else if (sorted === "none") passedOver.directories.push(new DirectoryFiles(directory, shown));
    else {
      found.directories.push(new DirectoryFiles(directory, shown, sorted.searched));
      passedOver.directories.push(new DirectoryFiles(directory, shown, sorted.left));
    }
    for (const below of directory.below) {
      const isEntered = typeof sorted === "string" || sorted.entered.has(below.location);
      stack.push({ directory: below, rules: isEntered ? rules : undefined });
    }
  }
  return found;
}

/** The rules for the entries of a directory. */
function rulesIn(
  access: FileAccess,
  directory: ListedDirectory,
  outer: IgnoreRules | undefined,
): IgnoreRules | undefined {
  if (outer === undefined || !hasDotName(directory.entries)) return outer;
  const ignoreFiles: ListedName[] = [];
  let isRepository = false;
  for (const entry of namesIn(directory)) {
    if (entry.kind === "file" && ignoreFileNames.some((known) => known === entry.name))
      ignoreFiles.push(entry);
    else if (entry.name === ".git") isRepository = true;
  }
  if (ignoreFiles.length === 0 && !isRepository) return outer;
  return outer.below(directory.location, textsOf(access, ignoreFiles), isRepository);
}

/** How the entries of a directory are sorted out. */
interface Sorted {
  readonly searched: ReadonlySet<string>;
  readonly left: ReadonlySet<string>;
  /** Locations of directories. */
  readonly entered: ReadonlySet<string>;
}

/** What of a directory is searched, with rules for its entries, or without any when it is not entered. */
async function sortedIn(
  directory: ListedDirectory,
  rules: IgnoreRules | undefined,
  { showsHidden, pace, signal }: SortingOut,
): Promise<"all" | "none" | Sorted> {
  if (pace.isDue) await pace.pause(signal);
  if (rules === undefined) return "none";
  if (!rules.hasAny && (showsHidden || !hasDotName(directory.entries))) return "all";
  const [searched, left, entered] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const { location, name, kind } of namesIn(directory)) {
    if (kind !== "directory" && kind !== "file") continue;
    // Those who wrote the rules and named the files decide how long this takes.
    if (pace.isDue) await pace.pause(signal);
    const isDirectory = kind === "directory";
    const decision = rules.decide(location, isDirectory);
    const isWanted = decision === undefined ? showsHidden || !isHidden(name) : decision === "wanted";
    if (!isDirectory) (isWanted ? searched : left).add(name);
    else if (isWanted) entered.add(location);
  }
  return { searched, left, entered };
}

/** To the program, a name that ends with a dot is none, and so not hidden. */
function isHidden(name: string): boolean {
  return name.startsWith(".") && !name.endsWith(".");
}

/** Each line of an ignore file is looked at for each name. */
const largestIgnoreFile = 1024 * 1024;

/** @throws CommandRefusal for a file that is too large. */
function textsOf(access: FileAccess, files: readonly Pick<Searched, "location" | "stats">[]): IgnoreTexts {
  const texts: Record<string, string> = {};
  for (const { location, stats } of files) {
    try {
      const opened = access
        .at(parentLocation(location))
        .openFile(lastName(location), constants.O_RDONLY, stats);
      const { descriptor } = opened;
      try {
        if (opened.stats.size > largestIgnoreFile)
          throw new CommandRefusal(
            `rg: ${quoted(location)}: Too large for an ignore file; give --no-ignore to do without`,
            [read(location)],
          );
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
