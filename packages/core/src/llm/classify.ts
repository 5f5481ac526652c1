import {
  LLMAuthError,
  LLMContextLimitExceededError,
  LLMInsufficientFundsError,
  LLMProviderRequestError,
  LLMProviderUnavailableError,
  LLMRateLimitExceededError,
  LLMUnknownProviderError,
  isLLMError,
  type AnyLLMError,
  type ProviderFailure,
} from "./errors.ts";

/** Any class of errors, for `instanceof`. */
export type ErrorClass = abstract new (...given: never[]) => Error;

/** The error classes by which an endpoint's client says more than a status does. */
export interface DeclaredErrors {
  readonly rateLimitError?: ErrorClass | undefined;
  readonly contextLengthError?: ErrorClass | undefined;
}

const transportCodes: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_SOCKET",
  "ERR_STREAM_PREMATURE_CLOSE",
]);
const transportNames: ReadonlySet<string> = new Set(["APIConnectionError", "APIConnectionTimeoutError"]);
const transportTexts = /broken pipe|connection (?:reset|refused|timed out)|socket hang up|^terminated$/i;

/**
 * The error that a client's failure stands for; the first rule that matches wins. The provider's own text decides
 * among the rules and stays in `cause`: it is not repeated in the message.
 */
export function classifyError(error: unknown, declared: DeclaredErrors = {}): AnyLLMError {
  if (isLLMError(error)) return error;
  const status = statusOf(error);
  const failure = (problem: string): ProviderFailure => ({
    message: `The provider ${problem}${status === undefined ? "" : ` (status ${status})`}`,
    status,
    requestId: requestIdOf(error),
    retryAfterMs: retryAfterOf(error),
    cause: error,
  });
  const rateLimit = (): AnyLLMError =>
    new LLMRateLimitExceededError(failure("has a limit on the rate of requests, which was reached"));
  const contextLimit = (): AnyLLMError =>
    new LLMContextLimitExceededError(
      failure(
        "refused the conversation as longer than the model's context; shorten it, or choose another model",
      ),
    );
  if (declared.rateLimitError !== undefined && error instanceof declared.rateLimitError) return rateLimit();
  if (declared.contextLengthError !== undefined && error instanceof declared.contextLengthError) {
    return contextLimit();
  }

  const text = textOf(error);
  if (status !== undefined && status >= 500 && status <= 599) {
    return new LLMProviderUnavailableError(failure("is not available"));
  }
  if (status === 401 || status === 403 || /auth|api key|unauthorized|forbidden/.test(text)) {
    return new LLMAuthError(failure("did not accept the credential; check the key"));
  }
  if (status === 402 || /insufficient|funds|balance|quota_exceeded/.test(text)) {
    return new LLMInsufficientFundsError(failure("says that the account has no funds or quota left"));
  }
  if (status === 429 || (text.includes("rate") && text.includes("limit"))) return rateLimit();
  if (/context|token limit|too many tokens/.test(text)) return contextLimit();
  if (/unavailable|overloaded|timeout/.test(text) || isTransportFailure(error)) {
    return new LLMProviderUnavailableError(failure("could not be reached or is overloaded"));
  }
  if (status !== undefined && status >= 400 && status <= 499) {
    return new LLMProviderRequestError(failure("refused the request"));
  }
  return new LLMUnknownProviderError(failure("failed in a way that is not known"));
}

/** The names that runtime events use for errors. */
export function errorKind(error: unknown): string {
  if (!isLLMError(error)) return "unknown_provider_error";
  switch (error.code) {
    case "core/llm-call-interrupted":
      return "interrupted";
    case "core/llm-call-cancelled":
      return "cancelled";
    case "core/llm-call-timeout":
      return "timeout";
    case "core/llm-auth":
      return "auth";
    case "core/llm-insufficient-funds":
      return "insufficient_funds";
    case "core/llm-rate-limit":
      return "rate_limit";
    case "core/llm-context-limit":
      return "context_limit";
    case "core/llm-provider-request":
      return "provider_request";
    case "core/llm-provider-unavailable":
      return "provider_unavailable";
    default:
      return "unknown_provider_error";
  }
}

function property(subject: unknown, name: string): unknown {
  return typeof subject === "object" && subject !== null ? Reflect.get(subject, name) : undefined;
}

function statusOf(error: unknown): number | undefined {
  for (const name of ["statusCode", "status_code", "status"]) {
    const status = property(error, name);
    if (typeof status === "number" && Number.isInteger(status)) return status;
  }
  return undefined;
}

/** The provider's code and type with the message, in lower case. */
function textOf(error: unknown): string {
  const parts = [property(error, "code"), property(error, "type"), property(error, "message")];
  if (typeof error === "string") parts.push(error);
  return parts
    .filter((part) => typeof part === "string")
    .join(" ")
    .toLowerCase();
}

/** Whether the connection itself failed, anywhere in the chain of causes. */
function isTransportFailure(error: unknown): boolean {
  let link = error;
  // A chain of causes may be a ring.
  for (let depth = 0; depth < 10 && link !== undefined && link !== null; depth += 1) {
    const code = property(link, "code");
    const name = property(link, "name");
    const message = property(link, "message");
    if (typeof code === "string" && transportCodes.has(code)) return true;
    if (typeof name === "string" && transportNames.has(name)) return true;
    if (typeof message === "string" && transportTexts.test(message)) return true;
    link = property(link, "cause");
  }
  return false;
}

const requestIdHeaders = ["x-request-id", "request-id", "x-correlation-id"] as const;

function requestIdOf(error: unknown): string | undefined {
  for (const name of ["requestId", "requestID", "request_id"]) {
    const id = property(error, name);
    if (typeof id === "string" && id !== "") return id;
  }
  for (const name of requestIdHeaders) {
    const id = headerOf(error, name);
    if (id !== undefined && id !== "") return id;
  }
  return undefined;
}

/** A header of the response that an error carries, as `Headers` or as a plain object. */
function headerOf(error: unknown, name: string): string | undefined {
  const headers = property(error, "headers") ?? property(property(error, "response"), "headers");
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const header = property(headers, name);
  return typeof header === "string" ? header : undefined;
}

/** Milliseconds that the provider asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfterOf(error: unknown): number | undefined {
  const ms = Number(headerOf(error, "retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const header = headerOf(error, "retry-after")?.trim();
  if (header === undefined || header === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const sentAt = Date.parse(headerOf(error, "date") ?? "");
  const wait = Date.parse(header) - (Number.isNaN(sentAt) ? Date.now() : sentAt);
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
