import { ERROR_RETRY } from "../../truncation/policy.ts";
import type { Message } from "../../values/message.ts";
import { callText } from "../call-text.ts";
import type { ModelReply } from "../call.ts";
import type { ReplyProblem } from "../errors.ts";
import type { Rejection } from "./validate.ts";

const noImages: Message["images"] = Object.freeze([]);

const hints: Readonly<Record<ReplyProblem, string>> = {
  json: "Reply with one JSON object and nothing else: no text around it, no code fence, quotes and line breaks inside strings escaped.",
  schema: "Reply with one JSON object that has exactly the fields of the schema, each of the right type.",
  action: "Reply with one JSON object whose `action` is one of the tools listed.",
};

/**
 * Tells the model why its reply was not accepted. Shown for a while, then forgotten.
 *
 * @param reply - The reply itself; left out when it is not to be repeated.
 */
export function repairMessage(
  { problem, text, hint = hints[problem] }: Rejection,
  reply: ModelReply | undefined,
): Message {
  const echo = reply === undefined ? "" : `\n\nYour reply was:\n${reply.text}${callText(reply.toolCalls)}`;
  return Object.freeze({
    role: "error",
    content: `Your last reply was not accepted. ${text}. ${hint}${echo}`,
    images: noImages,
    truncation: ERROR_RETRY,
  });
}
