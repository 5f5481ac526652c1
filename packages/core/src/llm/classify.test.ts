import { describe, expect, it } from "vitest";

import { failure } from "./__fixtures__/scripted-client.ts";
import { classifyError, errorKind } from "./classify.ts";
import {
  LLMCallCancelledError,
  LLMCallInterruptedError,
  LLMCallTimeoutError,
  LLMClientError,
} from "./errors.ts";

class TooFast extends Error {
  readonly kind = "fast";
}
class TooLong extends Error {
  readonly kind = "long";
}
const declared = { rateLimitError: TooFast, contextLengthError: TooLong };
const ring = failure("odd");
ring.cause = ring;

describe("what a provider's failure stands for", () => {
  it.each([
    { why: "already one of ours", error: new LLMClientError("no"), code: "core/llm-client" },
    {
      why: "the declared class, whatever the status",
      error: Object.assign(new TooFast("x"), { status: 500 }),
      code: "core/llm-rate-limit",
    },
    {
      why: "the declared class for length",
      error: new TooLong("insufficient"),
      code: "core/llm-context-limit",
    },
    {
      why: "a 500, whatever its text",
      error: failure("rate limit; api key", { status: 500 }),
      code: "core/llm-provider-unavailable",
    },
    { why: "a 599", error: failure("x", { statusCode: 599 }), code: "core/llm-provider-unavailable" },
    { why: "a 401", error: failure("x", { status: 401 }), code: "core/llm-auth" },
    { why: "a 403", error: failure("x", { status_code: 403 }), code: "core/llm-auth" },
    {
      why: "the text of a bad key",
      error: failure("Incorrect API key provided", { status: 400 }),
      code: "core/llm-auth",
    },
    { why: "the code of a bad key", error: failure("x", { code: "UNAUTHORIZED" }), code: "core/llm-auth" },
    { why: "a 402", error: failure("x", { status: 402 }), code: "core/llm-insufficient-funds" },
    {
      why: "core 82: a 429 that speaks of the quota",
      error: failure("insufficient quota", { status: 429 }),
      code: "core/llm-insufficient-funds",
    },
    {
      why: "core 82: the same of a declared class",
      error: Object.assign(new TooFast("insufficient quota"), { status: 429 }),
      code: "core/llm-rate-limit",
    },
    {
      why: "the type of an empty account",
      error: failure("x", { type: "quota_exceeded" }),
      code: "core/llm-insufficient-funds",
    },
    { why: "a 429", error: failure("x", { status: 429 }), code: "core/llm-rate-limit" },
    { why: "both words of a rate limit", error: failure("Limit of the rate"), code: "core/llm-rate-limit" },
    {
      why: "one word of a rate limit, with a status",
      error: failure("limit", { status: 400 }),
      code: "core/llm-provider-request",
    },
    {
      why: "the text of a context limit",
      error: failure("Maximum context length exceeded", { status: 400 }),
      code: "core/llm-context-limit",
    },
    {
      why: "too many tokens",
      error: failure("Too many tokens", { status: 400 }),
      code: "core/llm-context-limit",
    },
    {
      why: "the text of an overload",
      error: failure("Model overloaded", { status: 400 }),
      code: "core/llm-provider-unavailable",
    },
    {
      why: "core 84: a broken pipe as the cause",
      error: new Error("odd", { cause: failure("write", { code: "EPIPE" }) }),
      code: "core/llm-provider-unavailable",
    },
    {
      why: "core 84: the words of a broken pipe",
      error: new Error("odd", { cause: new Error("Broken pipe") }),
      code: "core/llm-provider-unavailable",
    },
    {
      why: "a reset connection, far down",
      error: new Error("a", { cause: new Error("b", { cause: failure("c", { code: "ECONNRESET" }) }) }),
      code: "core/llm-provider-unavailable",
    },
    {
      why: "a client's transport error",
      error: Object.assign(failure("Connection error."), { name: "APIConnectionError" }),
      code: "core/llm-provider-unavailable",
    },
    {
      why: "core 83: a 418",
      error: failure("I'm a teapot", { status: 418 }),
      code: "core/llm-provider-request",
    },
    {
      why: "an unsupported format",
      error: failure("Unsupported response format", { status: 400 }),
      code: "core/llm-provider-request",
    },
    {
      why: "a status that is no failure",
      error: failure("x", { status: 302 }),
      code: "core/llm-unknown-provider",
    },
    {
      why: "a bug of the client",
      error: new TypeError("x is not a function"),
      code: "core/llm-unknown-provider",
    },
    { why: "a ring of causes", error: ring, code: "core/llm-unknown-provider" },
    { why: "a text that was thrown", error: "rate limit", code: "core/llm-rate-limit" },
    { why: "nothing that was thrown", error: undefined, code: "core/llm-unknown-provider" },
  ])("$why: $code", ({ error, code }) => {
    expect(classifyError(error, declared).code).toBe(code);
  });

  it("keeps the provider's words out of the message, and its error in the cause", () => {
    const origin = failure("the key sk-secret is wrong", { status: 401 });
    const error = classifyError(origin);
    expect(error.message).toBe("The provider did not accept the credential; check the key (status 401)");
    expect(error.cause).toBe(origin);
  });

  it.each([
    { why: "a field of the error", facts: { requestID: "req_1" } },
    { why: "a header", facts: { headers: new Headers({ "X-Request-Id": "req_1" }) } },
    { why: "a header of another name", facts: { headers: { "request-id": "req_1" } } },
    {
      why: "a header of the response",
      facts: { response: { headers: new Headers({ "x-correlation-id": "req_1" }) } },
    },
  ])("finds the request's identifier in $why", ({ facts }) => {
    expect(classifyError(failure("x", { status: 429, ...facts }))).toMatchObject({
      requestId: "req_1",
      status: 429,
    });
  });

  it.each([
    { headers: { "retry-after": "3" }, retryAfterMs: 3000 },
    { headers: { "retry-after": "0.5" }, retryAfterMs: 500 },
    { headers: { "retry-after-ms": "20", "retry-after": "3" }, retryAfterMs: 20 },
    { headers: { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, retryAfterMs: 0 },
    {
      headers: { "retry-after": "Thu, 01 Jan 1970 00:00:09 GMT", date: "Thu, 01 Jan 1970 00:00:02 GMT" },
      retryAfterMs: 7000,
    },
    { headers: { "retry-after": "soon" }, retryAfterMs: undefined },
    { headers: { "retry-after": "-1" }, retryAfterMs: undefined },
    { headers: { "retry-after": "" }, retryAfterMs: undefined },
    { headers: {}, retryAfterMs: undefined },
  ])("reads $headers as $retryAfterMs ms", ({ headers, retryAfterMs }) => {
    const error = classifyError(failure("x", { status: 429, headers: new Headers(headers) }));
    expect(error).toMatchObject({ retryAfterMs });
  });
});

it.each([
  { error: new LLMCallCancelledError(), kind: "cancelled" },
  { error: new LLMCallInterruptedError(), kind: "interrupted" },
  { error: new LLMCallTimeoutError({ timeoutMs: 1 }), kind: "timeout" },
  { error: failure("x", { status: 401 }), kind: "auth" },
  { error: failure("x", { status: 402 }), kind: "insufficient_funds" },
  { error: failure("x", { status: 429 }), kind: "rate_limit" },
  { error: failure("context"), kind: "context_limit" },
  { error: failure("x", { status: 418 }), kind: "provider_request" },
  { error: failure("x", { status: 503 }), kind: "provider_unavailable" },
  { error: failure("x"), kind: "unknown_provider_error" },
  { error: new LLMClientError("x"), kind: "unknown_provider_error" },
])("calls $error.message `$kind` in events", ({ error, kind }) => {
  expect(errorKind(classifyError(error))).toBe(kind);
});
