import { describe, expect, it } from "vitest";

import { StopAgent, ToolTimeoutError } from "../errors.ts";
import {
  ExternalCallCancelledError,
  ExternalCallInterruptedError,
  ExternalCallTimeoutError,
  isCancelled,
  isExternalCallCancelled,
  isExternalCallError,
  isExternalCallInterrupted,
  isExternalCallTimeout,
  isLLMError,
  isProviderRequestError,
  LLMAuthError,
  LLMCallCancelledError,
  LLMCallInterruptedError,
  LLMCallTimeoutError,
  LLMClientError,
  LLMContextLimitExceededError,
  LLMInsufficientFundsError,
  LLMOutputFormatError,
  LLMProviderRequestError,
  LLMProviderUnavailableError,
  LLMRateLimitExceededError,
  LLMUnknownProviderError,
} from "./errors.ts";

const failure = { message: "The provider said no", status: 400 };

describe("the families of errors", () => {
  const predicates = {
    isLLMError,
    isProviderRequestError,
    isExternalCallError,
    isExternalCallCancelled,
    isExternalCallInterrupted,
    isExternalCallTimeout,
    isCancelled,
  };
  it.each([
    { error: new LLMProviderRequestError(failure), families: ["isLLMError", "isProviderRequestError"] },
    { error: new LLMAuthError(failure), families: ["isLLMError", "isProviderRequestError"] },
    { error: new LLMInsufficientFundsError(failure), families: ["isLLMError", "isProviderRequestError"] },
    { error: new LLMRateLimitExceededError(failure), families: ["isLLMError", "isProviderRequestError"] },
    { error: new LLMContextLimitExceededError(failure), families: ["isLLMError", "isProviderRequestError"] },
    { error: new LLMProviderUnavailableError(failure), families: ["isLLMError"] },
    { error: new LLMUnknownProviderError(failure), families: ["isLLMError"] },
    { error: new LLMClientError("A mistake"), families: ["isLLMError"] },
    { error: new LLMOutputFormatError({ tries: 5, problem: "json" }), families: ["isLLMError"] },
    {
      error: new LLMCallCancelledError(),
      families: ["isLLMError", "isExternalCallError", "isExternalCallCancelled", "isCancelled"],
    },
    {
      error: new LLMCallInterruptedError(),
      families: ["isLLMError", "isExternalCallError", "isExternalCallInterrupted"],
    },
    {
      error: new LLMCallTimeoutError({ timeoutMs: 5 }),
      families: ["isLLMError", "isExternalCallError", "isExternalCallTimeout"],
    },
    {
      error: new ExternalCallCancelledError({ operation: "A script" }),
      families: ["isExternalCallError", "isExternalCallCancelled", "isCancelled"],
    },
    {
      error: new ExternalCallInterruptedError({ operation: "A script" }),
      families: ["isExternalCallError", "isExternalCallInterrupted"],
    },
    {
      error: new ExternalCallTimeoutError({ operation: "A script", timeoutMs: 5 }),
      families: ["isExternalCallError", "isExternalCallTimeout"],
    },
    { error: new StopAgent(), families: ["isCancelled"] },
    { error: new ToolTimeoutError({ toolName: "slow", timeoutMs: 5 }), families: [] },
    { error: new Error("core/llm-auth"), families: [] },
    { error: "core/llm-auth", families: [] },
  ])("$error belongs to exactly $families", ({ error, families }) => {
    const found = Object.entries(predicates)
      .filter(([, belongs]) => belongs(error))
      .map(([name]) => name);
    expect(found).toEqual(families);
  });
});

it("names the tries and the last fault when no reply was usable", () => {
  expect(new LLMOutputFormatError({ tries: 1, problem: "schema" }).message).toBe(
    "The model gave no usable reply in 1 try; in the last one fields did not fit the schema",
  );
  expect(new LLMOutputFormatError({ tries: 0, problem: null })).toMatchObject({ tries: 0, problem: null });
});
