import type { BigIntStats } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { isSame, kindOf } from "../files/entry.ts";
import { isWithin, lastName, parentLocation } from "../files/file-name.ts";
import { FileChangedError } from "../files/system-error.ts";
import { quoted } from "../permissions/quote.ts";
import { CommandRefusal } from "./command.ts";
import type { CommandName, CommandToken, PathOperand, PrepareContext } from "./command.ts";
import { walkTree } from "./tree-walk.ts";

/** Something that is to go, and where it was found. */
export interface Doomed {
  readonly location: string;
  readonly stats: BigIntStats;
}

/** The paths of a command that removes names; a link stands for itself. */
export async function removalOperands(
  name: CommandName,
  operands: readonly CommandToken[],
  { paths, access }: Pick<PrepareContext, "paths" | "access">,
): Promise<readonly PathOperand[]> {
  const found: PathOperand[] = [];
  for (const { text, tag } of operands) {
    if (tag !== "PTH") throw new CommandRefusal(`${name}: ${quoted(text)} is no path; give it as PTH`);
    found.push(...(await paths.source(text, { mayEndInLink: true })));
  }
  for (const { location, spelled } of found) {
    if (!isWithin(access.base, location)) continue;
    throw new CommandRefusal(`${name}: ${quoted(spelled)} holds the base itself, which is never removed`, [
      { operation: "delete", location },
    ]);
  }
  return found;
}

/** An operand alone, when there is something. */
export function itself({ location, stats }: PathOperand): readonly Doomed[] {
  return stats === undefined ? [] : [{ location, stats }];
}

/** What goes with an operand, parents before children: the operand and, for a directory, all that is in it. */
export async function doomedBy(
  name: CommandName,
  target: PathOperand,
  context: Pick<PrepareContext, "access" | "checkBudget" | "signal">,
): Promise<readonly Doomed[]> {
  const doomed = [...itself(target)];
  if (target.stats === undefined || kindOf(target.stats) !== "directory") return doomed;
  for await (const entry of walkTree(target, context, { name, work: "Deletion" })) {
    doomed.push({ location: entry.location, stats: entry.stats });
  }
  return doomed;
}

/** Removes one name: the very object that was checked, and never what a link leads to. */
export function removeName(access: FileAccess, { location, stats }: Doomed): void {
  const directory = access.at(parentLocation(location));
  const name = lastName(location);
  const now = directory.inspect(name);
  if (now !== undefined && !isSame(now, stats)) throw new FileChangedError(location);
  if (kindOf(stats) === "directory") {
    access.forget(location);
    directory.removeDirectory(name);
  } else {
    directory.unlink(name);
  }
}
