export { ShedError } from "./errors.ts";
export type { AnyShedError, ShedErrorCode } from "./errors.ts";
export { PolicyError, SandboxError } from "./permissions/errors.ts";
export type {
  ActionVerdict,
  GuardDenyReason,
  GuardStatus,
  Operation,
  RequiredPermission,
} from "./permissions/operation.ts";
export { escapePattern } from "./permissions/pattern.ts";
export { PermissionPolicy } from "./permissions/policy.ts";
export type {
  MatchedRule,
  PermissionPolicySettings,
  PermissionRule,
  PolicyDecision,
} from "./permissions/policy.ts";
export { permissionRequest } from "./command-tools/approval.ts";
export type { GuardedToolOptions, PermissionRequest } from "./command-tools/approval.ts";
export { fileCommandTools } from "./command-tools/file-commands.ts";
export type { FileCommandTools } from "./command-tools/guarded-chain.ts";
export { FileCommandProgress, FileCommandReport, GuardedFileCommand } from "./command-tools/payloads.ts";
export { Sandbox } from "./permissions/sandbox.ts";
export type { Protection, SandboxSettings } from "./permissions/sandbox.ts";
export { PatchReport, patchTools } from "./command-tools/patch-tools.ts";
export type { PatchTools } from "./command-tools/patch-tools.ts";
export { Filesystem } from "./filesystem/filesystem.ts";
export type { FilesystemSettings, NeedsSandbox } from "./filesystem/filesystem.ts";
export { filesystemSkill } from "./filesystem/filesystem-skill.ts";
