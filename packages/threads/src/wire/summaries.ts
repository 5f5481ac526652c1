import { z } from "zod";
import { AISummaryStatus, open } from "./enums.ts";
import { instantSchema } from "./message.ts";

export const summarySchema = z.object({
  summary_id: z.string(),
  text: z.string().nullable().default(null),
  status: open(AISummaryStatus),
  created: instantSchema,
});
/** A text that a model writes about a dataset, and how far it is. */
export type AISummary = z.output<typeof summarySchema>;

export const promptRequestSchema = z.object({ prompt: z.string() });
export type PromptRequest = z.input<typeof promptRequestSchema>;

export const setSummaryRequestSchema = z.object({ summary: z.string() });
export type SetSummaryRequest = z.input<typeof setSummaryRequestSchema>;
