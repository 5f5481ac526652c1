import { printableLine } from "@roboz/core";
import type { HealthRecord } from "@roboz/shed";

import { errorLine } from "../error-line.ts";
import { textTable } from "../text-table.ts";

const longestReason = 300;

/** Records as lines for people, a heading first. */
export function healthTable(records: readonly HealthRecord[]): string {
  if (records.length === 0) return "Nothing is needed from outside.\n";
  const rows = records.map(({ dependencyId, status, latencyMs, reasonCode, message }) => [
    printableLine(dependencyId),
    status,
    latencyMs === null ? "" : latencyMs.toFixed(1),
    reasonCode === null ? "" : cut(errorLine(`${reasonCode}: ${message ?? ""}`)),
  ]);
  return textTable([["DEPENDENCY", "STATUS", "MS", "REASON"], ...rows], { numbers: [2] });
}

function cut(line: string): string {
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line;
}
