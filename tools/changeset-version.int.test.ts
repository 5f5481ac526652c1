import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { succeed } from "./run-to-end.ts";
import { stageWorkspace, type StagedWorkspace } from "./staged-workspace.ts";
import { packageFolders, readManifest } from "./workspace.mjs";

const note = "Agents can do one thing more.";
let stage: StagedWorkspace;

function manifests(parent: "packages" | "apps") {
  return packageFolders(join(stage.folder, parent)).map((folder) => readManifest(folder));
}

/** Gives every package one starting version, and adds one that nothing relates to core. */
async function levelVersions(): Promise<void> {
  const bystander = join(stage.folder, "packages", "bystander");
  await mkdir(bystander);
  await writeFile(join(bystander, "package.json"), JSON.stringify({ name: "@roboz/bystander" }));
  for (const folder of packageFolders(join(stage.folder, "packages"))) {
    const manifest = { ...readManifest(folder), version: "0.1.0" };
    await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

async function replaceChangesets(): Promise<void> {
  const folder = join(stage.folder, ".changeset");
  for (const file of await readdir(folder)) {
    if (file.endsWith(".md")) await rm(join(folder, file));
  }
  await writeFile(join(folder, "one-more-thing.md"), `---\n"@roboz/core": minor\n---\n\n${note}\n`);
}

async function commit(): Promise<void> {
  const identity = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.com",
    "-c",
    "commit.gpgSign=false",
  ];
  await succeed("git", ["init", "--quiet", "--initial-branch=main"], stage.folder);
  await succeed("git", ["add", "--all"], stage.folder);
  await succeed("git", [...identity, "commit", "--quiet", "--message=start"], stage.folder);
}

const hasGit = spawnSync("git", ["--version"]).status === 0;

// Changesets reads which commit added a note, so without git there is nothing to test.
describe.skipIf(!hasGit)("changeset version, after a minor change of core", () => {
  beforeAll(async () => {
    stage = await stageWorkspace();
    await levelVersions();
    await replaceChangesets();
    await commit();
    const changeset = join(stage.folder, "node_modules", "@changesets", "cli", "bin.js");
    await succeed(process.execPath, [changeset, "version"], stage.folder);
  });

  afterAll(async () => {
    await stage[Symbol.asyncDispose]();
  });

  it("gives core a minor, what depends on it a patch, and leaves the others", () => {
    for (const { name, version, dependencies, peerDependencies } of manifests("packages")) {
      const dependsOnCore = "@roboz/core" in { ...dependencies, ...peerDependencies };
      const expected = name === "@roboz/core" ? "0.2.0" : dependsOnCore ? "0.1.1" : "0.1.0";
      expect({ name, version }).toEqual({ name, version: expected });
    }
  });

  it("keeps workspace ranges in every manifest", () => {
    for (const { name, dependencies } of [...manifests("packages"), ...manifests("apps")]) {
      const ranges = Object.entries(dependencies ?? {}).filter(([each]) => each.startsWith("@roboz/"));
      for (const [dependency, range] of ranges) {
        expect({ name, dependency, range }).toEqual({ name, dependency, range: "workspace:^" });
      }
    }
  });

  it("uses the note up and writes it into core's changelog", async () => {
    const changelog = await readFile(join(stage.folder, "packages", "core", "CHANGELOG.md"), "utf8");
    expect(changelog).toContain("## 0.2.0");
    expect(changelog).toContain(note);
    const left = await readdir(join(stage.folder, ".changeset"));
    expect(left.filter((file) => file.endsWith(".md"))).toEqual([]);
  });
});
