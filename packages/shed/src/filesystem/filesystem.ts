import { Capability, SkillLabel, SkillLoading } from "@roboz/deployment";

import type { GuardedToolOptions } from "../command-tools/approval.ts";
import { sandboxAttribute, type NeedsSandbox } from "../permissions/needs-sandbox.ts";
import { filesystemSkill } from "./filesystem-skill.ts";

/** How a {@link Filesystem} differs from the usual one. */
export interface FilesystemSettings extends Pick<GuardedToolOptions, "whenAway" | "approvalTimeoutMs"> {
  /** `filesystem`, loaded when a run starts, by default. */
  readonly label?: SkillLabel | undefined;
}

/**
 * The capability to work on files: the skill `filesystem` under the permissions of the agent's `sandbox`. Building it without
 * a scope in the sandbox fails with {@link SandboxError} (`shed/sandbox`).
 */
export class Filesystem extends Capability<NeedsSandbox> {
  constructor({ label, ...options }: FilesystemSettings = {}) {
    super({
      label: label ?? SkillLabel("filesystem", { loading: SkillLoading.AUTOMATIC }),
      requiredAttributes: sandboxAttribute,
      build: ({ attributes }) => [filesystemSkill({ ...options, policy: attributes.sandbox.permissions() })],
    });
  }
}
