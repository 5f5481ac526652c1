import type { CheckOptions } from "../dependencies/external-dependency.ts";
import { DependencyFailure } from "../dependencies/failure.ts";
import { systemClock, type Clock } from "../runtime/clock.ts";
import type { ClientHandle } from "./client-handle.ts";
import type { ClientCallOptions } from "./client.ts";
import { waitFor } from "./wait.ts";

/** How long a service may take to list its models. */
const listingTimeoutMs = 10_000;

/** What a check needs of an endpoint. */
export interface CheckedEndpoint {
  readonly apiName: string;
  readonly modelName: string;
  readonly client: ClientHandle<{
    readonly listModels: (options: ClientCallOptions) => Promise<readonly string[]>;
    readonly close: () => void | Promise<void>;
  }>;
}

/**
 * Finds out whether a service lists an endpoint's model, under its name or the part before the first `:`, which stands for
 * a choice of route. Makes the client if there is none; creates nothing at the service.
 *
 * @returns Why not, or `null`. Rejects with the signal's reason when that fires.
 */
export async function checkEndpoint(
  { apiName, modelName, client }: CheckedEndpoint,
  { signal, clock = systemClock }: CheckOptions & { readonly clock?: Clock } = {},
): Promise<DependencyFailure | null> {
  signal?.throwIfAborted();
  const listing = new AbortController();
  try {
    const listed: unknown = await waitFor(listModels(client, listing.signal), {
      signal,
      clock,
      timeoutMs: listingTimeoutMs,
      operation: `Listing the models of \`${apiName}\``,
    });
    return failureOf(apiName, modelName, listed);
  } catch (error) {
    signal?.throwIfAborted();
    return DependencyFailure.fromError(error);
  } finally {
    // Ends a request that nobody waits for any more; one that is done does not mind.
    listing.abort();
  }
}

async function listModels(client: CheckedEndpoint["client"], signal: AbortSignal): Promise<unknown> {
  const made = await client.get();
  signal.throwIfAborted();
  return made.listModels({ signal });
}

function failureOf(apiName: string, modelName: string, listed: unknown): DependencyFailure | null {
  if (!Array.isArray(listed) || !listed.every((id) => typeof id === "string")) {
    return new DependencyFailure({
      reasonCode: "protocol_error",
      message: `\`${apiName}\` did not answer with a list of models`,
    });
  }
  const route = modelName.indexOf(":");
  const names = route > 0 ? [modelName, modelName.slice(0, route)] : [modelName];
  if (names.some((name) => listed.includes(name))) return null;
  return new DependencyFailure({
    reasonCode: "model_unavailable",
    message: `\`${apiName}\` does not list the model \`${modelName}\`; it lists ${listed.length} others. Check the name, and what the key gives access to`,
  });
}
