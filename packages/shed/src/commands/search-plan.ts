import type { BigIntStats } from "node:fs";
import { kindOf } from "../files/entry.ts";
import { treeBelow } from "../files/tree.ts";
import { quoted } from "../permissions/quote.ts";
import type { RequiredPermission } from "../permissions/operation.ts";
import { CommandRefusal } from "./command.ts";
import type { CommandToken, PathOperand, PrepareContext } from "./command.ts";
import { checkFile, read, whyNoFile } from "./inputs.ts";

/** A file that may be searched. */
export interface Searched {
  readonly location: string;
  readonly shown: string;
  readonly stats: BigIntStats;
}

/** One operand of a search. */
export type SearchOperand =
  | { readonly kind: "stdin" }
  | { readonly kind: "file"; readonly file: Searched }
  | {
      readonly kind: "tree";
      readonly root: PathOperand;
      readonly prefix: string;
      readonly entries: readonly TreeFile[];
    };

/** An entry of a searched tree; links and special files are not among them. */
export interface TreeFile extends Searched {
  readonly isDirectory: boolean;
}

interface PlanOptions {
  /** Whether directories are searched. */
  readonly isRecursive: boolean;
  /** Whether links and special files in a tree refuse it, instead of being left out. */
  readonly isStrict: boolean;
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
        planned.push(planOperand(name, operand, options, context));
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

export function planOperand(
  name: "grep" | "rg",
  operand: PathOperand,
  options: PlanOptions,
  context: PrepareContext,
): SearchOperand {
  const isDirectory = operand.stats !== undefined && kindOf(operand.stats) === "directory";
  if (isDirectory && options.isRecursive) return planTree(name, operand, options, context);
  const { location, spelled, stats } = checkFile(name, operand);
  return { kind: "file", file: { location, shown: spelled, stats } };
}

function planTree(
  name: "grep" | "rg",
  root: PathOperand,
  { isStrict }: PlanOptions,
  context: PrepareContext,
): SearchOperand {
  const prefix = `${root.spelled.replace(/(?<=.)\/+$/, "")}/`.replace(/^\/\/$/, "/");
  const skipped = root.location === "/" ? 1 : root.location.length + 1;
  const entries: TreeFile[] = [];
  for (const { location, kind, stats } of treeBelow(context.access, root.location)) {
    if ((entries.length & 63) === 0) {
      context.signal.throwIfAborted();
      context.checkBudget("Search");
    }
    const shown = prefix + location.slice(skipped);
    const isOdd = kind === "link" || kind === "special";
    if (isOdd && !isStrict) continue;
    if (isOdd || (kind === "file" && stats.nlink > 1n)) {
      throw new CommandRefusal(`${name}: ${quoted(shown)}: ${whyNoFile(stats)}`, [read(location)]);
    }
    entries.push({ location, shown, stats, isDirectory: kind === "directory" });
  }
  return { kind: "tree", root, prefix, entries };
}

/** What a search needs: reading every file and every directory. */
export function searchNeeds(planned: readonly SearchOperand[]): readonly RequiredPermission[] {
  return planned.flatMap((operand) => {
    if (operand.kind === "stdin") return [];
    if (operand.kind === "file") return [read(operand.file.location)];
    return [read(operand.root.location), ...operand.entries.map(({ location }) => read(location))];
  });
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
