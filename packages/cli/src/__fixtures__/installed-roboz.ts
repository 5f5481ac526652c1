import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Ended, runToEnd, succeed } from "../../../../tools/run-to-end.ts";
import { stageWorkspace } from "../../../../tools/staged-workspace.ts";
import { pinnedPnpm, root } from "../../../../tools/workspace.mjs";

/** The program as its users have it: packed, and installed in a project of their own. */
export interface InstalledRoboz extends AsyncDisposable {
  /** The project that has it, and that modules of agents find `@roboz/core` from. */
  readonly project: string;
  /** The program's path. */
  readonly bin: string;
  /** A new, empty folder below the project. */
  readonly emptyFolder: () => Promise<string>;
  /** Runs the program without a terminal. */
  readonly run: (args: readonly string[], options: RunOptions) => Promise<Ended>;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Packs the workspace's packages, and installs the program and what it needs from their tarballs. */
export async function installRoboz(): Promise<InstalledRoboz> {
  const project = await mkdtemp(join(tmpdir(), "roboz-cli-"));
  const tarballs = join(project, "tarballs");
  await using stage = await stageWorkspace();
  await mkdir(tarballs);
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const builds = ["cli", "deployment"].map((name) => `packages/${name}/tsconfig.build.json`);
  await succeed(tsc, ["-b", ...builds], stage.folder);
  const bundle = join(stage.folder, "tools", "bundle.mjs");
  await succeed(process.execPath, [bundle, join("packages", "core")], stage.folder);
  // What the commands generate is written for `@roboz/deployment`, which the program itself does without.
  const filters = ["--filter", "@roboz/cli...", "--filter", "@roboz/deployment..."];
  const pack = pinnedPnpm(["-r", ...filters, "pack", "--pack-destination", tarballs]);
  await succeed(pack.file, pack.args, stage.folder);
  const files = (await readdir(tarballs)).map((file) => join(tarballs, file));
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await succeed("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...files], project);
  const bin = join(project, "node_modules", ".bin", "roboz");
  return {
    project,
    bin,
    emptyFolder: () => mkdtemp(join(project, "case-")),
    run: (args, { cwd, env, input }) => runToEnd(bin, args, { cwd, env, input }),
    [Symbol.asyncDispose]: () => rm(project, { recursive: true, force: true }),
  };
}
