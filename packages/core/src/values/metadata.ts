import * as z from "zod";

import { truncationSchema, type Truncation } from "../truncation/policy.ts";

/** The kinds of message that the framework tells apart. */
export const messageKinds = [
  "auto_load_banner",
  "auto_loaded_skill",
  "compacted_context",
  "interrupted_generation",
  "librarian_activity",
  "librarian_routine",
  "startup_context",
  "system_message",
  "user_notification",
] as const;
export type MessageKind = (typeof messageKinds)[number];

/** The kinds of the messages a run starts with. */
export const bootstrapKinds: ReadonlySet<MessageKind> = new Set<MessageKind>([
  "system_message",
  "startup_context",
  "auto_load_banner",
  "auto_loaded_skill",
]);

/** What travels beside a value or message and is never in its JSON. */
export interface Metadata {
  /** How the model sees the message; none stands for the default policy. */
  readonly truncation?: Truncation | undefined;
  readonly messageKind?: MessageKind | undefined;
  /** The provider that produced the value. */
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  /** Billed tokens. */
  readonly tokenInput?: number | undefined;
  readonly tokenOutput?: number | undefined;
}

/** The schema of {@link Metadata}; unknown keys are refused. */
export const metadataSchema: z.ZodType<Metadata> = z.strictObject({
  truncation: truncationSchema.optional(),
  messageKind: z.enum(messageKinds).optional(),
  endpoint: z.string().optional(),
  model: z.string().optional(),
  tokenInput: z.number().optional(),
  tokenOutput: z.number().optional(),
});

/** Names that no field of a value may have: the run's own keys, in both spellings. */
export const reservedNames: ReadonlySet<string> = new Set([
  "action",
  "rationale",
  "caller",
  "truncation",
  "messageKind",
  "message_kind",
  "endpoint",
  "model",
  "tokenInput",
  "token_input",
  "tokenOutput",
  "token_output",
]);
