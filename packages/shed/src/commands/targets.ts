import { kindOf } from "../files/entry.ts";
import { quoted } from "../permissions/quote.ts";
import type { RequiredPermission } from "../permissions/operation.ts";
import { refusal, whyNoFile } from "./inputs.ts";
import type { PathOperand } from "./command.ts";

/** Making something at a place. */
export function create(location: string): RequiredPermission {
  return { operation: "create", location };
}

/** Removing what stands at a place. */
export function remove(location: string): RequiredPermission {
  return { operation: "delete", location };
}

/** What writing a file needs: more when there is one already. */
export function writeNeeds({
  location,
  stats,
}: Pick<PathOperand, "location" | "stats">): readonly RequiredPermission[] {
  if (stats === undefined) return [create(location)];
  return [create(location), { operation: "read", location }, remove(location)];
}

/** Refuses what no file can be written to: a directory, a link, a special file, a file with two names. */
export function checkTarget(name: string, operand: PathOperand): void {
  const { stats, hasParent, asksForDirectory } = operand;
  if (stats === undefined) {
    if (!hasParent || asksForDirectory) throw refusal(name, operand, "No such file or directory");
    return;
  }
  const kind = kindOf(stats);
  if (kind === "directory") throw refusal(name, operand, "Is a directory");
  if (kind !== "file" || stats.nlink > 1n) throw refusal(name, operand, whyNoFile(stats));
}

/** A name as GNU programs quote it in what they say. */
export function gnuQuoted(text: string): string {
  if (/^[\x20-\x26\x28-\x7e]*$/.test(text)) return `'${text}'`;
  if (/^[\x20\x21\x23\x25-\x5b\x5d-\x5f\x61-\x7e]*$/.test(text)) return `"${text}"`;
  return /^[^\p{C}']*$/u.test(text) ? `'${text}'` : quoted(text);
}
