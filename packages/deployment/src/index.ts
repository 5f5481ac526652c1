export {
  BuildMissingError,
  CapabilityValueError,
  DeploymentError,
  EmptyChainError,
  SettingTypeError,
  SettingValueError,
} from "./errors.ts";
export type { AnyDeploymentError, DeploymentErrorCode } from "./errors.ts";
export { isSkillLoading, SkillLabel, SkillLoading, ToolLabel } from "./label.ts";
export type { Automatic, Label, OnDemand, SkillLabelOptions, ToolLabelOptions } from "./label.ts";
export { Capability, isCapability } from "./capability.ts";
export type {
  AnyCapability,
  BuildContext,
  CapabilitySettings,
  Contribution,
  RequiredAttributes,
  SkillCapabilitySettings,
  ToolCapabilitySettings,
} from "./capability.ts";
export type { Requirements } from "./requirement.ts";
export type { AgentPipe } from "./agent-pipe.ts";
export type { AgentDefinition, AttributeView, CapabilityChoice } from "./agent-definition.ts";
