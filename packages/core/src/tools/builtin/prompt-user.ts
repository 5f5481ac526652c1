import * as z from "zod";

import { Str, Suspend } from "../../values/builtin.ts";
import { makeType } from "../../values/value.ts";
import { factory } from "../factory.ts";
import { askUser, userQuestion } from "./user-question.ts";

/** A question to the user, with an optional time to wait for the reply, in seconds. */
const question = makeType<
  "empty" | "user_question",
  { value: string; timeout_seconds?: number | undefined },
  { value: string; timeout_seconds?: number | undefined }
>(
  "user_question",
  ["empty"],
  z.strictObject({ value: z.string(), timeout_seconds: z.number().positive().optional() }),
);

/**
 * Asks the user; bound to the text that stands for no reply in time. Without a live user channel the run suspends, and
 * the reply, a text or a text with images, is given to `agent.resume`.
 */
export const promptUser = factory<string>()({
  name: "prompt_user",
  description: "Ask the user and wait for the reply. Everything you say to the user goes through this tool.",
  input: question,
  output: [Str, Suspend],
  suspends: { request: userQuestion, reply: Str },
  polls: true,
  run: ({ value, timeout_seconds: timeoutSeconds }, context, fallback) =>
    askUser(value, { timeoutSeconds, fallback }, context),
});
