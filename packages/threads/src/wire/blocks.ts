import { z } from "zod";
import { AgentContentType } from "./enums.ts";

const jsonObject = z.record(z.string(), z.unknown());

/** A run of text. */
export const textContentSchema = z.object({ content_type: z.literal("text"), text: z.string() });
export type AgentTextContent = z.output<typeof textContentSchema>;

/** A call of a tool: `input` are its arguments, `raw_request` the unsanitised payload where the server shows it. */
export const toolUseContentSchema = z.object({
  content_type: z.literal("tool_use"),
  tool_name: z.string(),
  tool_use_id: z.string(),
  input: jsonObject.nullable().default(null),
  raw_request: jsonObject.nullable().default(null),
});
export type AgentToolUseContent = z.output<typeof toolUseContentSchema>;

/** What a tool answered; only the status `success` means success. For a client tool `raw_response` is its output. */
export const toolResultContentSchema = z.object({
  content_type: z.literal("tool_result"),
  tool_name: z.string(),
  tool_use_id: z.string(),
  runtime_ms: z.number(),
  status: z.string(),
  raw_response: jsonObject.nullable().default(null),
});
export type AgentToolResultContent = z.output<typeof toolResultContentSchema>;

/** Why a generation failed or was cancelled. */
export const errorContentSchema = z.object({
  content_type: z.literal("error"),
  error_message: z.string(),
  error_code: z.string().nullable().default(null),
});
export type AgentErrorContent = z.output<typeof errorContentSchema>;

/** A block that was taken out of a compressed variant. */
export const deletedContentSchema = z.object({ content_type: z.literal("deleted") });
export type AgentDeletedContent = z.output<typeof deletedContentSchema>;

/** Keeps the role of a message that a compression emptied. */
export const compressionFillerContentSchema = z.object({ content_type: z.literal("compression_filler") });
export type AgentCompressionFillerContent = z.output<typeof compressionFillerContentSchema>;

const knownContentSchema = z.discriminatedUnion("content_type", [
  textContentSchema,
  toolUseContentSchema,
  toolResultContentSchema,
  errorContentSchema,
  deletedContentSchema,
  compressionFillerContentSchema,
]);

const knownTypes: ReadonlySet<string> = new Set(Object.values(AgentContentType));

/**
 * A block of a kind that a later server sends, kept as it is. It has no type, so that comparing `content_type` tells the
 * known ones apart; a `switch` over it keeps a default.
 */
const otherContentSchema = z.custom<never>(
  (block) =>
    typeof block === "object" &&
    block !== null &&
    "content_type" in block &&
    typeof block.content_type === "string" &&
    !knownTypes.has(block.content_type),
);

/** Says what a block is when its sender left that out, by the fields it has. */
export function withContentType(block: unknown): unknown {
  if (typeof block !== "object" || block === null) return block;
  if ("content_type" in block && block.content_type !== undefined && block.content_type !== null)
    return block;
  const content_type = typeOfShape(block);
  return content_type === undefined ? block : { ...block, content_type };
}

function typeOfShape(block: object): AgentContentType | undefined {
  if ("tool_name" in block && "tool_use_id" in block) {
    return "runtime_ms" in block && "status" in block ? "tool_result" : "tool_use";
  }
  if ("text" in block) return "text";
  if ("error_message" in block) return "error";
  return undefined;
}

/** A block as a client reads it: by its type, else by its shape; one of an unknown type is kept as it is. */
export const contentSchema = z.preprocess(withContentType, z.union([knownContentSchema, otherContentSchema]));
export type AgentContent = z.output<typeof contentSchema>;

/** A block as a server takes it: the same, and what fits nothing is refused. */
export const givenContentSchema = z.preprocess<
  unknown,
  typeof knownContentSchema,
  z.input<typeof knownContentSchema>
>(withContentType, knownContentSchema);
