import { NO_MESSAGE } from "../../truncation/policy.ts";
import { All, Str, Suspend } from "../../values/builtin.ts";
import { factory } from "../factory.ts";
import { askUser, noReply, userQuestion } from "./user-question.ts";

/**
 * A default tool that asks the user a question before the model's first turn, and does nothing later; bound to the
 * question. Without a live user channel the run suspends, and the reply is given to `agent.resume`.
 */
export const promptUserAtStart = factory<string>()({
  name: "prompt_user_at_start",
  description: "Ask the user what the run is about, once.",
  input: All,
  output: [Str, Suspend],
  suspends: { request: userQuestion, reply: Str },
  run: (_input, context, question) => {
    if (context.messages.some(({ role }) => role === "assistant"))
      return Str({ value: "" }, { truncation: NO_MESSAGE });
    return askUser(question, { fallback: noReply }, context);
  },
});
