import { Skill } from "@roboz/core";

import type { GuardedToolOptions } from "../command-tools/approval.ts";
import { fileCommandTools } from "../command-tools/file-commands.ts";
import { checkGuardedOptions } from "../command-tools/guard-settings.ts";
import { patchTools } from "../command-tools/patch-tools.ts";
import { filesystemInstructions } from "./instructions.ts";

/**
 * The skill `filesystem`: the guarded file commands, then the patch, and how to use them.
 *
 * @throws {@link GuardSettingsError} (`shed/guard-settings`) for options that are not known or cannot be.
 */
export function filesystemSkill(options: GuardedToolOptions): Skill {
  checkGuardedOptions("filesystemSkill", options);
  return new Skill({
    name: "filesystem",
    description: "Read, search, write, move and remove files, within permissions.",
    instructions: filesystemInstructions,
    tools: [...fileCommandTools(options).tools, ...patchTools(options).tools],
  });
}
