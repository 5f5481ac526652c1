import { z } from "zod";
import { feedbackCategories, FeedbackCategory, FeedbackSentiment, open } from "./enums.ts";
import { instantSchema } from "./message.ts";

/** A rating as it is given: categories become a sorted set, blank notes null, and the rules between them are checked. */
export const submitFeedbackRequestSchema = z
  .object({
    sentiment: z.enum(FeedbackSentiment),
    categories: z
      .array(z.enum(FeedbackCategory))
      .nullish()
      .transform((given) => [...new Set(given ?? [])].sort()),
    notes: z
      .string()
      .nullish()
      .transform((notes) => (notes == null || notes.trim() === "" ? null : notes)),
  })
  .superRefine(({ sentiment, categories, notes }, context) => {
    const fitting: readonly FeedbackCategory[] = feedbackCategories[sentiment];
    for (const category of categories) {
      if (fitting.includes(category)) continue;
      context.addIssue({
        code: "custom",
        path: ["categories"],
        message: `\`${category}\` does not fit a ${sentiment} rating; ${fitting.join(", ")} do`,
      });
    }
    if (categories.includes("other") && notes === null) {
      context.addIssue({ code: "custom", path: ["notes"], message: "says what `other` stands for" });
    }
  });
export interface SubmitFeedbackRequest {
  readonly sentiment: FeedbackSentiment;
  /** Those that fit the sentiment, see {@link feedbackCategories}; none by default. */
  readonly categories?: readonly FeedbackCategory[] | null | undefined;
  /** Asked for by the category `other`. */
  readonly notes?: string | null | undefined;
}

const userFeedback = {
  feedback_id: z.string(),
  thread_id: z.string(),
  message_sequence_num: z.number(),
  org_id: z.string(),
  created: instantSchema,
  created_by: z.string(),
  modified: instantSchema,
  modified_by: z.string(),
  sentiment: open(FeedbackSentiment),
  categories: z.array(open(FeedbackCategory)).default([]),
  notes: z.string().nullable().default(null),
};

/** A rating as users see it. */
export const userFeedbackSchema = z.object(userFeedback);
export type UserFeedbackRecord = z.output<typeof userFeedbackSchema>;

/** A rating as admins see it, with what became of it. */
export const adminFeedbackSchema = z.object({
  ...userFeedback,
  admin_label: z.string().nullable().default(null),
  admin_note: z.string().nullable().default(null),
  resolved: z.boolean().default(false),
  resolved_by: z.string().nullable().default(null),
  resolved_at: instantSchema.nullable().default(null),
});
export type AdminFeedbackRecord = z.output<typeof adminFeedbackSchema>;

/** What is left out stays as it is, null clears; an unknown field is refused. */
export const updateFeedbackRequestSchema = z.strictObject({
  admin_label: z.string().nullable().optional(),
  admin_note: z.string().nullable().optional(),
  resolved: z.boolean().nullable().optional(),
});
export type UpdateFeedbackRequest = z.input<typeof updateFeedbackRequestSchema>;
