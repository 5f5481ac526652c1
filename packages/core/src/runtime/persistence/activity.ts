import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readdir, realpath, rm } from "node:fs/promises";
import { join, sep } from "node:path";

import { checkRunId } from "../journal/run-id.ts";
import { checkDataFolder } from "./document-folder.ts";

const extension = ".run";

function folderOf(root: string): string {
  return join(root, ".lifecycle", "active");
}

/**
 * Says that a run is under way: an empty file below the root, there until the run has ended.
 *
 * @returns What takes it away.
 * @throws {@link RunIdError} (`core/run-id`) for an id that is no safe path component; nothing is made then.
 */
export function markActive(root: string, runId: string): () => void {
  const path = join(folderOf(checkDataFolder(root)), `${checkRunId(runId)}${extension}`);
  mkdirSync(folderOf(root), { recursive: true, mode: 0o700 });
  writeFileSync(path, "", { mode: 0o600 });
  return () => {
    rmSync(path, { force: true });
  };
}

/** The runs that are under way below a root, or were when their process died. */
export async function activeRuns(root: string): Promise<readonly string[]> {
  return (await namesIn(folderOf(root)))
    .filter((name) => name.endsWith(extension))
    .map((name) => name.slice(0, -extension.length))
    .sort();
}

/**
 * The agents with a run under way, where each has a root of its own below a common one, called as it is.
 *
 * @param names - The agents to look at; all by default. One whose folder is not below the common root is passed over.
 */
export async function activeAgents(
  commonRoot: string,
  names?: readonly string[],
): Promise<readonly string[]> {
  const active: string[] = [];
  for (const name of names ?? (await agentNames(commonRoot))) {
    const root = await rootWithin(commonRoot, name);
    if (root !== undefined && (await activeRuns(root)).length > 0) active.push(name);
  }
  return active;
}

/**
 * Takes away every marker below a root, and below those of the agents in it: for a host that starts, when no run can be
 * under way. Documents are neither read nor changed.
 *
 * @returns The runs that were marked: those that a crash cut off.
 */
export async function clearActiveRuns(root: string): Promise<readonly string[]> {
  const cleared: string[] = [];
  const roots = [root];
  for (const name of await agentNames(root)) {
    const inner = await rootWithin(root, name);
    if (inner !== undefined) roots.push(inner);
  }
  for (const each of roots) {
    for (const runId of await activeRuns(each)) {
      await rm(join(folderOf(each), `${runId}${extension}`), { force: true });
      cleared.push(runId);
    }
  }
  return cleared;
}

async function agentNames(root: string): Promise<readonly string[]> {
  return (await namesIn(root)).filter((name) => !name.startsWith(".")).sort();
}

/** An agent's root; undefined when its name, or a link, leads out of the common one. */
async function rootWithin(commonRoot: string, name: string): Promise<string | undefined> {
  if (name === "" || name === "." || name === ".." || /[/\\\0]/.test(name)) return undefined;
  try {
    const common = await realpath(commonRoot);
    const root = await realpath(join(common, name));
    return root.startsWith(common.endsWith(sep) ? common : `${common}${sep}`) ? root : undefined;
  } catch {
    return undefined;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
