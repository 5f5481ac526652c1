import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { succeed } from "./run-to-end.ts";
import { stageWorkspace, type StagedWorkspace } from "./staged-workspace.ts";
import { packageFolders, pinnedPnpm, readManifest, root } from "./workspace.mjs";

const modules = join(root, "node_modules");
const published = packageFolders(join(root, "packages"))
  .map((folder) => ({ folder, manifest: readManifest(folder) }))
  .filter(({ manifest }) => !manifest.private);

let stage: StagedWorkspace;

function compile(compiler: "tsc" | "tsc6", project: string): Promise<string> {
  return succeed(join(modules, ".bin", compiler), ["-p", "tsconfig.json"], project);
}

/** The tarballs of a package's workspace dependencies, and of theirs, as npm is told of them. */
function workspaceDependencies(name: string, found = new Map<string, string>()): Map<string, string> {
  const manifest = published.find((each) => each.manifest.name === name)?.manifest;
  for (const dependency of Object.keys(manifest?.dependencies ?? {})) {
    if (found.has(dependency) || !published.some((each) => each.manifest.name === dependency)) continue;
    found.set(dependency, `file:${tarball(dependency)}`);
    workspaceDependencies(dependency, found);
  }
  return found;
}

function tarball(name: string): string {
  const { version } = readManifest(
    published.find((each) => each.manifest.name === name)?.folder ?? stage.folder,
  );
  return join(stage.folder, "tarballs", `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
}

beforeAll(async () => {
  stage = await stageWorkspace();
  await succeed(join(modules, ".bin", "tsc"), ["-b", "tsconfig.build.json"], stage.folder);
  const pack = pinnedPnpm(["-r", "--filter", "./packages/*", "pack", "--pack-destination", "tarballs"]);
  await mkdir(join(stage.folder, "tarballs"));
  await succeed(pack.file, pack.args, stage.folder);
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

it("finds packages to publish", () => {
  expect(published.map(({ manifest }) => manifest.name)).toContain("@roboz/core");
});

describe.each(published)("$manifest.name, packed and installed alone", ({ folder, manifest }) => {
  const { name } = manifest;
  let project: string;
  let installed: string;

  beforeAll(async () => {
    project = join(stage.folder, "projects", basename(folder));
    installed = join(project, "node_modules", name);
    await mkdir(project, { recursive: true });
    const own = {
      private: true,
      type: "module",
      dependencies: { [name]: `file:${tarball(name)}` },
      overrides: Object.fromEntries(workspaceDependencies(name)),
    };
    await writeFile(join(project, "package.json"), JSON.stringify(own));
    await succeed("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], project);
  });

  /** The names under which the package is imported. */
  function entries(): string[] {
    return Object.keys(manifest.exports ?? {})
      .filter((entry) => entry !== "./package.json")
      .map((entry) => name + entry.slice(1));
  }

  async function writeProgram(source: string): Promise<void> {
    await writeFile(join(project, "main.ts"), source);
    const compilerOptions = {
      target: "es2023",
      lib: ["es2023"],
      module: "nodenext",
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      declaration: true,
      types: ["node"],
      typeRoots: [join(modules, "@types")],
      outDir: "out",
    };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  }

  it("exports something from each entry under Node", async () => {
    const program = `
      for (const entry of ${JSON.stringify(entries())}) {
        const names = Object.keys(await import(entry));
        console.log(entry + ": " + (names.length > 0 ? "exports" : "exports nothing"));
      }`;
    const printed = await succeed(process.execPath, ["--input-type=module", "--eval", program], project);
    expect(printed.trim().split("\n")).toEqual(entries().map((entry) => `${entry}: exports`));
  });

  it.each(["tsc", "tsc6"] as const)("type-checks under strict settings with %s", async (compiler) => {
    await writeProgram(
      entries()
        .map((entry, index) => `export * as entry${index} from "${entry}";`)
        .join("\n"),
    );
    await compile(compiler, project);
  });

  const hasReadme = existsSync(join(folder, "README.md"));

  it.runIf(hasReadme)("runs the first example of its README as it stands", async () => {
    const readme = await readFile(join(installed, "README.md"), "utf8");
    const example = /^```ts\n(.*?)^```$/ms.exec(readme)?.[1];
    expect(example, "a README has a complete program as its first `ts` block").toBeDefined();
    await writeProgram(example ?? "");
    await compile("tsc", project);
    await succeed(process.execPath, [join("out", "main.js")], project);
  });

  it("holds its license, README, code and sources, and no tests", async () => {
    const paths = (await readdir(installed, { recursive: true })).map((path) => path.replaceAll("\\", "/"));
    expect(paths).toContain("LICENSE");
    expect(paths.includes("README.md")).toBe(hasReadme);
    for (const folder of ["dist/", "src/"]) {
      expect(paths).toContainEqual(expect.stringMatching(`^${folder}.*\\.ts$`));
    }
    expect(paths.filter((path) => /\.(test|test-d|bench)\.|__fixtures__|\.tsbuildinfo$/.test(path))).toEqual(
      [],
    );
  });

  it("is under the Apache license 2.0, says so, and names published versions only", async () => {
    const license = await readFile(join(installed, "LICENSE"), "utf8");
    expect(license).toMatch(/Apache License\s+Version 2\.0, January 2004/);
    expect(license).toBe(await readFile(join(root, "LICENSE"), "utf8"));
    const packed = await readFile(join(installed, "package.json"), "utf8");
    expect(JSON.parse(packed)).toMatchObject({ license: "Apache-2.0", type: "module" });
    expect(packed).not.toMatch(/workspace:|catalog:|@roboz\/source/);
  });
});
