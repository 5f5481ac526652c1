import { ExecutableDependency } from "@roboz/core";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { lockLimit, newMarker, processFacts } from "./process-marker.ts";

/**
 * Which processes of a script are sure to be gone when its result is there. `descendants`: all that it started, also those in
 * sessions of their own, unless they have other rights than it. `process-group`: those that stayed in its process group; others
 * may survive. `process`: the script itself.
 */
export type Containment = "descendants" | "process-group" | "process";

/** Prints the number that a process gets from its parent. */
const printInherited = `ulimit -x "$1" && "$0" --noprofile --norc -c 'ulimit -H -x'`;

/** What this machine can promise, found out by a try. */
export async function scriptContainment(): Promise<Containment> {
  if (process.platform === "win32") return "process";
  const bash = await new ExecutableDependency("bash").resolve();
  if (process.platform !== "linux" || bash === null) return "process-group";
  const { limit } = newMarker(lockLimit("self"));
  if (limit === undefined || processFacts(process.pid) === undefined) return "process-group";
  const words = ["--noprofile", "--norc", "-c", printInherited, bash, String(limit)];
  const printed = await promisify(execFile)(bash, words, { env: {} }).catch(() => undefined);
  return printed?.stdout.trim() === String(limit) ? "descendants" : "process-group";
}
