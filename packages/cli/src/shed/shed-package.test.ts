import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { importShedFrom, loadShed } from "./shed-package.ts";

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "roboz-shed-"));
});
afterEach(() => rm(project, { recursive: true, force: true }));

function notFound(name: string): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from here`), {
    code: "ERR_MODULE_NOT_FOUND",
  });
}

const own = () => Promise.reject(notFound("@roboz/shed"));

/** Puts a package of the name into the project. */
async function install(text: string): Promise<string> {
  const folder = join(project, "node_modules/@roboz/shed");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "package.json"),
    '{"name":"@roboz/shed","type":"module","exports":"./index.js"}',
  );
  await writeFile(join(folder, "index.js"), text);
  return join(project, "package.json");
}

const functions = ["checkScriptService", "DependencyHealthMonitor", "scriptContainment", "serveScripts"]
  .map((name) => `export function ${name}() {}\n`)
  .join("");

describe("loadShed", () => {
  it("finds the package beside this one", async () => {
    expect(await loadShed("scripts")).toHaveProperty("serveScripts");
  });

  it("finds that of the project when there is none beside this one", async () => {
    const file = await install(`${functions}export const where = "project";`);
    expect(await loadShed("scripts", { own, inProject: () => importShedFrom(file) })).toHaveProperty(
      "where",
      "project",
    );
  });

  it.each([
    { why: "there is none anywhere", inProject: own },
    {
      why: "the project's is too old",
      inProject: async () => importShedFrom(await install("export const x = 1;")),
    },
    { why: "the project's has no exports that are read", inProject: () => Promise.resolve(null) },
  ])("says how to install it when $why", async ({ inProject }) => {
    const loading = loadShed("health", { own, inProject });
    await expect(loading).rejects.toMatchObject({ code: "cli/missing-package", packageName: "@roboz/shed" });
    await expect(loading).rejects.toThrow(
      "`roboz health` needs one more package; run `npm install @roboz/shed`",
    );
  });

  it.each([
    { why: "it needs something that is not there", error: notFound("zod") },
    { why: "it cannot be loaded", error: new SyntaxError("broken") },
  ])("passes on why loading failed when $why", async ({ error }) => {
    await expect(loadShed("scripts", { own: () => Promise.reject(error) })).rejects.toBe(error);
  });
});
