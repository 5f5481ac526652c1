import { redactSecrets } from "../dependencies/redact.ts";
import {
  isExternalCallInterrupted,
  isProviderRequestError,
  type AnyProviderRequestError,
} from "../llm/errors.ts";
import { userMessage, type Message } from "../values/message.ts";

/** A failure after which a user that can be asked may let the run go on. */
export type RecoveryReason = "provider" | "interrupted";

/** Why a run may ask the user instead of ending; undefined when it may not. */
export function recoveryReason(error: unknown): RecoveryReason | undefined {
  if (isExternalCallInterrupted(error)) return "interrupted";
  return isProviderRequestError(error) ? "provider" : undefined;
}

const refusals: Readonly<Record<AnyProviderRequestError["code"], string>> = {
  "core/llm-auth": "did not accept the credential",
  "core/llm-insufficient-funds": "says that the account has no funds or quota left",
  "core/llm-rate-limit": "takes no more requests for now",
  "core/llm-context-limit": "takes no conversation as long as this one",
  "core/llm-provider-request": "refused the request",
};

/** What the user is asked: why, by the class of the failure and never by its text, and what helps. */
export function recoveryQuestion(error: unknown): string {
  if (!isProviderRequestError(error)) return "Interrupted. How shall I go on?";
  const status = error.status === undefined ? "" : ` (status ${error.status})`;
  return `The model's provider ${refusals[error.code]}${status}. Choose another model if need be, then reply to try again.`;
}

/** What the conversation keeps of an interruption. */
export function interruptedNotice(): Message {
  return userMessage("The user interrupted your last reply; it was discarded.", {
    messageKind: "interrupted_generation",
  });
}

/** What the model is told of a failure; it stays in the conversation, so that secrets are masked. */
export function failureText(cause: unknown): string {
  if (typeof cause === "string") return redactSecrets(cause);
  try {
    if (cause instanceof Error) return redactSecrets(`${cause.name}: ${cause.message}`);
  } catch {
    // What was thrown fails again when it is looked at.
  }
  return "something that is no error was thrown";
}
