import type { Telemetry } from "./endpoint.ts";
import { LLMClientError } from "./errors.ts";

/** What a model costs, in US dollars. Null or absent stands for unknown, which is not free. */
export interface Prices {
  readonly inputPerMillion?: number | null | undefined;
  readonly outputPerMillion?: number | null | undefined;
  /** For the part of the input that the provider had in its cache; the input's price when unknown. */
  readonly cachedInputPerMillion?: number | null | undefined;
  readonly transcriptionPerHour?: number | null | undefined;
}

const fields = [
  "inputPerMillion",
  "outputPerMillion",
  "cachedInputPerMillion",
  "transcriptionPerHour",
] as const;

/** A checked copy of prices. */
export function checkPrices(prices: Prices | null | undefined): Prices | undefined {
  if (prices === null || prices === undefined) return undefined;
  for (const field of fields) {
    const price = prices[field];
    if (price !== null && price !== undefined && !(Number.isFinite(price) && price >= 0)) {
      throw new LLMClientError(`\`prices.${field}\` must be a number of 0 or more, or null`);
    }
  }
  return Object.freeze({ ...prices });
}

/** A call's telemetry with what the call cost, where that is known. */
export function priced(telemetry: Telemetry, prices: Prices | undefined): Telemetry {
  const costUsd = prices === undefined ? null : costOf(telemetry, prices);
  return costUsd === null ? telemetry : { ...telemetry, costUsd };
}

/**
 * What a model call cost.
 *
 * @returns US dollars; null when the tokens or a price that they need is unknown.
 */
export function costOf(
  { tokenInput, tokenOutput, tokenCached = 0 }: Telemetry,
  prices: Prices | null | undefined,
): number | null {
  if (prices === null || prices === undefined || tokenInput === undefined || tokenOutput === undefined) {
    return null;
  }
  const cached = Math.min(tokenCached, tokenInput);
  const cachedPrice = prices.cachedInputPerMillion ?? prices.inputPerMillion;
  const parts = [
    cost(tokenInput - cached, prices.inputPerMillion),
    cost(cached, cachedPrice),
    cost(tokenOutput, prices.outputPerMillion),
  ];
  return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}

function cost(tokens: number, perMillion: number | null | undefined): number | null {
  if (tokens === 0) return 0;
  return perMillion === null || perMillion === undefined ? null : (tokens * perMillion) / 1_000_000;
}
