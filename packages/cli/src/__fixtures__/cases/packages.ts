import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { succeed } from "../../../../../tools/run-to-end.ts";
import { root } from "../../../../../tools/workspace.mjs";
import type { InstalledRoboz } from "../installed-roboz.ts";

const toolPath = "local/tools/simpsons_quotes";
const skillPath = "local/skills/simpsons_quotes_skill";

/** Deploys both packages, plays what a model would do, and prints how each run went. */
const program = `
import { MockLLMEndpoint } from "@roboz/core";
import { DeployableAgent, SkillLoading, type CapabilityChoice } from "@roboz/deployment";

import { CAPABILITY as quoteSkill } from "./${skillPath}/index.js";
import { CAPABILITY as quoteTool } from "./${toolPath}/index.js";

async function run(
  selection: Readonly<Record<string, CapabilityChoice>> | null,
  ...actions: readonly string[]
): Promise<void> {
  const endpoint = new MockLLMEndpoint(actions.map((action) => ({ action, rationale: "A quote is wanted." })));
  const definition = new DeployableAgent({
    name: "assistant",
    mode: "autonomous",
    systemPrompt: "Give quotes.",
    agentEndpoint: endpoint,
    capabilities: [quoteTool, quoteSkill],
  });
  definition.setCapabilitySelection(selection);
  try {
    const { output } = await definition.build().root.complete();
    endpoint.assertUsedUp();
    console.log(actions.join(" "), typeof output.value);
  } catch (error) {
    console.log(actions.join(" "), error instanceof Error ? error.name : error);
  }
}

console.log(JSON.stringify([quoteTool.label, quoteSkill.label]));
await run(null, "get_simpsons_quotes");
await run(null, "simpsons_quotes_skill", "get_simpsons_quotes_skill");
await run({ simpsons_quotes_skill: SkillLoading.AUTOMATIC }, "get_simpsons_quotes_skill");
await run({ simpsons_quotes_skill: true }, "get_simpsons_quotes");
await run({ simpsons_quotes: true }, "simpsons_quotes_skill");
await run({});
await run({ simpsons_quotes: true });
`;

const compilerOptions = {
  target: "es2023",
  lib: ["es2023"],
  module: "nodenext",
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  declaration: true,
  types: ["node"],
  typeRoots: [join(root, "node_modules", "@types")],
  outDir: "out",
};

