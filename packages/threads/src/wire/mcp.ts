import { z } from "zod";
import { McpServerStatus, McpTokenStatus, open, RegistrationMode } from "./enums.ts";
import { instantSchema } from "./message.ts";

const stamps = {
  created: instantSchema,
  created_by: z.string(),
  modified: instantSchema,
  modified_by: z.string(),
};

/** Short, because a tool is shown to models as `<display_name>__<tool>`. */
const displayNameSchema = z
  .string()
  .max(32)
  .regex(/^[a-zA-Z0-9_-]+$/);

export const mcpServerSchema = z.object({
  server_id: z.string(),
  display_name: z.string(),
  server_url: z.string(),
  oauth_issuer_url: z.string().nullable().default(null),
  client_id: z.string().nullable().default(null),
  scopes: z.array(z.string()).nullable().default(null),
  status: open(McpServerStatus),
  registration_mode: open(RegistrationMode).default("dcr"),
  extra_auth_params: z.record(z.string(), z.string()).nullable().default(null),
  /** Empty is everywhere. */
  org_ids: z.array(z.string()).default([]),
  /** Whether a tool may be used, by name; null before the first discovery. */
  allowed_tools: z.record(z.string(), z.boolean()).nullable().default(null),
  ...stamps,
});
export type McpServerRecord = z.output<typeof mcpServerSchema>;

/** That a user has a token of a server; never the token. */
export const mcpTokenSchema = z.object({
  server_id: z.string(),
  user_id: z.string(),
  org_id: z.string(),
  token_status: open(McpTokenStatus),
  expires_at: instantSchema.nullable().default(null),
  scopes: z.array(z.string()).nullable().default(null),
  created: instantSchema,
  modified: instantSchema,
});
export type McpTokenRecord = z.output<typeof mcpTokenSchema>;

/** What an organisation has models told about a server; an empty text clears it. */
export const mcpServerOrgContextSchema = z.object({
  server_id: z.string(),
  org_id: z.string(),
  context: z.string().max(4000),
  ...stamps,
});
export type McpServerOrgContextRecord = z.output<typeof mcpServerOrgContextSchema>;

export const mcpToolInfoSchema = z.object({
  name: z.string(),
  description: z.string().nullable().default(null),
  input_schema: z.record(z.string(), z.unknown()),
  server_id: z.string(),
});
export type McpToolInfo = z.output<typeof mcpToolInfoSchema>;

const registration = {
  display_name: displayNameSchema,
  server_url: z.url(),
  oauth_issuer_url: z.url().nullish(),
  client_id: z.string().nullish(),
  client_secret: z.string().nullish(),
  scopes: z.array(z.string()).nullish(),
  extra_auth_params: z.record(z.string(), z.string()).nullish(),
};

export const registerMcpServerRequestSchema = z.object({
  ...registration,
  registration_mode: z.enum(RegistrationMode).default("dcr"),
});
export type RegisterMcpServerRequest = z.input<typeof registerMcpServerRequestSchema>;

export const adminRegisterMcpServerRequestSchema = z.object({
  ...registration,
  registration_mode: z.enum(RegistrationMode).default("manual"),
  org_ids: z.array(z.string()).default([]),
});
export type AdminRegisterMcpServerRequest = z.input<typeof adminRegisterMcpServerRequestSchema>;

/** What is left out stays as it is. */
export const updateMcpServerRequestSchema = z.object({
  display_name: displayNameSchema.optional(),
  scopes: z.array(z.string()).nullish(),
});
export type UpdateMcpServerRequest = z.input<typeof updateMcpServerRequestSchema>;

export const replaceMcpServerOrgsRequestSchema = z.object({ org_ids: z.array(z.string()) });
export type ReplaceMcpServerOrgsRequest = z.input<typeof replaceMcpServerOrgsRequestSchema>;

export const setMcpAllowlistRequestSchema = z.object({ allowed_tools: z.record(z.string(), z.boolean()) });
export type SetMcpAllowlistRequest = z.input<typeof setMcpAllowlistRequestSchema>;

export const copyMcpAllowlistRequestSchema = z.object({ source_server_id: z.string() });
export type CopyMcpAllowlistRequest = z.input<typeof copyMcpAllowlistRequestSchema>;

export const mcpOAuthStartSchema = z.object({ authorization_url: z.string(), state: z.string() });
export type McpOAuthStartResponse = z.output<typeof mcpOAuthStartSchema>;

export const mcpOAuthCallbackRequestSchema = z.object({ code: z.string(), state: z.string() });
export type McpOAuthCallbackRequest = z.input<typeof mcpOAuthCallbackRequestSchema>;
