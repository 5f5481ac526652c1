/** How many requests somebody may make. */
export interface RateSettings {
  /** At once. */
  readonly burst: number;
  /** How many are given back each second. */
  readonly perSecond: number;
}

/** How many principals are remembered. */
const mostKept = 10_000;

/** Counts the requests of each principal: a bucket of tokens that fills up again. */
export class RateLimit {
  readonly #settings: RateSettings;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(settings: RateSettings, now: () => number = () => performance.now()) {
    this.#settings = settings;
    this.#now = now;
  }

  /** Takes a request; the seconds after which to try again, or 0 when it may be made. */
  take(principal: string): number {
    const { burst, perSecond } = this.#settings;
    const now = this.#now();
    const bucket = this.#buckets.get(principal) ?? { tokens: burst, at: now };
    // Who was heard of last is forgotten last.
    this.#buckets.delete(principal);
    const oldest = this.#buckets.keys().next();
    if (this.#buckets.size >= mostKept && oldest.done !== true) this.#buckets.delete(oldest.value);
    this.#buckets.set(principal, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perSecond;
    bucket.tokens -= 1;
    return 0;
  }
}
