import { Capability, SkillLabel, SkillLoading } from "@roboz/deployment";

import { checkAsking, checkSkillLabel, type AskingSettings } from "../command-tools/guard-settings.ts";
import { sandboxAttribute, type NeedsSandbox } from "../permissions/needs-sandbox.ts";
import { pdfSkill } from "./pdf-skill.ts";

/** How a {@link Pdf} differs from the usual one. */
export interface PdfSettings extends AskingSettings {
  /** `pdf`, loaded when a run starts, by default. */
  readonly label?: SkillLabel | undefined;
}

/**
 * The capability to read PDF files: the skill `pdf` under the permissions of the agent's `sandbox`. Building it without a scope in
 * the sandbox fails with {@link SandboxError} (`shed/sandbox`).
 */
export class Pdf extends Capability<NeedsSandbox> {
  /** @throws {@link GuardSettingsError} (`shed/guard-settings`) for settings that are not known or cannot be. */
  constructor(settings: PdfSettings = {}) {
    checkAsking("Pdf", settings, ["label"]);
    const { label, ...options } = settings;
    checkSkillLabel("Pdf", label);
    super({
      label: label ?? SkillLabel("pdf", { loading: SkillLoading.AUTOMATIC }),
      requiredAttributes: sandboxAttribute,
      build: ({ attributes }) => [pdfSkill({ ...options, policy: attributes.sandbox.permissions() })],
    });
  }
}
