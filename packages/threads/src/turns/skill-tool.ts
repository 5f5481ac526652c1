import { tool, value, type AnyTool } from "@roboz/core";
import * as z from "zod";

import type { SkillCopy } from "../store/trigger.ts";

const loadedSkill = value("loaded_skill", {
  skill_id: z.string(),
  name: z.string(),
  version: z.int(),
  description: z.string(),
  body: z.string(),
  relevant_topics: z.array(z.string()),
});

/** The tool by which the model loads a stored skill; none when there is nothing to load. */
export function skillTool(skills: readonly SkillCopy[]): AnyTool | undefined {
  if (skills.length === 0) return undefined;
  const list = skills.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
  return tool({
    name: "load_skill",
    description: `Load a skill's instructions when they help with what you do. By name:\n${list}`,
    input: z.object({ name: z.string() }),
    output: loadedSkill,
    run: ({ name }) => {
      const skill = skills.find((one) => one.name === name);
      if (skill === undefined)
        throw new Error(
          `there is no skill \`${name}\`; there are ${skills.map((one) => one.name).join(", ")}`,
        );
      return loadedSkill({ ...skill, relevant_topics: [...skill.relevant_topics] });
    },
  });
}
