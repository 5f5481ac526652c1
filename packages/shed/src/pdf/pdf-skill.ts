import { Skill } from "@roboz/core";

import type { GuardedToolOptions } from "../command-tools/approval.ts";
import { checkGuardedOptions } from "../command-tools/guard-settings.ts";
import { pdfInstructions } from "./instructions.ts";
import { getPdfTool } from "./pdf-tools.ts";

/**
 * The skill `pdf`: the guarded reader of PDF files, and how to use it.
 *
 * @throws {@link GuardSettingsError} (`shed/guard-settings`) for options that are not known or cannot be.
 */
export function pdfSkill(options: GuardedToolOptions): Skill {
  checkGuardedOptions("pdfSkill", options);
  return new Skill({
    name: "pdf",
    description: "Read the text of PDF files, within permissions.",
    instructions: pdfInstructions,
    tools: getPdfTool(options).tools,
  });
}
