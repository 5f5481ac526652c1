import type { AgentProblem } from "../errors.ts";
import type { ToolState } from "../tools/state.ts";
import type { GraphNode } from "./graph.ts";

/** A skill as a graph is built of it. */
export interface SkillParts {
  readonly id: string;
  readonly name: string;
  /** The tool that loads it; one of the agent's own. */
  readonly wrapper: ToolState;
  readonly tools: readonly ToolState[];
  /** The skill that has to be loaded before it. */
  readonly dependsOn: { readonly id: string; readonly name: string } | undefined;
  /** Loaded when a run starts, in the order of the parts. */
  readonly isAutoLoaded: boolean;
}

/** Skills that no run could load, or not when it is to. */
export function prerequisiteProblems(skills: readonly SkillParts[]): AgentProblem[] {
  return skills.flatMap(({ name, dependsOn, isAutoLoaded }, index) => {
    if (dependsOn === undefined) return [];
    const place = skills.findIndex(({ id }) => id === dependsOn.id);
    const wrong = (why: string): AgentProblem[] => [
      {
        code: "skill-prerequisite",
        toolNames: [name, dependsOn.name],
        message: `The skill \`${name}\` depends on \`${dependsOn.name}\`, ${why}`,
      },
    ];
    if (place < 0)
      return wrong("which this agent does not have; add that very skill (a copy is another one)");
    if (isAutoLoaded && (skills[place]?.isAutoLoaded !== true || place > index))
      return wrong("which is not loaded before it; put that one before it in `autoLoadedSkills`");
    return [];
  });
}

/** Why a child may be there without its parent; undefined when it never is. */
export function absentParent(
  child: GraphNode,
  parent: GraphNode,
  skills: readonly SkillParts[],
): AgentProblem | undefined {
  const { skills: brought } = parent;
  if (brought === null) return undefined;
  const toolNames = [child.name, parent.name];
  const origin = `\`${parent.name}\` of the skill ${brought.map((name) => `\`${name}\``).join(" or ")}`;
  const isThere = (without: ReadonlySet<string>): boolean => brought.some((name) => without.has(name));
  if (child.skills === null) {
    if (isThere(loadedWith(undefined, skills))) return undefined;
    return {
      code: "unknown-parent",
      toolNames,
      message: `\`${child.name}\` is chained to ${origin}, which a run may not have loaded; make \`${child.name}\` a tool of that skill, or load the skill automatically`,
    };
  }
  const lacking = child.skills.find((name) => !isThere(loadedWith(name, skills)));
  if (lacking === undefined) return undefined;
  return {
    code: "unknown-parent",
    toolNames,
    message: `\`${child.name}\` of the skill \`${lacking}\` is chained to ${origin}, which need not be loaded by then; let \`${lacking}\` depend on that skill`,
  };
}

/** The names of the skills that are loaded in every run that has loaded one. */
function loadedWith(name: string | undefined, skills: readonly SkillParts[]): ReadonlySet<string> {
  const loaded = new Set(skills.filter(({ isAutoLoaded }) => isAutoLoaded).map((skill) => skill.name));
  let next = skills.find((skill) => skill.name === name);
  // A prerequisite is made before what depends on it, so this comes to an end; the limit is for forged ones.
  for (let left = skills.length; next !== undefined && left > 0; left -= 1) {
    loaded.add(next.name);
    const { dependsOn } = next;
    next = skills.find(({ id }) => id === dependsOn?.id);
  }
  return loaded;
}

/** Where a tool comes from, for a person. */
export function originOf({ loads, skills }: GraphNode): string {
  if (loads !== null) return "a skill";
  if (skills === null) return "a tool of the agent";
  return `a tool of the skill ${skills.map((name) => `\`${name}\``).join(" and ")}`;
}
