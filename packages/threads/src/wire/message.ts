import { z } from "zod";
import { contentSchema, givenContentSchema, type AgentContent } from "./blocks.ts";
import { AgentMessageStatus, AgentRole, open } from "./enums.ts";

/** An instant in ISO 8601, as the wire has it. */
export const instantSchema = z.string();

function now(): string {
  return new Date().toISOString();
}

/** A message of a thread, as it is read. */
export const messageSchema = z.object({
  role: open(AgentRole),
  content: z.array(contentSchema),
  status: open(AgentMessageStatus).default("not_started"),
  created: instantSchema.default(now),
});
export type AgentMessage = z.output<typeof messageSchema>;

/** A message as a request has it: roles and blocks are known ones; what is left out is for the server to say. */
export const givenMessageSchema = z.object({
  role: z.enum(AgentRole),
  content: z.array(givenContentSchema),
  status: z.enum(AgentMessageStatus).optional(),
  created: z.iso.datetime({ offset: true }).optional(),
});

const terminal: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

/** What one does with messages. */
export const AgentMessage = {
  /** A message of one text. */
  text(text: string, role: AgentRole = "user"): AgentMessage {
    return { role, content: [{ content_type: "text", text }], status: "not_started", created: now() };
  },
  /** Whether a message came to its end well. */
  isComplete: ({ status }: AgentMessage): boolean => status === "completed",
  /** Whether nothing is going to be added to a message. */
  isTerminal: ({ status }: AgentMessage): boolean => terminal.has(status),
  /** Whether an answer failed or was cancelled; what a user wrote never counts. */
  isUnsuccessful: ({ role, status }: AgentMessage): boolean =>
    role !== "user" && (status === "failed" || status === "cancelled"),
  /** The text of a message, its text blocks joined. */
  textOf: ({ content }: { readonly content: readonly AgentContent[] }): string =>
    content.map((block) => (block.content_type === "text" ? block.text : "")).join(""),
} as const;