/** Compiles a project with the strictest settings, and runs its program. */
async function compileAndRun(
  cwd: string,
  compilers: readonly string[] = ["tsc", "tsc6"],
): Promise<readonly string[]> {
  await writeFile(join(cwd, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await writeFile(join(cwd, "main.ts"), program);
  await writeFile(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  for (const compiler of compilers) {
    await succeed(join(root, "node_modules", ".bin", compiler), ["-p", "tsconfig.json"], cwd);
  }
  const printed = await succeed(process.execPath, [join("out", "main.js")], cwd);
  return printed.trim().split("\n");
}

/** `tool init` and `skill init`. */
export function packageCases(roboz: () => InstalledRoboz): void {
  const init = (kind: string, cwd: string, ...args: readonly string[]) =>
    roboz().run([kind, "init", ...args], { cwd });

  it("cli 35: creates a tool and a skill that compile, and run in one deployment", async () => {
    const cwd = await roboz().emptyFolder();
    for (const [kind, path] of [
      ["tool", toolPath],
      ["skill", skillPath],
    ] as const) {
      const { code, stdout, stderr } = await init(kind, cwd);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.split("\n")[0]).toBe(`Created the ${kind} package: ${join(cwd, path)}`);
      expect((await readdir(join(cwd, path))).sort()).toEqual(["index.ts", "requirements.txt", "tool.ts"]);
      expect(await readFile(join(cwd, path, "requirements.txt"), "utf8")).toBe("");
    }
    expect((await readdir(cwd)).sort()).toEqual(["local"]);
    const [labels, ...runs] = await compileAndRun(cwd);
    expect(JSON.parse(labels ?? "")).toEqual([
      { kind: "tool", name: "simpsons_quotes", selectable: true, default: false },
      { kind: "skill", name: "simpsons_quotes_skill", selectable: true, loading: "on_demand" },
    ]);
    expect(runs).toEqual([
      "get_simpsons_quotes string",
      "simpsons_quotes_skill get_simpsons_quotes_skill string",
      "get_simpsons_quotes_skill string",
      expect.stringMatching(/^get_simpsons_quotes \w+Error$/),
      expect.stringMatching(/^simpsons_quotes_skill \w+Error$/),
      expect.stringMatching(/^ \w+Error$/),
      expect.stringMatching(/^ \w+Error$/),
    ]);
  });

  it("runs a tool before the model is asked once its default switch is on", async () => {
    const cwd = await roboz().emptyFolder();
    await init("tool", cwd);
    await init("skill", cwd);
    const index = join(cwd, toolPath, "index.ts");
    const text = await readFile(index, "utf8");
    await writeFile(index, text.replace("default: false", "default: true"));
    // Where a script was given it is not used up: the tool ended the run before the model was asked.
    const [, ...runs] = await compileAndRun(cwd, ["tsc"]);
    expect(runs.at(-1)).toBe(" string");
    expect(runs[0]).toMatch(/^get_simpsons_quotes \w+Error$/);
  });

  it("cli 36: refuses a second time, and keeps every byte", async () => {
    const cwd = await roboz().emptyFolder();
    await init("tool", cwd);
    const file = join(cwd, toolPath, "tool.ts");
    await writeFile(file, "// mine\n");
    const { code, stdout, stderr } = await init("tool", cwd);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: `Error: \`${join(cwd, toolPath)}\` exists already; it was left as it is\n`,
    });
    expect(await readFile(file, "utf8")).toBe("// mine\n");
    expect(await readdir(join(cwd, toolPath))).toHaveLength(3);
  });

  it("cli 37: works below a folder with blanks in its name", async () => {
    const cwd = await roboz().emptyFolder();
    const { code } = await init("skill", cwd, "--path", "my own skills/my_guide");
    expect(code).toBe(0);
    const text = await readFile(join(cwd, "my own skills/my_guide/index.ts"), "utf8");
    expect(text).toContain('SkillLabel("my_guide"');
  });

  it.each(["bad-name", "class", "_private", "roboz", "MixedCase"])(
    "cli 38: refuses the name %s, and makes not even the parents",
    async (name) => {
      const cwd = await roboz().emptyFolder();
      const { code, stdout, stderr } = await init("tool", cwd, "--path", `parent/${name}`);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^Error: [^\n]+\n$/);
      expect(await readdir(cwd)).toEqual([]);
    },
  );

  it("cli 39: refuses what is there, and keeps it", async () => {
    const cwd = await roboz().emptyFolder();
    await mkdir(join(cwd, "empty"));
    await writeFile(join(cwd, "file"), "mine");
    await symlink("nowhere", join(cwd, "dangling"));
    for (const path of ["empty", "file", "dangling"]) {
      expect((await init("tool", cwd, "--path", path)).code).toBe(1);
    }
    expect((await readdir(cwd)).sort()).toEqual(["dangling", "empty", "file"]);
  });

  it("cli 40: refuses an imported name in the working directory, and takes it further down", async () => {
    const cwd = await roboz().emptyFolder();
    await writeFile(join(cwd, "package.json"), JSON.stringify({ dependencies: { zod: "*" } }));
    for (const name of ["events", "zod"]) {
      const { code, stderr } = await init("tool", cwd, "--path", name);
      expect(code).toBe(1);
      expect(stderr).toContain(`\`${name}\`; choose another one, or a directory further down`);
      expect((await init("tool", cwd, "--path", `local/tools/${name}`)).code).toBe(0);
    }
  });

  it("cli 41: refuses the name of a module beside it", async () => {
    const cwd = await roboz().emptyFolder();
    await writeFile(join(cwd, "quotes.ts"), "");
    expect((await init("skill", cwd, "--path", "quotes")).code).toBe(1);
    expect(await readdir(cwd)).toEqual(["quotes.ts"]);
  });

  it("cli 42: refuses a directory in the installed package", async () => {
    const cwd = await roboz().emptyFolder();
    const inside = join(roboz().project, "node_modules/@roboz/cli/my_tool");
    const { code, stderr } = await init("tool", cwd, "--path", inside);
    expect(code).toBe(1);
    expect(stderr).toContain("lies inside the installed package");
  });

  it.each([
    { args: ["tool"] },
    { args: ["tool", "init", "extra"] },
    { args: ["skill", "init", "--force"] },
    { args: ["skill", "init", "--path"] },
  ])("takes no other arguments: $args", async ({ args }) => {
    const cwd = await roboz().emptyFolder();
    const { code, stdout, stderr } = await roboz().run(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: roboz");
    expect(await readdir(cwd)).toEqual([]);
  });
}
