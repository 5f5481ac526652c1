import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { failureOf } from "../agent/__fixtures__/runs.ts";
import { stop } from "../tools/builtin/stop.ts";
import { tool } from "../tools/tool.ts";
import { Empty } from "../values/builtin.ts";
import { skillFromCatalogue } from "./catalogue.ts";
import { Skill } from "./skill.ts";

const dig = tool({ name: "dig", description: "Dig.", input: Empty, output: Empty, run: () => Empty() });
const text = JSON.stringify({
  garden: { description: "The garden.", prompt: "Mind the roses.", tools: ["dig"] },
  manners: { description: "Manners.", prompt: "Say please." },
  "Bad Name": { description: "", prompt: "" },
});

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-catalogue-"));
  path = join(folder, "skills.json");
  await writeFile(path, text);
});
afterEach(() => rm(folder, { recursive: true }));

describe("a skill of a catalogue", () => {
  it("has the texts of the file and the tools that it names, and no others", async () => {
    const before = new Skill({ name: "house", description: "", instructions: "" });
    const skill = await skillFromCatalogue(path, "garden", { tools: [stop, [dig]], dependsOn: before });
    expect(skill).toMatchObject({
      name: "garden",
      description: "The garden.",
      instructions: "Mind the roses.",
      tools: [dig],
      dependsOn: before,
    });
  });

  it("may have no tools", async () => {
    expect((await skillFromCatalogue(path, "manners")).tools).toEqual([]);
  });

  it.each([
    { why: "is not in it", name: "kitchen", says: "it has `garden`, `manners`, `Bad Name`" },
    { why: "is named like something every object has", name: "constructor", says: "has no skill" },
    {
      why: "names a tool that was not given",
      name: "garden",
      says: "the tool `dig`; those given are `stop`",
    },
  ])("is refused when it $why", async ({ name, says }) => {
    const error = await failureOf(skillFromCatalogue(path, name, { tools: [stop] }));
    expect(error).toMatchObject({ code: "core/skill-catalogue", path, skillName: name });
    expect(String(error)).toContain(says);
  });

  it("is refused when no skill may have its name", async () => {
    expect(await failureOf(skillFromCatalogue(path, "Bad Name"))).toMatchObject({ code: "core/name" });
  });

  it.each([
    { why: "no JSON, without telling of its content", content: "secret {", says: "is no JSON" },
    { why: "a list", content: "[]", says: "is no catalogue" },
    { why: "without a prompt", content: '{"garden":{"description":""}}', says: "garden.prompt" },
    {
      why: "with tools that are no names",
      content: '{"garden":{"description":"","prompt":"","tools":[1]}}',
      says: "garden.tools",
    },
  ])("is refused when the file is $why", async ({ content, says }) => {
    await writeFile(path, content);
    const error = await failureOf(skillFromCatalogue(path, "garden"));
    expect(error).toMatchObject({ code: "core/skill-catalogue" });
    expect(String(error)).toContain(says);
    expect(String(error)).not.toContain("secret");
  });

  it("passes on that there is no file", async () => {
    expect(await failureOf(skillFromCatalogue(join(folder, "none.json"), "garden"))).toMatchObject({
      code: "ENOENT",
    });
  });
});
