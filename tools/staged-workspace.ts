import { cp, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "./workspace.mjs";

const leftOut = new Set([".git", ".turbo", "coverage", "dist"]);

/** A copy of the workspace that a test may build, pack and change. */
export interface StagedWorkspace extends AsyncDisposable {
  readonly folder: string;
}

/**
 * Copies the workspace without what was built in it. Third-party modules are shared with the original; the links
 * between workspace packages are relative and so lead to the copies.
 */
export async function stageWorkspace(): Promise<StagedWorkspace> {
  const folder = await mkdtemp(join(tmpdir(), "roboz-stage-"));
  for (const name of await readdir(root)) {
    if (name === "node_modules" || leftOut.has(name)) continue;
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !leftOut.has(basename(source)),
    });
  }
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
