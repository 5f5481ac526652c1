import { setImmediate } from "node:timers/promises";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import type { EntryKind } from "../files/entry.ts";
import { directoriesOf, listTree, namesBelow, TreeOfEntries } from "../files/listed-tree.ts";
import type { ListedDirectory, ListedName } from "../files/listed-tree.ts";
import { hasKind } from "../files/packed-entries.ts";
import { systemSentence } from "../files/system-error.ts";
import { treeBelow } from "../files/tree.ts";
import type { TreeEntry } from "../files/tree.ts";
import { quoted } from "../permissions/quote.ts";
import type { Need, Needs } from "../permissions/guard.ts";
import { CommandRefusal } from "./command.ts";
import type { CommandToken, PathOperand, PrepareContext } from "./command.ts";
import { checkFile, read, whyNoKind } from "./inputs.ts";
import { TreeFile } from "./search-tree.ts";
import type { Searched, ShownTree } from "./search-tree.ts";

/** One operand of a search. */
export type SearchOperand =
  { readonly kind: "stdin" } | { readonly kind: "file"; readonly file: Searched } | SearchedTree;

/** A directory that is searched, with all below it. Links and special files in it are left out. */
export interface SearchedTree {
  readonly kind: "tree";
  readonly root: PathOperand;
  readonly top: ListedDirectory;
  readonly shown: ShownTree;
}

interface PlanOptions {
  /** Whether directories are searched. */
  readonly isRecursive: boolean;
  /** Whether links and special files in a tree refuse it, instead of being left out. */
  readonly isStrict: boolean;
  /** What stands before the names of a tree; the operand as it is spelled by default. */
  readonly prefix?: string;
}

/** The pattern, which is the first operand. */
export function patternOf(name: "grep" | "rg", operands: readonly CommandToken[]): string {
  const [pattern] = operands;
  if (pattern?.tag !== "ARG") throw new CommandRefusal(`${name}: the pattern must come first, as ARG`);
  return pattern.text;
}

/** Looks at everything a search could read, before anything is read. */
export async function planSearch(
  name: "grep" | "rg",
  operands: readonly CommandToken[],
  options: PlanOptions,
  context: PrepareContext,
): Promise<readonly SearchOperand[]> {
  const planned: SearchOperand[] = [];
  for (const { text, tag } of operands) {
    if (tag === "PTH") {
      for (const operand of await context.paths.source(text))
        planned.push(await planOperand(name, operand, options, context));
    } else if (text === "-") {
      planned.push({ kind: "stdin" });
    } else {
      throw new CommandRefusal(
        `${name}: ${quoted(text)} is no path; give files as PTH, and the step before as "-"`,
      );
    }
  }
  return planned;
}

export async function planOperand(
  name: "grep" | "rg",
  operand: PathOperand,
  options: PlanOptions,
  context: PrepareContext,
): Promise<SearchOperand> {
  const isDirectory = operand.stats !== undefined && kindOf(operand.stats) === "directory";
  if (isDirectory && options.isRecursive) return planTree(name, operand, options, context);
  const { location, spelled, stats } = checkFile(name, operand);
  return { kind: "file", file: { location, shown: spelled, stats } };
}

/** Others get their turn after so many entries. */
const entriesInARow = 1024;

