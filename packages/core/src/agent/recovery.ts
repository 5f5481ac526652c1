import { isExternalCallInterrupted, isProviderRequestError } from "../llm/errors.ts";
import { userMessage, type Message } from "../values/message.ts";

/** A failure after which a user that can be asked may let the run go on. */
export type RecoveryReason = "provider" | "interrupted";

/** Why a run may ask the user instead of ending; undefined when it may not. */
export function recoveryReason(error: unknown): RecoveryReason | undefined {
  if (isExternalCallInterrupted(error)) return "interrupted";
  return isProviderRequestError(error) ? "provider" : undefined;
}

/** What the user is asked. */
export const recoveryQuestions: Readonly<Record<RecoveryReason, string>> = {
  provider:
    "The model's provider refused the request. Choose another model if need be, then reply to try again.",
  interrupted: "Interrupted. How shall I go on?",
};

/** What the conversation keeps of an interruption. */
export function interruptedNotice(): Message {
  return userMessage("The user interrupted your last reply; it was discarded.", {
    messageKind: "interrupted_generation",
  });
}
