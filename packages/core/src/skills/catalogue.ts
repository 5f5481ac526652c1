import { readFile } from "node:fs/promises";

import * as z from "zod";

import type { ToolList } from "../agent/settings.ts";
import { makeOnce } from "../make-once.ts";
import { describeIssues } from "../values/value.ts";
import { checkName } from "../values/name.ts";
import { SkillCatalogueError } from "./errors.ts";
import { flatTools, Skill } from "./skill.ts";

const catalogue = makeOnce(() =>
  z.record(
    z.string(),
    z.object({
      description: z.string(),
      prompt: z.string(),
      /** Names of tools that the program provides. */
      tools: z.array(z.string()).default([]),
    }),
  ),
);

/** What a skill of a catalogue is completed with. */
export interface CatalogueSkillOptions {
  /** The tools that its entry may name; others are ignored. */
  readonly tools?: ToolList | undefined;
  /** A skill that has to be loaded before it. */
  readonly dependsOn?: Skill | undefined;
}

/**
 * Reads a skill from a JSON file that maps names of skills to `{ description, prompt, tools }`: the texts stand in the
 * file, and of the tools their names.
 *
 * @param name - The skill's name in the file, in lower snake case.
 * @throws {@link SkillCatalogueError} (`core/skill-catalogue`) when the file is no catalogue, lacks the skill, or names a
 * tool that is not among `tools`; {@link NameError} (`core/name`); what reading the file throws.
 */
export async function skillFromCatalogue(
  path: string,
  name: string,
  { tools = [], dependsOn }: CatalogueSkillOptions = {},
): Promise<Skill> {
  checkName("A skill", name);
  const fail = (problem: string, cause?: unknown): SkillCatalogueError =>
    new SkillCatalogueError({ path, skillName: name, problem, cause });
  const parsed = catalogue().safeParse(parsedJson(await readFile(path, "utf8"), fail));
  if (!parsed.success) throw fail(`is no catalogue: ${describeIssues(parsed.error)}`, parsed.error);
  const found = Object.hasOwn(parsed.data, name) ? parsed.data[name] : undefined;
  if (found === undefined)
    throw fail(`has no skill of that name; it has ${listed(Object.keys(parsed.data))}`);
  const available = flatTools(tools, (problem) => {
    throw fail(`cannot be completed: the list given ${problem}`);
  });
  const brought = found.tools.map((toolName) => {
    const tool = available.find((one) => one.name === toolName);
    if (tool === undefined)
      throw fail(
        `names the tool \`${toolName}\`; those given are ${listed(available.map((one) => one.name))}`,
      );
    return tool;
  });
  const { description, prompt } = found;
  return new Skill({ name, description, instructions: prompt, tools: brought, dependsOn });
}

function parsedJson(text: string, fail: (problem: string, cause: unknown) => Error): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    // The parser's own message quotes the file.
    throw fail("is no JSON", undefined);
  }
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => `\`${name}\``).join(", ");
}
