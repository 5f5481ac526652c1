import { Capability, SkillLabel, SkillLoading } from "@roboz/deployment";
import * as z from "zod";

import type { GuardedToolOptions } from "../command-tools/approval.ts";
import type { Sandbox } from "../permissions/sandbox.ts";
import { filesystemSkill } from "./filesystem-skill.ts";

/** How a {@link Filesystem} differs from the usual one. */
export interface FilesystemSettings extends Pick<GuardedToolOptions, "whenAway" | "approvalTimeoutMs"> {
  /** `filesystem`, loaded when a run starts, by default. */
  readonly label?: SkillLabel | undefined;
}

/** What {@link Filesystem} requires of an agent. */
export interface NeedsSandbox {
  /** With a scope: what the agent may do is taken from it when the agent is built. */
  readonly sandbox: Pick<Sandbox, "permissions">;
}

/**
 * The capability to work on files: the skill `filesystem` under the permissions of the agent's `sandbox`. Building it without
 * a scope in the sandbox fails with {@link SandboxError} (`shed/sandbox`).
 */
export class Filesystem extends Capability<NeedsSandbox> {
  constructor({ label, ...options }: FilesystemSettings = {}) {
    super({
      label: label ?? SkillLabel("filesystem", { loading: SkillLoading.AUTOMATIC }),
      requiredAttributes: { sandbox: sandboxSchema },
      build: ({ attributes }) => [filesystemSkill({ ...options, policy: attributes.sandbox.permissions() })],
    });
  }
}

const sandboxSchema = z.custom<NeedsSandbox["sandbox"]>(isSandbox).meta({ title: "Sandbox" });

/** Whether anything gives permissions as a sandbox does, of any installed copy of this package. */
function isSandbox(candidate: unknown): boolean {
  if (typeof candidate !== "object" || candidate === null || !("permissions" in candidate)) return false;
  return typeof candidate.permissions === "function";
}
