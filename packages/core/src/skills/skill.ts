import { randomUUID } from "node:crypto";

import type { ToolList } from "../agent/settings.ts";
import { dedupeExternalDependencies, type ExternalDependency } from "../dependencies/external-dependency.ts";
import { toolState, type ToolState } from "../tools/state.ts";
import { isTool, tool, type AnyTool, type Tool } from "../tools/tool.ts";
import { Empty, Str } from "../values/builtin.ts";
import { checkName } from "../values/name.ts";
import { SkillDefinitionError } from "./errors.ts";
import { loadDescription, skillInstructions, skillText } from "./skill-text.ts";

/** What a skill is made of. */
export interface SkillDefinition {
  /** Lower snake case; what the model calls to load the skill. */
  readonly name: string;
  /** What the model is told of the skill before it is loaded. */
  readonly description: string;
  /** What the model is told when it is loaded. */
  readonly instructions: string;
  /** There once the skill is loaded; those chained to others run after them, the others can be called. */
  readonly tools?: ToolList | undefined;
  /** A skill that has to be loaded before this one. That very one: a copy is a skill of its own. */
  readonly dependsOn?: Skill | undefined;
}

const skillKey = Symbol.for("@roboz/core/skill");

/**
 * Instructions, perhaps with tools, that a run loads when it needs them: by the model's call (`skills` of an agent), or
 * when it starts (`autoLoadedSkills`). An agent checks the names and links of all its skills' tools when it is
 * constructed, as if all were loaded; what one run loads, no other one has.
 *
 * @throws {@link NameError} (`core/name`); {@link SkillDefinitionError} (`core/skill-definition`).
 */
export class Skill {
  /** What `dependsOn` refers to: a new one for each skill and each copy. */
  readonly id: string = randomUUID();
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly tools: readonly AnyTool[];
  readonly dependsOn: Skill | undefined;

  constructor(definition: SkillDefinition) {
    const { description, instructions, tools = [], dependsOn } = definition;
    const name = checkName("A skill", definition.name);
    const fail = (problem: string): never => {
      throw new SkillDefinitionError({ skillName: name, problem });
    };
    if (typeof description !== "string") fail("has no `description`; give it a text");
    if (typeof instructions !== "string") fail("has no `instructions`; give it a text, which may be empty");
    if (dependsOn !== undefined && !isSkill(dependsOn)) fail("depends on something that is no skill");
    this.name = name;
    this.description = description;
    this.instructions = instructions;
    this.tools = flatTools(tools, fail);
    this.dependsOn = dependsOn;
    Object.defineProperty(this, skillKey, { value: true });
    Object.freeze(this);
  }

  /** What is said of the skill when it is loaded, its tools left out. */
  get prompt(): string {
    return skillInstructions(this);
  }

  /** A tool that gives the skill's instructions, and how to call its tools; an agent makes its own for each of its skills. */
  asTool(): Tool<Empty, Str> {
    return tool({
      name: this.name,
      description: loadDescription(this),
      input: Empty,
      output: Str,
      run: () => Str({ value: skillText(this, skillTools(this), "json") }),
    });
  }

  /**
   * What the skill's tools need from outside, each thing once; found without checking or loading anything.
   *
   * @throws {@link ToolDefinitionError} (`core/tool-definition`), as the tools' own `externalDependencies`.
   */
  externalDependencies(): readonly ExternalDependency[] {
    return dedupeExternalDependencies(this.tools.flatMap((one) => one.externalDependencies()));
  }

  /** Another skill, changed as given; skills that depend on this one do not depend on it. */
  copy(changes: Partial<SkillDefinition> = {}): Skill {
    const { name, description, instructions, tools, dependsOn } = this;
    return new Skill({ name, description, instructions, tools, dependsOn, ...changes });
  }

  /**
   * A function that makes skills from a context. Each call runs `buildTools` once with the context as given, and makes a
   * skill of its own; what the builder throws is passed on.
   *
   * @throws {@link NameError} (`core/name`), at once.
   */
  static factory<Context>(
    definition: Omit<SkillDefinition, "tools"> & { readonly buildTools: (context: Context) => ToolList },
  ): (context: Context) => Skill {
    const { buildTools, ...facts } = definition;
    checkName("A skill", facts.name);
    return (context) => new Skill({ ...facts, tools: buildTools(context) });
  }
}

/** Whether anything is a skill, of any installed copy of this package. */
export function isSkill(candidate: unknown): candidate is Skill {
  return typeof candidate === "object" && candidate !== null && skillKey in candidate;
}

/** The tools of a skill, as an agent sees them. */
export function skillTools({ tools }: Pick<Skill, "tools">): readonly ToolState[] {
  return tools.flatMap((one) => toolState(one) ?? []);
}

/** The tools of a list that may hold chains as lists of their own. */
export function flatTools(tools: ToolList, fail: (problem: string) => never): readonly AnyTool[] {
  if (!Array.isArray(tools)) return fail("has `tools` that are no list");
  const entries: readonly unknown[] = tools.flat();
  const flat = entries.filter(isTool);
  if (flat.length < entries.length)
    fail("has an entry in `tools` that is no tool; bind a factory to its context to make one");
  return Object.freeze(flat);
}
