import { spawn } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { expect, it } from "vitest";

import { runToEnd } from "../../../../../tools/run-to-end.ts";
import type { InstalledRoboz } from "../installed-roboz.ts";

/** Notes each module that a process loads, in the file that `LOADED` names. */
const notesModules = `data:text/javascript,${encodeURIComponent(`
  import { register } from "node:module";
  register("data:text/javascript," + encodeURIComponent(\`
    import { appendFileSync } from "node:fs";
    export async function load(url, context, next) {
      appendFileSync(process.env.LOADED, url + "\\\\n");
      return next(url, context);
    }
  \`));
`)}`;

/** The packages that a command loaded. */
async function loadedPackages(roboz: InstalledRoboz, args: readonly string[]): Promise<ReadonlySet<string>> {
  const cwd = await roboz.emptyFolder();
  const list = join(cwd, "loaded.txt");
  const env = { LOADED: list, NODE_OPTIONS: `--import=${notesModules}` };
  await writeFile(list, "");
  const { code, stderr } = await roboz.run(args, { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const names = (await readFile(list, "utf8")).matchAll(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g);
  return new Set([...names].map(([, name = ""]) => name));
}

const heavy = ["@roboz/core", "@roboz/endpoints", "openai", "zod", "tsx"] as const;

/** The program itself: how it is installed, and what it loads. */
export function programCases(roboz: () => InstalledRoboz): void {
  it("has a program that the system can start", async () => {
    const file = join(roboz().project, "node_modules", "@roboz", "cli", "dist", "bin.js");
    expect((await readFile(file, "utf8")).split("\n")[0]).toBe("#!/usr/bin/env node");
    expect((await stat(file)).mode & 0o111).toBe(0o111);
  });

  it.each(["tool", "skill"])("loads none of them to create a %s either", async (kind) => {
    const loaded = await loadedPackages(roboz(), [kind, "init"]);
    expect(loaded).toContain("yargs");
    expect(heavy.filter((name) => loaded.has(name))).toEqual([]);
  });

  it.each([
    { args: ["--help"] },
    { args: ["run", "--help"] },
    { args: ["graph", "--help"] },
    { args: ["example", "--help"] },
    { args: ["inventory", "generate", "--help"] },
    { args: ["env", "encrypt", "--help"] },
    { args: ["completion"] },
    { args: ["--get-yargs-completions", "roboz", "env", "encrypt", "--"] },
  ])(
    "cli 2: loads neither core, endpoints nor a provider's SDK, and touches no file ($args)",
    async ({ args }) => {
      const loaded = await loadedPackages(roboz(), args);
      expect(loaded).toContain("yargs");
      expect(heavy.filter((name) => loaded.has(name))).toEqual([]);
      const cwd = await roboz().emptyFolder();
      await roboz().run(args, { cwd });
      expect(await readdir(cwd)).toEqual([]);
    },
  );

  it("loads a catalogue's code without a provider's SDK", async () => {
    const loaded = await loadedPackages(roboz(), ["inventory", "init"]);
    expect(loaded).toContain("@roboz/endpoints");
    expect(loaded).not.toContain("openai");
  });

  it.each([
    { why: "cli 1: no arguments", args: [] },
    { why: "cli 3: an unknown group", args: ["nope"] },
    { why: "CL-01: an unknown option", args: ["env", "check", "--nope"] },
  ])("ends with status 2 and usage ($why)", async ({ args }) => {
    const { code, stdout, stderr } = await roboz().run(args, { cwd: await roboz().emptyFolder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Usage: roboz .*\nError: .*\n$/);
  });

  it.each([
    { words: ["roboz", "inv"], offered: ["inventory"] },
    { words: ["roboz", "env", "en"], offered: ["encrypt"] },
    { words: ["roboz", "graph", "x.ts", "--format", "s"], offered: ["svg"] },
  ])("completes $words in bash", async ({ words, offered }) => {
    const { bin, emptyFolder } = roboz();
    const script = `
      source <(roboz completion)
      COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; COMP_LINE='${words.join(" ")}'
      _roboz_yargs_completions
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const path = `${dirname(bin)}:${process.env["PATH"] ?? ""}`;
    const options = { cwd: await emptyFolder(), env: { PATH: path, SHELL: "/bin/bash" } };
    const { stdout, stderr } = await runToEnd("bash", ["--noprofile", "--norc", "-c", script], options);
    expect({ offered: stdout.trim().split("\n"), stderr }).toEqual({ offered, stderr: "" });
  });

  it("CL-04: ends quietly when nobody reads its output", async () => {
    const { bin, emptyFolder } = roboz();
    const child = spawn(bin, ["completion"], { cwd: await emptyFolder(), stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(errors).toBe("");
    expect([0, 1]).toContain(code);
  });
}
