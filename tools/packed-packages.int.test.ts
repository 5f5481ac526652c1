import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { succeed } from "./run-to-end.ts";
import { stageWorkspace, type StagedWorkspace } from "./staged-workspace.ts";
import { packageFolders, pinnedPnpm, readManifest, root, type Manifest } from "./workspace.mjs";

const modules = join(root, "node_modules");
const published = packageFolders(join(root, "packages"))
  .map((folder) => ({ folder, manifest: readManifest(folder) }))
  .filter(({ manifest }) => !manifest.private);

const byName = new Map(published.map(({ manifest }) => [manifest.name, manifest]));

let stage: StagedWorkspace;
/** Holds the projects: outside the stage, so that nothing of the workspace is found from there. */
let yard: string;

/** The settings of a strict user of the packages, for one or more programs. */
function strictProject(programs: readonly string[]): string {
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
  return JSON.stringify({ compilerOptions, files: programs });
}

async function compile(compiler: "tsc" | "tsc6", folder: string, programs: readonly string[]): Promise<void> {
  await writeFile(join(folder, "tsconfig.json"), strictProject(programs));
  await succeed(join(modules, ".bin", compiler), ["-p", "tsconfig.json"], folder);
}

function tarball({ name, version }: Manifest): string {
  return join(stage.folder, "tarballs", `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
}

/** The tarballs of a package's workspace dependencies, and of theirs, by name. */
function dependencyTarballs(of: Manifest, found: Record<string, string> = {}): Record<string, string> {
  for (const name of Object.keys(of.dependencies ?? {})) {
    const manifest = byName.get(name);
    if (!manifest || name in found) continue;
    found[name] = `file:${tarball(manifest)}`;
    dependencyTarballs(manifest, found);
  }
  return found;
}

/** The project of a user of one package. */
function projectOf(folder: string): string {
  return join(yard, basename(folder));
}

async function installAlone({ folder, manifest }: (typeof published)[number]): Promise<void> {
  const project = projectOf(folder);
  await mkdir(project, { recursive: true });
  const own = {
    private: true,
    type: "module",
    // Entries that need an optional peer are imported too.
    dependencies: { ...manifest.peerDependencies, [manifest.name]: `file:${tarball(manifest)}` },
    overrides: dependencyTarballs(manifest),
  };
  await writeFile(join(project, "package.json"), JSON.stringify(own));
  await succeed("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], project);
}

beforeAll(async () => {
  stage = await stageWorkspace();
  yard = await mkdtemp(join(tmpdir(), "roboz-projects-"));
  await succeed("npm", ["run", "--silent", "build"], stage.folder);
  const pack = pinnedPnpm(["-r", "--filter", "./packages/*", "pack", "--pack-destination", "tarballs"]);
  await mkdir(join(stage.folder, "tarballs"));
  await succeed(pack.file, pack.args, stage.folder);
});

beforeAll(async () => {
  await Promise.all(published.map(installAlone));
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await rm(yard, { recursive: true, force: true });
});

it("finds packages to publish", () => {
  expect([...byName.keys()]).toContain("@roboz/core");
});

describe.each(published)("$manifest.name, packed and installed alone", ({ folder, manifest }) => {
  const { name } = manifest;
  let project: string;
  let installed: string;

  beforeAll(() => {
    project = projectOf(folder);
    installed = join(project, "node_modules", name);
  });

  /** The names under which the package is imported. */
  function entries(): string[] {
    return Object.keys(manifest.exports ?? {})
      .filter((entry) => entry !== "./package.json")
      .map((entry) => name + entry.slice(1));
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

  it("type-checks under strict settings", async () => {
    const lines = entries().map((entry, index) => `export * as entry${index} from "${entry}";\n`);
    await writeFile(join(project, "entries.ts"), lines.join(""));
    await compile("tsc", project, ["entries.ts"]);
  });

  it("runs the first example of its README as it stands", async () => {
    const readme = await readFile(join(installed, "README.md"), "utf8");
    const example = /^```ts\n(.*?)^```$/ms.exec(readme)?.[1];
    expect(example, "a README has a complete program as its first `ts` block").toBeDefined();
    await writeFile(join(project, "example.ts"), example ?? "");
    await compile("tsc", project, ["example.ts"]);
    await succeed(process.execPath, [join("out", "example.js")], project);
  });

  it.runIf(name === "@roboz/shed")(
    "reads a PDF file in a process that it starts from what is installed",
    async () => {
      const sample = join(root, "packages/shed/fixtures-pdf/files/ghostscript-table.pdf");
      await copyFile(sample, join(project, "table.pdf"));
      const program = `
      import { Agent, MockLLMEndpoint, stop } from "@roboz/core";
      import { PermissionPolicy, pdfSkill } from "@roboz/shed";
      const endpoint = new MockLLMEndpoint([
        { action: "process_pdf", rationale: "Read it.", path: "table.pdf" },
        { action: "stop", rationale: "Done.", value: "done" },
      ]);
      const policy = PermissionPolicy.local(process.cwd());
      const agent = new Agent({ name: "reader", systemPrompt: "Read.", endpoint, tools: [stop], autoLoadedSkills: [pdfSkill({ policy })] });
      const { messages } = await agent.complete();
      console.log(messages.map(({ content }) => content).join("\\n"));`;
      const printed = await succeed(process.execPath, ["--input-type=module", "--eval", program], project);
      expect(printed).toContain("--- page 1 of 1 ---\\nInvoice 2024-0117\\n");
    },
  );

  it("CL-06: holds its license, README, code and sources, and no tests", async () => {
    const paths = (await readdir(installed, { recursive: true })).map((path) => path.replaceAll("\\", "/"));
    expect(paths).toEqual(expect.arrayContaining(["LICENSE", "README.md"]));
    for (const folder of ["dist/", "src/"]) {
      expect(paths).toContainEqual(expect.stringMatching(`^${folder}.*\\.ts$`));
    }
    expect(paths.filter((path) => /\.(test|test-d|bench)\.|__fixtures__|\.tsbuildinfo$/.test(path))).toEqual(
      [],
    );
  });

  it("CL-06: is under the Apache license 2.0, says so, and names published versions only", async () => {
    const license = await readFile(join(installed, "LICENSE"), "utf8");
    expect(license).toMatch(/Apache License\s+Version 2\.0, January 2004/);
    expect(license).toBe(await readFile(join(root, "LICENSE"), "utf8"));
    const packed = await readFile(join(installed, "package.json"), "utf8");
    expect(JSON.parse(packed)).toMatchObject({ license: "Apache-2.0", type: "module" });
    expect(packed).not.toMatch(/workspace:|catalog:|@roboz\/source/);
  });
});

it("lets the previous TypeScript check every package, each in its own project", async () => {
  const programs = published.map(({ folder }) => join(basename(folder), "entries.ts"));
  await compile("tsc6", yard, programs);
});
