import * as z from "zod";

import { Str, Suspend } from "../../values/builtin.ts";
import { makeType } from "../../values/value.ts";
import { factory } from "../factory.ts";

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

/** What a run asks from outside when nobody can answer at once. */
const userQuestion = z.strictObject({
  type: z.literal("user-question"),
  question: z.string(),
  timeoutSeconds: z.number().positive().optional(),
});
export type UserQuestion = z.output<typeof userQuestion>;

/**
 * Asks the user; bound to the text that stands for no reply in time. Without a live user channel the run suspends, and
 * the reply is given to `agent.resume`.
 */
export const promptUser = factory<string>()({
  name: "prompt_user",
  description: "Ask the user and wait for the reply. Everything you say to the user goes through this tool.",
  input: question,
  output: [Str, Suspend],
  suspends: { request: userQuestion, reply: Str },
  polls: true,
  run: async ({ value, timeout_seconds: timeoutSeconds }, { io, signal }, fallback) => {
    if (!io.isLive) {
      const asked = { type: "user-question", question: value };
      return Suspend({ request: timeoutSeconds === undefined ? asked : { ...asked, timeoutSeconds } });
    }
    const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;
    return (await io.ask(value, { timeoutMs, signal })) ?? Str({ value: fallback });
  },
});

/** What stands for a reply when the user gave none in time. */
export const noReply = "The user did not respond.";
