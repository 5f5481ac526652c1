import { CoreError } from "../errors.ts";

/** A skill is declared wrongly. */
export class SkillDefinitionError extends CoreError {
  readonly code = "core/skill-definition";
  readonly skillName: string;

  constructor({ skillName, problem }: { skillName: string; problem: string }) {
    super(`The skill \`${skillName}\` ${problem}`);
    this.skillName = skillName;
  }
}

/** A skill was to be loaded before the one it depends on; prerequisites are never loaded by themselves. */
export class SkillPrerequisiteError extends CoreError {
  readonly code = "core/skill-prerequisite";
  readonly skillName: string;
  readonly prerequisite: string;

  constructor({ skillName, prerequisite }: { skillName: string; prerequisite: string }) {
    super(
      `The skill \`${skillName}\` depends on \`${prerequisite}\`, which is not loaded in this run; load that one first, or make it an auto-loaded skill`,
    );
    this.skillName = skillName;
    this.prerequisite = prerequisite;
  }
}

/** A skill could not be made from a catalogue. */
export class SkillCatalogueError extends CoreError {
  readonly code = "core/skill-catalogue";
  readonly path: string;
  readonly skillName: string;

  /** @param facts.problem - Goes on from the file's name. */
  constructor(facts: { path: string; skillName: string; problem: string; cause?: unknown }) {
    const { path, skillName, problem, cause } = facts;
    super(`The skill \`${skillName}\` cannot be read: \`${path}\` ${problem}`, { cause });
    this.path = path;
    this.skillName = skillName;
  }
}

/** The errors of skills. */
export type AnySkillError = SkillCatalogueError | SkillDefinitionError | SkillPrerequisiteError;
