import type { SkillParts } from "../chains/skill-rules.ts";
import type { AgentProblem } from "../errors.ts";
import type { Protocol } from "../llm/endpoint.ts";
import { isSkill, skillTools, type Skill } from "../skills/skill.ts";
import { loadDescription, skillText } from "../skills/skill-text.ts";
import { toolState, type ToolState } from "../tools/state.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Str } from "../values/builtin.ts";
import type { AgentSettings } from "./settings.ts";

/** A skill of an agent, with what is said when it is loaded. */
export interface CompiledSkill extends SkillParts {
  readonly description: string;
  /** Made when it is first asked for. */
  readonly text: () => string;
}

/** The skills of an agent, those on demand first; what is no skill is a problem. */
export function compileSkills(
  { skills, autoLoadedSkills }: AgentSettings,
  protocol: Protocol,
  problems: AgentProblem[],
): readonly CompiledSkill[] {
  return [
    ...listed(skills, "skills", problems).map((skill) => compileSkill(skill, false, protocol)),
    ...listed(autoLoadedSkills, "autoLoadedSkills", problems).map((skill) =>
      compileSkill(skill, true, protocol),
    ),
  ].flatMap((skill) => skill ?? []);
}

function listed(given: unknown, setting: string, problems: AgentProblem[]): readonly Skill[] {
  if (given === undefined) return [];
  const entries: readonly unknown[] | undefined = Array.isArray(given) ? given : undefined;
  const skills = entries?.filter(isSkill);
  if (skills !== undefined && skills.length === entries?.length) return skills;
  problems.push({
    code: "settings",
    toolNames: [],
    message: `\`${setting}\` is no list of skills; make one with \`new Skill\`, and call a skill factory with its context`,
  });
  return skills ?? [];
}

function compileSkill(skill: Skill, isAutoLoaded: boolean, protocol: Protocol): CompiledSkill | undefined {
  const { id, name, description, dependsOn } = skill;
  const tools = skillTools(skill);
  // As they are now: what is renamed or chained later does not reach the agent.
  const asConstructed: readonly ToolState[] = tools.map((one) => ({ ...one }));
  let made: string | undefined;
  const text = (): string => (made ??= skillText(skill, asConstructed, protocol));
  const wrapper = toolState(
    tool({
      name,
      description: loadDescription(skill),
      input: Empty,
      output: Str,
      run: () => Str({ value: text() }),
    }),
  );
  if (wrapper === undefined) return undefined;
  return {
    id,
    name,
    description,
    wrapper,
    tools,
    dependsOn: dependsOn === undefined ? undefined : { id: dependsOn.id, name: dependsOn.name },
    isAutoLoaded,
    text,
  };
}
