import { CoreError, type StopAgent } from "../errors.ts";

/** What identifies a failed provider call: never a prompt, a reply, an address or a key. */
export interface ProviderFailure {
  readonly message: string;
  /** The HTTP status, where there is one. */
  readonly status?: number | undefined;
  /** The provider's own name for the request, for its support. */
  readonly requestId?: string | undefined;
  /** Milliseconds the provider asks to wait before the next attempt. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Base of the errors that a provider's answer, or its absence, stands for. */
abstract class ProviderError extends CoreError {
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ message, status, requestId, retryAfterMs, cause }: ProviderFailure) {
    super(message, { cause });
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The provider refused the request with a client error of no more special kind. The user can act. */
export class LLMProviderRequestError extends ProviderError {
  readonly code = "core/llm-provider-request";
}

/** The provider did not accept the credential. */
export class LLMAuthError extends ProviderError {
  readonly code = "core/llm-auth";
}

/** The account has no funds or quota left. */
export class LLMInsufficientFundsError extends ProviderError {
  readonly code = "core/llm-insufficient-funds";
}

/** Too many requests; retried, and thrown when the attempts are used up. */
export class LLMRateLimitExceededError extends ProviderError {
  readonly code = "core/llm-rate-limit";
}

/** The conversation is longer than the model's context. */
export class LLMContextLimitExceededError extends ProviderError {
  readonly code = "core/llm-context-limit";
}

/** The provider could not be reached or is overloaded; retried, and thrown when the attempts are used up. */
export class LLMProviderUnavailableError extends ProviderError {
  readonly code = "core/llm-provider-unavailable";
}

/** A failure that fits no other class; the origin is the `cause`. */
export class LLMUnknownProviderError extends ProviderError {
  readonly code = "core/llm-unknown-provider";
}

/** The request could not be made, or the endpoint could not be used: a mistake on this side. */
export class LLMClientError extends CoreError {
  readonly code = "core/llm-client";
}

/** Why a reply was not accepted: no JSON object, fields that do not fit, or an action that is not offered. */
export type ReplyProblem = "json" | "schema" | "action";

/** The model gave no usable reply in all its tries. */
export class LLMOutputFormatError extends CoreError {
  readonly code = "core/llm-output-format";
  readonly tries: number;
  /** What was wrong with the last reply; null when none was asked for. */
  readonly problem: ReplyProblem | null;

  constructor({ tries, problem }: { tries: number; problem: ReplyProblem | null }) {
    super(
      problem === null
        ? "The model was given no try, so there is no reply; allow at least 1 in `tries`"
        : `The model gave no usable reply in ${tries} ${tries === 1 ? "try" : "tries"}; in the last one ${lastFault[problem]}`,
    );
    this.tries = tries;
    this.problem = problem;
  }
}

const lastFault: Readonly<Record<ReplyProblem, string>> = {
  json: "there was no JSON object",
  schema: "fields did not fit the schema",
  action: "the action was none of those offered",
};

/** A wait on outside work was given up because its run was cancelled. */
export class ExternalCallCancelledError extends CoreError {
  readonly code = "core/external-call-cancelled";

  constructor({ operation, cause }: { operation: string; cause?: unknown }) {
    super(`${operation} was cancelled`, { cause });
  }
}

/** A wait on outside work was given up because it was interrupted; its run may go on. */
export class ExternalCallInterruptedError extends CoreError {
  readonly code = "core/external-call-interrupted";

  constructor({ operation }: { operation: string }) {
    super(`${operation} was interrupted`);
  }
}

/** Outside work did not finish in the time allowed here. */
export class ExternalCallTimeoutError extends CoreError {
  readonly code = "core/external-call-timeout";
  readonly timeoutMs: number;

  constructor({ operation, timeoutMs }: { operation: string; timeoutMs: number }) {
    super(`${operation} did not finish within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** A model call was given up because its run was cancelled. */
export class LLMCallCancelledError extends CoreError {
  readonly code = "core/llm-call-cancelled";

  constructor({ cause }: { cause?: unknown } = {}) {
    super("The model call was cancelled", { cause });
  }
}

/** A model call was given up because it was interrupted; its run may go on. */
export class LLMCallInterruptedError extends CoreError {
  readonly code = "core/llm-call-interrupted";

  constructor() {
    super("The model call was interrupted");
  }
}

/** A model call did not finish in the time allowed here; never retried. */
export class LLMCallTimeoutError extends CoreError {
  readonly code = "core/llm-call-timeout";
  readonly timeoutMs: number;

  constructor({ timeoutMs }: { timeoutMs: number }) {
    super(`The model call did not finish within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** Any error of the model layer. */
export type AnyLLMError =
  | AnyProviderRequestError
  | LLMProviderUnavailableError
  | LLMUnknownProviderError
  | LLMClientError
  | LLMOutputFormatError
  | LLMCallCancelledError
  | LLMCallInterruptedError
  | LLMCallTimeoutError;

/** The errors by which a provider refuses a request, so that a user can act: another model, another key, a pause. */
export type AnyProviderRequestError =
  | LLMProviderRequestError
  | LLMAuthError
  | LLMInsufficientFundsError
  | LLMRateLimitExceededError
  | LLMContextLimitExceededError;

/** The errors that end a wait on outside work. A model call's own are among them. */
export type AnyExternalCallError =
  | ExternalCallCancelledError
  | ExternalCallInterruptedError
  | ExternalCallTimeoutError
  | LLMCallCancelledError
  | LLMCallInterruptedError
  | LLMCallTimeoutError;

const requestErrorCodes: ReadonlySet<string> = new Set<AnyProviderRequestError["code"]>([
  "core/llm-provider-request",
  "core/llm-auth",
  "core/llm-insufficient-funds",
  "core/llm-rate-limit",
  "core/llm-context-limit",
]);

/** Whether an error is one of the model layer, of any installed copy of this package. */
export function isLLMError(error: unknown): error is AnyLLMError {
  return CoreError.is(error) && error.code.startsWith("core/llm-");
}

/** Whether a provider refused a request for a reason that a user can act on. */
export function isProviderRequestError(error: unknown): error is AnyProviderRequestError {
  return CoreError.is(error) && requestErrorCodes.has(error.code);
}

/** Whether an error ended a wait on outside work: cancelled, interrupted or timed out, of a model call or another. */
export function isExternalCallError(error: unknown): error is AnyExternalCallError {
  return CoreError.is(error) && /^core\/(?:external|llm)-call-/.test(error.code);
}

/** Whether outside work, a model call or another, was given up because the run was cancelled. */
export function isExternalCallCancelled(
  error: unknown,
): error is ExternalCallCancelledError | LLMCallCancelledError {
  return isExternalCallError(error) && error.code.endsWith("-cancelled");
}

/** Whether outside work, a model call or another, was interrupted. */
export function isExternalCallInterrupted(
  error: unknown,
): error is ExternalCallInterruptedError | LLMCallInterruptedError {
  return isExternalCallError(error) && error.code.endsWith("-interrupted");
}

/** Whether outside work, a model call or another, ran out of its time. */
export function isExternalCallTimeout(
  error: unknown,
): error is ExternalCallTimeoutError | LLMCallTimeoutError {
  return isExternalCallError(error) && error.code.endsWith("-timeout");
}

/** Whether an error ends a run as cancelled rather than failed: a cancelled call, or a tool that ended the run. */
export function isCancelled(
  error: unknown,
): error is ExternalCallCancelledError | LLMCallCancelledError | StopAgent {
  return isExternalCallCancelled(error) || (CoreError.is(error) && error.code === "core/stop-agent");
}
