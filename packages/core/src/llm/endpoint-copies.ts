import {
  isRoute,
  LLMEndpoint,
  LLMEndpointRoute,
  settingsOf,
  type ConcreteEndpoint,
  type EndpointLike,
} from "./endpoint.ts";
import { describeCandidate } from "./endpoint-settings.ts";
import { LLMClientError } from "./errors.ts";
import { checkExtraBody, type ExtraBody } from "./request-options.ts";

/**
 * The same model, client and identity with other request options, which replace earlier ones. The options are copied;
 * they are no part of what is printed or reported of the endpoint.
 *
 * @param endpoint - A model's endpoint, or a route; a route's copy gives the options to whatever the route then chooses.
 * @param extraBody - Plain JSON for the top level of the request body.
 * @throws {@link LLMClientError} (`core/llm-client`) for an endpoint that sends nothing, such as a scripted one; for the
 * keys `messages`, `model`, `response_format`, `stream`, `stream_options`, `temperature` and `tools`; for values that
 * JSON cannot carry.
 */
export function withRequestOptions(endpoint: LLMEndpoint, extraBody: ExtraBody): LLMEndpoint;
export function withRequestOptions(endpoint: LLMEndpointRoute, extraBody: ExtraBody): LLMEndpointRoute;
export function withRequestOptions(
  endpoint: EndpointLike,
  extraBody: ExtraBody,
): LLMEndpoint | LLMEndpointRoute {
  const options = checkExtraBody(extraBody);
  const candidate: unknown = endpoint;
  if (isRoute(candidate)) {
    const { protocol } = candidate;
    return new LLMEndpointRoute(() => optioned(candidate.select(), options), { protocol });
  }
  return optioned(endpoint, options);
}

function optioned(endpoint: EndpointLike | ConcreteEndpoint, extraBody: ExtraBody | undefined): LLMEndpoint {
  const candidate: unknown = endpoint;
  if (!isEndpoint(candidate)) {
    throw new LLMClientError(
      `Request options are for a model's endpoint, and this is ${describeCandidate(candidate)}`,
    );
  }
  return new LLMEndpoint({ ...settingsOf(candidate), extraBody });
}

function isEndpoint(candidate: unknown): candidate is LLMEndpoint {
  return typeof candidate === "object" && candidate !== null && Reflect.get(candidate, "type") === "llm";
}

/** What OpenRouter is asked for beside the model. */
export interface OpenrouterPolicy {
  readonly reasoningEffort?: "low" | "high" | "max" | undefined;
  /** Providers that must not serve the request. */
  readonly ignoredProviders?: readonly string[] | undefined;
}

/**
 * The same model, routed by OpenRouter to the provider with the greatest throughput among those that know every
 * parameter of the request. Replaces earlier request options.
 *
 * @throws {@link LLMClientError} (`core/llm-client`) as {@link withRequestOptions}, and for an effort it does not know.
 */
export function withOpenrouterPolicy(endpoint: LLMEndpoint, policy?: OpenrouterPolicy): LLMEndpoint;
export function withOpenrouterPolicy(endpoint: LLMEndpointRoute, policy?: OpenrouterPolicy): LLMEndpointRoute;
export function withOpenrouterPolicy(
  endpoint: EndpointLike,
  { reasoningEffort, ignoredProviders = [] }: OpenrouterPolicy = {},
): LLMEndpoint | LLMEndpointRoute {
  if (reasoningEffort !== undefined && !["low", "high", "max"].includes(reasoningEffort)) {
    throw new LLMClientError("`reasoningEffort` must be `low`, `high` or `max`");
  }
  const provider = {
    sort: "throughput",
    require_parameters: true,
    ...(ignoredProviders.length === 0 ? undefined : { ignore: [...ignoredProviders] }),
  };
  const options = {
    provider,
    ...(reasoningEffort === undefined ? undefined : { reasoning: { effort: reasoningEffort } }),
  };
  return isRoute(endpoint)
    ? withRequestOptions(endpoint, options)
    : optioned(endpoint, checkExtraBody(options));
}
