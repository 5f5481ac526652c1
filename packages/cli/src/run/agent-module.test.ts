import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { loadAgent } from "./agent-module.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-modules-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What is taken for an agent: anything that can do what one does. */
const agent = (name: string): string => `{ name: "${name}", graph() {}, start() {}, copy() {} }`;

async function moduleOf(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

describe("loadAgent", () => {
  it.each([
    {
      why: "the default export",
      file: "a.mjs",
      text: `export const other = ${agent("other")}; export default ${agent("it")};`,
    },
    {
      why: "the only export that is an agent",
      file: "b.mjs",
      text: `export const x = 1, y = {}, z = null; export const it = ${agent("it")};`,
    },
    {
      why: "the export asked for",
      file: "c.mjs",
      text: `export const a = ${agent("a")}; export const b = ${agent("it")};`,
      asked: "b",
    },
    {
      why: "one agent under two names",
      file: "d.mjs",
      text: `export const a = ${agent("it")}; export { a as b };`,
    },
    {
      why: "the default of a module translated to CommonJS",
      file: "e.cjs",
      text: `exports.__esModule = true; exports.other = ${agent("other")}; exports["def" + "ault"] = ${agent("it")};`,
    },
    { why: "what CommonJS exports by name", file: "f.cjs", text: `module.exports = { it: ${agent("it")} };` },
    { why: "what CommonJS exports", file: "d.cjs", text: `module.exports = ${agent("it")};` },
  ])("takes $why", async ({ file, text, asked }) => {
    expect(await loadAgent(await moduleOf(file, text), asked)).toMatchObject({ name: "it" });
  });

  it.each([
    { why: "no agent", file: "e.mjs", text: "export const a = 1;", error: { fault: "none", agents: [] } },
    {
      why: "several agents and no default",
      file: "f.mjs",
      text: `export const a = ${agent("a")}; export const b = ${agent("b")};`,
      error: { fault: "several", agents: ["a", "b"] },
    },
    {
      why: "an export that is not there",
      file: "g.mjs",
      text: `export const a = ${agent("a")};`,
      asked: "c",
      error: { fault: "not-an-agent", agents: ["a"] },
    },
    {
      why: "an export that is no agent",
      file: "h.mjs",
      text: `export const a = ${agent("a")}; export const c = 1;`,
      asked: "c",
      error: { fault: "not-an-agent", agents: ["a"] },
    },
  ])("refuses $why", async ({ file, text, asked, error }) => {
    await expect(loadAgent(await moduleOf(file, text), asked)).rejects.toMatchObject({
      code: "cli/agent-export",
      ...error,
    });
  });

  it.each([
    { why: "a file that is not there", file: "nowhere.mjs", fault: "missing" },
    { why: "a file that is no module by its name", file: ".env", fault: "extension" },
    { why: "a folder", file: "folder.mjs", fault: "missing" },
  ])("refuses $why", async ({ file, fault }) => {
    await mkdir(join(folder, "folder.mjs"), { recursive: true });
    await writeFile(join(folder, ".env"), "KEY=secret");
    await expect(loadAgent(join(folder, file))).rejects.toMatchObject({ code: "cli/module", fault });
  });

  it("says in one line why a module could not be loaded", async () => {
    const file = await moduleOf("i.mjs", `throw new Error("the table\\nis missing");`);
    await expect(loadAgent(file)).rejects.toMatchObject({
      code: "cli/module",
      fault: "failed",
      message: `\`${file}\` could not be loaded: the table is missing`,
    });
  });
});
