import { toolList } from "../agent/prompt/tool-list.ts";
import { compileActions } from "../llm/completion/validate.ts";
import type { Protocol } from "../llm/endpoint.ts";
import type { ToolState } from "../tools/state.ts";

/** What the texts are made of. */
interface SkillFacts {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly dependsOn?: { readonly name: string } | undefined;
}

/** What a model is told of the tool that loads a skill. */
export function loadDescription({ description }: SkillFacts): string {
  return `Load a skill, and get its instructions: ${description}`;
}

/** The instructions of a skill, with its prerequisite if it has one. */
export function skillInstructions({ instructions, dependsOn }: SkillFacts): string {
  const note = dependsOn === undefined ? "" : `This skill builds on the skill \`${dependsOn.name}\`.\n\n`;
  return `${note}# Instructions\n${instructions}`;
}

/**
 * What a model is told when it has loaded a skill: the instructions, and the tools it can call from now on.
 *
 * @param protocol - With `"tools"` the provider is given the tools themselves, and names are enough.
 */
export function skillText(skill: SkillFacts, tools: readonly ToolState[], protocol: Protocol): string {
  const text = skillInstructions(skill);
  const active = tools.filter(({ links }) => links.length === 0);
  if (active.length === 0) return text;
  if (protocol === "tools")
    return `${text}\n\n# Tools of this skill\n${active.map(({ name }) => `- \`${name}\``).join("\n")}`;
  return `${text}\n\n# Tools of this skill, their fields as JSON schemas\n${toolList(compileActions(active).calls)}`;
}
