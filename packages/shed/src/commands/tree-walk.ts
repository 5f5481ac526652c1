import { systemSentence } from "../files/system-error.ts";
import { treeBelow, type TreeEntry } from "../files/tree.ts";
import { Pace } from "../language/pace.ts";
import { quoted } from "../permissions/quote.ts";
import { CommandRefusal } from "./command.ts";
import type { CommandName, PathOperand, PrepareContext } from "./command.ts";
import { read } from "./inputs.ts";

/** An entry of a tree, and its path as the command's operand begins it. */
export interface WalkedEntry extends TreeEntry {
  readonly spelled: string;
}

/**
 * Every entry below a directory, parents before children, within the time that a command has for its looks.
 *
 * @param options.work - What the budget's message names.
 * @throws {@link CommandRefusal} for a directory that the system does not show; the signal's reason.
 */
export async function* walkTree(
  top: Pick<PathOperand, "location" | "spelled">,
  { access, checkBudget, signal }: Pick<PrepareContext, "access" | "checkBudget" | "signal">,
  { name, work }: { readonly name: CommandName; readonly work: string },
): AsyncGenerator<WalkedEntry, void> {
  const skipped = top.location === "/" ? 1 : top.location.length + 1;
  let last = top;
  const pace = new Pace();
  try {
    for (const entry of treeBelow(access, top.location)) {
      if (pace.isDue) {
        await pace.pause(signal);
        checkBudget(work);
      }
      const walked = { ...entry, spelled: joined(top.spelled, entry.location.slice(skipped)) };
      last = walked;
      yield walked;
    }
  } catch (error) {
    const sentence = systemSentence(error);
    if (sentence === undefined) throw error;
    throw new CommandRefusal(`${name}: ${quoted(last.spelled)}: ${sentence}`, [read(last.location)]);
  }
}

/** The path of what is below a directory. */
export function joined(directory: string, below: string): string {
  return `${directory.replace(/(?<=.)\/+$/, "")}${directory === "/" ? "" : "/"}${below}`;
}
