import { z } from "zod";
import { ClientToolResultStatus } from "./enums.ts";

/** What a client tool may be called: as the model sees it; `__` is kept for tools of MCP servers. */
export const clientToolNameSchema = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/, "is a letter followed by at most 63 letters, digits and underscores")
  .refine((name) => !name.includes("__"), "holds no `__`");

/** A client tool as the server and the model see it. */
export const clientToolSpecSchema = z.object({
  name: clientToolNameSchema,
  description: z.string().refine((text) => text.trim() !== "", "is not blank"),
  /** A JSON Schema of an object. */
  input_schema: z.record(z.string(), z.unknown()),
});
export type ClientToolSpec = z.output<typeof clientToolSpecSchema>;

/** What a client tool answered one call. */
export const clientToolResultSchema = z.object({
  tool_use_id: z.string(),
  tool_name: z.string(),
  runtime_ms: z.int().min(0),
  status: z.enum(ClientToolResultStatus),
  output: z.record(z.string(), z.unknown()).nullish(),
});
export type ClientToolResult = z.input<typeof clientToolResultSchema>;
