import { Capability, SkillLabel, SkillLoading } from "@roboz/deployment";

import { checkAsking, checkSkillLabel, type AskingSettings } from "../command-tools/guard-settings.ts";
import { sandboxAttribute, type NeedsSandbox } from "../permissions/needs-sandbox.ts";
import { filesystemSkill } from "./filesystem-skill.ts";

/** How a {@link Filesystem} differs from the usual one. */
export interface FilesystemSettings extends AskingSettings {
  /** `filesystem`, loaded when a run starts, by default. */
  readonly label?: SkillLabel | undefined;
}

/**
 * The capability to work on files: the skill `filesystem` under the permissions of the agent's `sandbox`. Building it without
 * a scope in the sandbox fails with {@link SandboxError} (`shed/sandbox`).
 */
export class Filesystem extends Capability<NeedsSandbox> {
  /** @throws {@link GuardSettingsError} (`shed/guard-settings`) for settings that are not known or cannot be. */
  constructor(settings: FilesystemSettings = {}) {
    checkAsking("Filesystem", settings, ["label"]);
    const { label, ...options } = settings;
    checkSkillLabel("Filesystem", label);
    super({
      label: label ?? SkillLabel("filesystem", { loading: SkillLoading.AUTOMATIC }),
      requiredAttributes: sandboxAttribute,
      build: ({ attributes }) => [filesystemSkill({ ...options, policy: attributes.sandbox.permissions() })],
    });
  }
}
