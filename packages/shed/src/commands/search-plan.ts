import type { BigIntStats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { kindOf } from "../files/entry.ts";
import { TreeListings } from "../files/tree-listings.ts";
import { treeBelow } from "../files/tree.ts";
import type { TreeName } from "../files/tree.ts";
import { quoted } from "../permissions/quote.ts";
import type { RequiredPermission } from "../permissions/operation.ts";
import { CommandRefusal } from "./command.ts";
import type { CommandToken, PathOperand, PrepareContext } from "./command.ts";
import { checkFile, read, whyNoKind } from "./inputs.ts";

/** A file that may be searched. */
export interface Searched {
  readonly location: string;
  readonly shown: string;
  /** Undefined where only the name is known: what stands there is looked at when the search opens it. */
  readonly stats: BigIntStats | undefined;
}

/** One operand of a search. */
export type SearchOperand =
  | { readonly kind: "stdin" }
  | { readonly kind: "file"; readonly file: Searched }
  | { readonly kind: "tree"; readonly root: PathOperand; readonly entries: readonly TreeFile[] };

/** An entry of a searched tree, which is to be read; links and special files are not among them. */
export class TreeFile implements Searched, RequiredPermission {
  readonly operation = "read";
  readonly location: string;
  readonly directory: string;
  readonly name: string;
  readonly isDirectory: boolean;
  readonly stats: BigIntStats | undefined;
  readonly #tree: ShownTree;

  constructor(
    { location, directory, name, kind }: TreeName,
    stats: BigIntStats | undefined,
    tree: ShownTree,
  ) {
    this.location = location;
    this.directory = directory;
    this.name = name;
    this.isDirectory = kind === "directory";
    this.stats = stats;
    this.#tree = tree;
  }

  get shown(): string {
    return this.#tree.prefix + this.location.slice(this.#tree.skipped);
  }
}

/** How the locations of a tree become what is shown. */
interface ShownTree {
  readonly prefix: string;
  /** How many characters of each location the prefix takes the place of. */
  readonly skipped: number;
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
  const tree = {
    prefix: prefix ?? `${root.spelled.replace(/(?<=.)\/+$/, "")}/`.replace(/^\/\/$/, "/"),
    skipped: root.location === "/" ? 1 : root.location.length + 1,
  };
  const entries: TreeFile[] = [];
  let walked = 0;
  const checkOn = () => {
    signal.throwIfAborted();
    checkBudget("Search");
  };
  // What a person is asked about must be compared afterwards. Otherwise the search looks at each file as it opens it.
  const below: Iterable<TreeName & { readonly stats?: BigIntStats }> = mayAsk
    ? treeBelow(access, root.location)
    : (await TreeListings.of(access, root.location, checkOn)).names();
  for (const found of below) {
    if ((walked & 63) === 0) checkOn();
    walked += 1;
    if (walked % entriesInARow === 0) await setImmediate();
    const { stats } = found;
    const entry = new TreeFile(found, stats, tree);
    const isOdd = found.kind === "link" || found.kind === "special";
    if (isOdd && !isStrict) continue;
    if (isOdd) throw searchRefusal(name, entry, whyNoKind(found.kind));
    if (stats !== undefined && !entry.isDirectory && stats.nlink > 1n) throw hasMoreNames(name, entry);
    entries.push(entry);
  }
  return { kind: "tree", root, entries };
}

/** A tree is not searched at all when one of its files has a second name. */
export function hasMoreNames(name: "grep" | "rg", file: Searched): CommandRefusal {
  return searchRefusal(name, file, whyNoKind("file"));
}

function searchRefusal(name: "grep" | "rg", { shown, location }: Searched, why: string): CommandRefusal {
  return new CommandRefusal(`${name}: ${quoted(shown)}: ${why}`, [read(location)]);
}

/** What a search needs: reading every file and every directory. */
export function searchNeeds(planned: readonly SearchOperand[]): readonly RequiredPermission[] {
  const needs: RequiredPermission[] = [];
  for (const operand of planned) {
    if (operand.kind === "file") needs.push(read(operand.file.location));
    if (operand.kind !== "tree") continue;
    needs.push(read(operand.root.location));
    for (const entry of operand.entries) needs.push(entry);
  }
  return needs;
}

/** What was looked at. */
export function searchedPlaces(
  planned: readonly SearchOperand[],
): readonly Pick<PathOperand, "location" | "stats">[] {
  return planned.flatMap((operand): readonly Pick<PathOperand, "location" | "stats">[] => {
    if (operand.kind === "stdin") return [];
    return operand.kind === "file" ? [operand.file] : [operand.root, ...operand.entries];
  });
}

/** The operands as the report shows them. */
export function shownOperands(planned: readonly SearchOperand[]): readonly string[] {
  return planned.map((operand) => {
    if (operand.kind === "stdin") return "-";
    return operand.kind === "file" ? operand.file.shown : operand.root.spelled;
  });
}
