import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { runToEnd, type Ended, type RunOptions } from "./run-to-end.ts";

const tools = import.meta.dirname;
const modules = join(dirname(tools), "node_modules");

/** Stands in for npx: notes what it was asked, is as talkative as an install, and fails on request. */
const npx = `#!/bin/sh
echo "$@" >> "$(dirname "$0")/npx.log"
echo "Packages: +1"
echo "$NPX_COMPLAINT" >&2
exit "\${NPX_EXIT:-0}"
`;

const echoApp = `
import { stdin, argv, env } from "node:process";
import { text } from "node:stream/consumers";
const kind: string = new URL(import.meta.url).pathname.split("/").at(-3) ?? "";
console.log(JSON.stringify({ kind, args: argv.slice(2), input: await text(stdin) }));
process.exitCode = Number(env["APP_EXIT"] ?? 0);
`;

/** A throwaway workspace with this one's start and test commands, two apps, and no network. */
export interface FixtureWorkspace extends AsyncDisposable {
  run(
    command: "start.mjs" | "test.mjs",
    args: readonly string[],
    options?: Omit<RunOptions, "cwd">,
  ): Promise<Ended>;
  write(path: string, content: string): Promise<void>;
  /** Makes a module of the real workspace available. */
  link(module: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** What npx has been asked so far, a line for each time. */
  installs(): Promise<readonly string[]>;
}

export async function createFixtureWorkspace(): Promise<FixtureWorkspace> {
  const folder = await mkdtemp(join(tmpdir(), "roboz-workspace-"));
  const write = async (path: string, content: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content, { mode: path.startsWith("bin/") ? 0o755 : 0o644 });
  };
  for (const name of ["start", "test", "install", "workspace", "run-program"]) {
    await cp(join(tools, `${name}.mjs`), join(folder, "tools", `${name}.mjs`));
  }
  await write("bin/npx", npx);
  await write(
    "package.json",
    JSON.stringify({ type: "module", packageManager: "pnpm@1.2.3", engines: { node: ">=20.19" } }),
  );
  await write("pnpm-workspace.yaml", "packages:\n  - packages/*\n  - apps/*\n");
  await write("pnpm-lock.yaml", "lockfileVersion: 1\n");
  for (const [name, description] of [
    ["lunch", "Books a table."],
    ["count", "Counts."],
  ]) {
    await write(`apps/${name}/package.json`, JSON.stringify({ name, type: "module", description }));
    await write(`apps/${name}/src/main.ts`, echoApp);
  }
  return {
    write,
    async link(module) {
      await mkdir(join(folder, "node_modules"), { recursive: true });
      await symlink(join(modules, module), join(folder, "node_modules", module));
    },
    remove: (path) => rm(join(folder, path), { recursive: true }),
    async installs() {
      const log = await readFile(join(folder, "bin", "npx.log"), "utf8").catch(() => "");
      return log.split("\n").filter(Boolean);
    },
    run(command, args, options = {}) {
      const PATH = [join(folder, "bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
      const script = join(folder, "tools", command);
      return runToEnd(process.execPath, [script, ...args], {
        ...options,
        cwd: folder,
        env: { ...options.env, PATH },
      });
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
