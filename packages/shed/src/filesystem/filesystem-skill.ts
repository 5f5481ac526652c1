import { Skill } from "@roboz/core";

import type { GuardedToolOptions } from "../command-tools/approval.ts";
import { fileCommandTools } from "../command-tools/file-commands.ts";
import { patchTools } from "../command-tools/patch-tools.ts";
import { filesystemInstructions } from "./instructions.ts";

/** The skill `filesystem`: the guarded file commands, then the patch, and how to use them. */
export function filesystemSkill(options: GuardedToolOptions): Skill {
  return new Skill({
    name: "filesystem",
    description: "Read, search, write, move and remove files, within permissions.",
    instructions: filesystemInstructions,
    tools: [...fileCommandTools(options).tools, ...patchTools(options).tools],
  });
}
