export {
  AttributeNameError,
  BuildMissingError,
  CapabilityBuildError,
  CapabilityValueError,
  DeploymentError,
  DeploymentValidationError,
  DuplicateCapabilityError,
  EmptyChainError,
  SelectionError,
  SelectionTypeError,
  SettingTypeError,
  SettingValueError,
  UnknownAttributeError,
} from "./errors.ts";
export type {
  AnyDeploymentError,
  AttributeProblem,
  DeploymentErrorCode,
  DeploymentProblem,
  GraphProblem,
} from "./errors.ts";
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
export { isAgentDefinition } from "./agent-definition.ts";
export type { AgentDefinition, AgentFields, AttributeView, CapabilityChoice } from "./agent-definition.ts";
export type { AttributeName, AttributeOf, Attributes, GivenAttributes } from "./attribute-store.ts";
export type { BuildOptions, BuiltAgents } from "./build.ts";
export { DeployableAgent } from "./deployable-agent.ts";
export type { CapabilityFor, DeployableAgentSettings } from "./deployable-agent.ts";
