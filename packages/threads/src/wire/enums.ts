import { z } from "zod";

/** A string of a known set when written; when read, whatever the server says. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

type MemberOf<E> = E[keyof E];

/** Whose turn it is in a thread. */
export const AgentThreadStatus = {
  NotStarted: "not_started",
  UserTurn: "user_turn",
  RobotoTurn: "roboto_turn",
  ClientToolTurn: "client_tool_turn",
  GoalsFailed: "goals_failed",
} as const;
export type AgentThreadStatus = MemberOf<typeof AgentThreadStatus>;

/** How far a message is; the last three are terminal. */
export const AgentMessageStatus = {
  NotStarted: "not_started",
  Generating: "generating",
  Completed: "completed",
  Failed: "failed",
  Cancelled: "cancelled",
} as const;
export type AgentMessageStatus = MemberOf<typeof AgentMessageStatus>;

/** Who a message is from; `roboto` is the system, tool results among it. */
export const AgentRole = { User: "user", Assistant: "assistant", Roboto: "roboto" } as const;
export type AgentRole = MemberOf<typeof AgentRole>;

/** What a block of a message is. */
export const AgentContentType = {
  Text: "text",
  ToolUse: "tool_use",
  ToolResult: "tool_result",
  Error: "error",
  Deleted: "deleted",
  CompressionFiller: "compression_filler",
} as const;
export type AgentContentType = MemberOf<typeof AgentContentType>;

/** How a client tool ended. */
export const ClientToolResultStatus = { Success: "success", Error: "error", Declined: "declined" } as const;
export type ClientToolResultStatus = MemberOf<typeof ClientToolResultStatus>;

/** Who may read a thread: its creator, or every member of its organisation. Admins may always. */
export const ThreadVisibility = { Private: "private", Org: "org" } as const;
export type ThreadVisibility = MemberOf<typeof ThreadVisibility>;

/** Which surface a thread was started from; none is the same as `api`. */
export const ThreadOrigin = { Api: "api", Slack: "slack" } as const;
export type ThreadOrigin = MemberOf<typeof ThreadOrigin>;

export const AgentGoalStatus = { Pending: "pending", Achieved: "achieved", Failed: "failed" } as const;
export type AgentGoalStatus = MemberOf<typeof AgentGoalStatus>;

export const GoalType = {
  DatasetSummary: "dataset_summary",
  DatasetTriage: "dataset_triage",
  CreateEvents: "create_events",
} as const;
export type GoalType = MemberOf<typeof GoalType>;

export const AgentTaskStatus = {
  Pending: "pending",
  InProgress: "in_progress",
  Completed: "completed",
} as const;
export type AgentTaskStatus = MemberOf<typeof AgentTaskStatus>;

export const AgentSubtaskStatus = { Pending: "pending", Done: "done" } as const;
export type AgentSubtaskStatus = MemberOf<typeof AgentSubtaskStatus>;

export const FeedbackSentiment = { Positive: "positive", Negative: "negative" } as const;
export type FeedbackSentiment = MemberOf<typeof FeedbackSentiment>;

/** What a rating is about; see {@link feedbackCategories} for which fits which sentiment. */
export const FeedbackCategory = {
  Incorrect: "incorrect",
  Incomplete: "incomplete",
  ToolFailure: "tool_failure",
  RefusedValidRequest: "refused_valid_request",
  Formatting: "formatting",
  Slow: "slow",
  Unsafe: "unsafe",
  Correct: "correct",
  Helpful: "helpful",
  GoodToolUse: "good_tool_use",
  Other: "other",
} as const;
export type FeedbackCategory = MemberOf<typeof FeedbackCategory>;

/** The categories that fit a sentiment; `other` fits both. */
export const feedbackCategories = {
  negative: [
    "incorrect",
    "incomplete",
    "tool_failure",
    "refused_valid_request",
    "formatting",
    "slow",
    "unsafe",
    "other",
  ],
  positive: ["correct", "helpful", "good_tool_use", "other"],
} as const satisfies Record<FeedbackSentiment, readonly FeedbackCategory[]>;

/** How far a summary is; it says `complete`, unlike a message. */
export const AISummaryStatus = { Pending: "pending", Complete: "complete", Failed: "failed" } as const;
export type AISummaryStatus = MemberOf<typeof AISummaryStatus>;

export const SkillAccessibility = { Private: "private", Org: "org", OrgEditable: "org-editable" } as const;
export type SkillAccessibility = MemberOf<typeof SkillAccessibility>;

export const SkillListScope = { Personal: "personal", Org: "org" } as const;
export type SkillListScope = MemberOf<typeof SkillListScope>;

export const TemplateVariableType = {
  String: "string",
  DatasetId: "dataset_id",
  DeviceId: "device_id",
  CollectionId: "collection_id",
} as const;
export type TemplateVariableType = MemberOf<typeof TemplateVariableType>;

export const McpServerStatus = { Active: "active", PendingSetup: "pending_setup", Error: "error" } as const;
export type McpServerStatus = MemberOf<typeof McpServerStatus>;

export const McpTokenStatus = {
  Valid: "valid",
  Expired: "expired",
  RefreshFailed: "refresh_failed",
} as const;
export type McpTokenStatus = MemberOf<typeof McpTokenStatus>;

export const RegistrationMode = { Dcr: "dcr", Manual: "manual" } as const;
export type RegistrationMode = MemberOf<typeof RegistrationMode>;

export const RobotoPrincipalType = {
  Device: "device",
  Integration: "integration",
  Invocation: "invocation",
  User: "user",
  Org: "org",
} as const;
export type RobotoPrincipalType = MemberOf<typeof RobotoPrincipalType>;

/** Reads any string, so that a member a later server adds is no failure; its type names the members known today. */
export function open<Known extends string>(
  _members: Readonly<Record<string, Known>>,
): z.ZodType<Open<Known>> {
  return z.string();
}
