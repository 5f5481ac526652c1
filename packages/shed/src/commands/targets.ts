import { kindOf } from "../files/entry.ts";
import { bytesFromName } from "../files/file-name.ts";
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

/** Whether a path ends in a `.` behind its name, which only a directory that is there already has. */
export function endsInDot(spelled: string): boolean {
  return /[^/.]\/+\.\/*$/.test(spelled);
}

/** A name as GNU programs quote it in what they say; what cannot be seen stands as its bytes, so that a name is one line. */
export function gnuQuoted(text: string): string {
  if (text.includes("'") && doubleQuotable.test(text)) return `"${text}"`;
  const pieces = text.split(hiddenRun).map((piece, index) => {
    if (index % 2 === 1) return `$'${[...bytesFromName(piece)].map(escapedByte).join("")}'`;
    if (piece === "" && index > 0) return "";
    const quotedPiece = `'${piece.replaceAll("'", "'\\''")}'`;
    // Nothing is opened only to be closed again.
    return index > 0 && piece.startsWith("'") ? quotedPiece.slice(2) : quotedPiece;
  });
  return pieces.join("");
}

/** The programs use double quotes for a name that holds single ones and nothing a shell would look at. */
const doubleQuotable = /^[#~]?(?:[ %'+,\-./\d:@A-Z\]_a-z]|[^\0-\x7f\p{C}\p{Zl}\p{Zp}])*$/u;
const hiddenRun = /([\p{C}\p{Zl}\p{Zp}]+)/u;
const namedEscapes: Readonly<Record<number, string>> = {
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

function escapedByte(byte: number): string {
  return namedEscapes[byte] ?? `\\${byte.toString(8).padStart(3, "0")}`;
}
