import { RobotoTimeoutError } from "../../errors/client-errors.ts";
import { RobotoHttpException } from "../../errors/http-exception.ts";

/** How often a request is tried, and how long is waited in between. */
export interface RetrySettings {
  /** How often a request is tried at most, the first time included; 10 by default. */
  readonly attempts: number;
  /** The longest first wait in milliseconds, doubled with each attempt; 500 by default. */
  readonly baseMs: number;
  /** The longest wait in milliseconds; 30 000 by default. */
  readonly capMs: number;
}

export const defaultRetries: RetrySettings = { attempts: 10, baseMs: 500, capMs: 30_000 };

const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** What says that a request was not worked on. */
const refused: ReadonlySet<number> = new Set([429, 502, 503]);
/** How the system says that no connection was made. */
const unconnected: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

/**
 * Whether trying again may help, and does no harm.
 *
 * @param isRepeatable - Whether the server acts once however often it gets the request.
 */
export function isRetryable(error: unknown, isRepeatable: boolean): boolean {
  if (error instanceof RobotoTimeoutError) return isRepeatable;
  if (!(error instanceof RobotoHttpException)) return false;
  if (error.status === undefined) {
    return error.code === "threads/connection" && (isRepeatable || unconnected.has(codeOf(error.cause)));
  }
  if (error.status === 409) return isRepeatable && "retry-after" in error.headers;
  return (isRepeatable ? passing : refused).has(error.status);
}

/** The system's code of a failure; Node has it in the cause of what `fetch` throws. */
function codeOf(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return undefined;
  if ("code" in error) return error.code;
  return "cause" in error ? codeOf(error.cause) : undefined;
}

/** How long to wait after a failed attempt: a random part of a span that doubles, and as long as the server asks for. */
export function delayAfter(
  attempt: number,
  error: unknown,
  { baseMs, capMs }: RetrySettings,
  random: () => number,
): number {
  const own = random() * Math.min(capMs, baseMs * 2 ** (attempt - 1));
  return Math.max(own, Math.min(capMs, retryAfterMs(error)));
}

function retryAfterMs(error: unknown): number {
  const header = error instanceof RobotoHttpException ? error.headers["retry-after"] : undefined;
  const seconds = header === undefined ? Number.NaN : Number(header);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}
