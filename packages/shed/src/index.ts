export { ShedError } from "./errors.ts";
export type { AnyShedError, ShedErrorCode } from "./errors.ts";
export { PolicyError } from "./permissions/errors.ts";
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
export type { GuardedToolOptions, PermissionRequest } from "./command-tools/approval.ts";
