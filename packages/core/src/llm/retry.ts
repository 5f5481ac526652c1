import { systemClock } from "../runtime/clock.ts";
import { takeSlot } from "./call-slots.ts";
import { classifyError, type DeclaredErrors } from "./classify.ts";
import {
  isLLMError,
  LLMClientError,
  type LLMProviderUnavailableError,
  type LLMRateLimitExceededError,
} from "./errors.ts";
import { throwIfGivenUp, waitFor, type WaitLimits } from "./wait.ts";

/** How often, and after what waits, a call is made again. */
export interface RetrySettings {
  /** Attempts in all; default 3. Only rate limits and unavailable providers are tried again. */
  readonly maxAttempts?: number | undefined;
  /** Milliseconds before the second attempt, doubled before each further one; default 500. */
  readonly retryBaseDelayMs?: number | undefined;
  /** The longest wait, also when the provider asks for a longer one; default 4000. */
  readonly retryMaxDelayMs?: number | undefined;
}

/** An attempt that failed and is about to be made again. */
export interface Retry {
  /** The number of the coming attempt, from 2. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
  readonly error: LLMRateLimitExceededError | LLMProviderUnavailableError;
}

/** One operation, however many attempts it takes. */
export interface RetriedCall<T> {
  /** Makes one attempt; a signal that has fired already is its to heed. What it throws is taken for the provider's, unless it is an {@link OwnFailure}. */
  readonly attempt: (signal: AbortSignal) => Promise<T>;
  /** Asked before each retry; false lets the error stand. */
  readonly mayRetry?: (() => boolean) | undefined;
  readonly onRetry?: ((retry: Retry) => void | Promise<void>) | undefined;
  readonly declared: DeclaredErrors;
}

/** Carries an error that is not the provider's past the classification. */
export class OwnFailure extends Error {
  readonly origin: unknown;

  constructor(origin: unknown) {
    super("not the provider's");
    this.origin = origin;
  }
}

/** Checks settings before anything runs, and fills in the defaults. */
export function checkRetrySettings(settings: RetrySettings & WaitLimits): {
  readonly maxAttempts: number;
  readonly retryBaseDelayMs: number;
  readonly retryMaxDelayMs: number;
} {
  const { maxAttempts = 3, retryBaseDelayMs = 500, retryMaxDelayMs = 4000, timeoutMs } = settings;
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) {
    throw new LLMClientError("`maxAttempts` must be a whole number of 1 or more");
  }
  if (!(retryBaseDelayMs >= 0 && retryMaxDelayMs >= 0)) {
    throw new LLMClientError("`retryBaseDelayMs` and `retryMaxDelayMs` must be 0 or more");
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new LLMClientError("`timeoutMs` must be above 0; leave it out for no limit");
  }
  return { maxAttempts, retryBaseDelayMs, retryMaxDelayMs };
}

/**
 * Makes a call, and makes it again after a wait when the provider was busy or could not be reached. Gives up at once
 * when its limits say so, during an attempt, a wait for a slot or a pause.
 */
export async function callWithRetries<T>(
  call: RetriedCall<T>,
  settings: RetrySettings & WaitLimits,
): Promise<T> {
  const { maxAttempts, retryBaseDelayMs, retryMaxDelayMs } = checkRetrySettings(settings);
  for (let attempt = 1; ; attempt += 1) {
    throwIfGivenUp(settings);
    try {
      return await attemptOnce(call.attempt, settings);
    } catch (thrown) {
      if (thrown instanceof OwnFailure) throw thrown.origin;
      // What gave the call up is not the provider's either.
      throwIfGivenUp(settings);
      const error = classifyError(thrown, call.declared);
      const isRetried = attempt < maxAttempts && isBusy(error) && call.mayRetry?.() !== false;
      if (!isRetried) throw error;
      const backoff = retryBaseDelayMs * 2 ** (attempt - 1);
      const delayMs = Math.min(retryMaxDelayMs, error.retryAfterMs ?? backoff);
      await call.onRetry?.({ attempt: attempt + 1, maxAttempts, delayMs, error });
      await pause(delayMs, settings);
    }
  }
}

function isBusy(error: unknown): error is LLMRateLimitExceededError | LLMProviderUnavailableError {
  return (
    isLLMError(error) &&
    (error.code === "core/llm-rate-limit" || error.code === "core/llm-provider-unavailable")
  );
}

async function attemptOnce<T>(make: (signal: AbortSignal) => Promise<T>, settings: WaitLimits): Promise<T> {
  const controller = new AbortController();
  let free: () => void = () => undefined;
  const work = async (): Promise<T> => {
    free = await takeSlot(controller.signal);
    try {
      return await make(controller.signal);
    } finally {
      free();
    }
  };
  return await waitFor(work(), {
    ...settings,
    onGiveUp: () => {
      controller.abort();
      // A client that does not heed its signal must not keep others waiting.
      free();
    },
  });
}

async function pause(delayMs: number, { timeoutMs: _, ...settings }: WaitLimits): Promise<void> {
  const { clock = systemClock } = settings;
  let callOff: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    callOff = clock.after(delayMs, resolve);
  });
  await waitFor(over, { ...settings, onGiveUp: callOff });
}