async function planTree(
  name: "grep" | "rg",
  root: PathOperand,
  { isStrict, prefix }: PlanOptions,
  { access, mayAsk, signal, checkBudget }: PrepareContext,
): Promise<SearchOperand> {
  const shown = {
    prefix: prefix ?? `${root.spelled.replace(/(?<=.)\/+$/, "")}/`.replace(/^\/\/$/, "/"),
    skipped: root.location === "/" ? 1 : root.location.length + 1,
  };
  const checkOn = () => {
    signal.throwIfAborted();
    checkBudget("Search");
  };
  const seen: { last?: ListedName } = {};
  const check = (entry: ListedName) => {
    seen.last = entry;
    const { kind, stats } = entry;
    const isOdd = kind === "link" || kind === "special";
    if (isOdd && isStrict) throw searchRefusal(name, new TreeFile(entry, shown), whyNoKind(kind));
    if (kind === "file" && stats !== undefined && stats.nlink > 1n)
      throw hasMoreNames(name, new TreeFile(entry, shown));
  };
  try {
    // What a person is asked about must be compared afterwards. Otherwise the search looks at each file as it opens it.
    const top = mayAsk
      ? await lookThrough(access, root.location, checkOn, check)
      : await listTree(access, root.location, checkOn);
    if (!mayAsk && isToBeChecked(top, isStrict)) for (const entry of namesBelow(top)) check(entry);
    return { kind: "tree", root, top, shown };
  } catch (error) {
    const sentence = systemSentence(error);
    // A directory is listed right after it was met.
    if (sentence === undefined || seen.last?.kind !== "directory") throw error;
    throw searchRefusal(name, new TreeFile(seen.last, shown), sentence);
  }
}

/** Looks at each entry of a tree. */
async function lookThrough(
  access: FileAccess,
  top: string,
  checkOn: () => void,
  check: (entry: TreeEntry) => void,
): Promise<ListedDirectory> {
  const tree = new TreeOfEntries(top);
  let walked = 0;
  for (const entry of treeBelow(access, top)) {
    if ((walked & 63) === 0) checkOn();
    walked += 1;
    if (walked % entriesInARow === 0) await setImmediate();
    check(entry);
    tree.add(entry);
  }
  return tree.top;
}

/** Whether something of a listed tree may be a reason not to search it. */
function isToBeChecked(top: ListedDirectory, isStrict: boolean): boolean {
  for (const { failure, entries } of directoriesOf(top)) {
    if (failure !== undefined) return true;
    if (isStrict && (hasKind(entries, "link") || hasKind(entries, "special"))) return true;
  }
  return false;
}

/** A tree is not searched at all when one of its files has a second name. */
export function hasMoreNames(name: "grep" | "rg", file: Searched): CommandRefusal {
  return searchRefusal(name, file, whyNoKind("file"));
}

function searchRefusal(name: "grep" | "rg", { shown, location }: Searched, why: string): CommandRefusal {
  return new CommandRefusal(`${name}: ${quoted(shown)}: ${why}`, [read(location)]);
}

/**
 * What a search needs: reading every file and every directory.
 *
 * @param more - Files above the trees that are read, too.
 */
export function searchNeeds(planned: readonly SearchOperand[], more: readonly Searched[] = []): Needs {
  return {
    needs: { [Symbol.iterator]: () => needsOf(planned, more) },
    // A tree is walked once.
    areDistinct: planned.length === 1,
  };
}

function* needsOf(planned: readonly SearchOperand[], more: readonly Searched[]): Generator<Need, void> {
  for (const operand of planned) {
    if (operand.kind === "file") yield read(operand.file.location);
    if (operand.kind !== "tree") continue;
    const { location: below } = operand.root;
    yield read(below);
    for (const { kind, location } of namesBelow(operand.top))
      if (isRead(kind)) yield { operation: "read", location, below };
  }
  for (const { location } of more) yield read(location);
}

function isRead(kind: EntryKind): boolean {
  return kind === "file" || kind === "directory";
}

/** What was looked at. */
export function* searchedPlaces(
  planned: readonly SearchOperand[],
): Generator<Pick<PathOperand, "location" | "stats">, void> {
  for (const operand of planned) {
    if (operand.kind === "file") yield operand.file;
    if (operand.kind !== "tree") continue;
    yield operand.root;
    for (const entry of namesBelow(operand.top)) if (isRead(entry.kind)) yield entry;
  }
}

/** The operands as the report shows them. */
export function shownOperands(planned: readonly SearchOperand[]): readonly string[] {
  return planned.map((operand) => {
    if (operand.kind === "stdin") return "-";
    return operand.kind === "file" ? operand.file.shown : operand.root.spelled;
  });
}
