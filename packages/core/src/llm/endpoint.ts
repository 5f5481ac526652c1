import { LLMClientError } from "./errors.ts";
import type { MockLLMEndpoint } from "./mock.ts";
import type { Message } from "../values/message.ts";

/** How a model is asked for an action: as JSON text, which works with any model, or by the provider's native tool calls. */
export type Protocol = "json" | "tools";

/** What one attempt shows to a model. */
export interface ModelRequest {
  /** The conversation as the model sees it, truncation applied. Valid until the call returns; it is not a copy. */
  readonly messages: readonly Message[];
  /** Gives the same messages later; cheap to keep, unlike a copy. */
  readonly recall: () => readonly Message[];
}

/** What a completed model call reports beside its text; unknown parts are left out. */
export interface Telemetry {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  readonly tokenInput?: number | undefined;
  readonly tokenOutput?: number | undefined;
}

/** Anything that can be asked for a completion. */
export type EndpointLike = MockLLMEndpoint;

/** The endpoint that is asked now: itself, or what a route selects. */
export function selectEndpoint(endpoint: EndpointLike): MockLLMEndpoint {
  const candidate: unknown = endpoint;
  if (typeof candidate !== "object" || candidate === null || !("type" in candidate)) {
    throw new LLMClientError(
      `${describe(candidate)} is no endpoint; give an endpoint, or a route that selects one`,
    );
  }
  return endpoint;
}

function describe(candidate: unknown): string {
  return candidate === null
    ? "null"
    : typeof candidate === "object"
      ? "An object of another type"
      : typeof candidate;
}

/** Whether anything can be asked for a completion. */
export function isEndpointLike(candidate: unknown): candidate is EndpointLike {
  return (
    typeof candidate === "object" && candidate !== null && "type" in candidate && candidate.type === "mock"
  );
}

/** What a run says of its model when it starts and stops. */
export function endpointFacts(endpoint: EndpointLike): {
  readonly apiName: string;
  readonly modelName: string;
  readonly maxContextTokens: number;
  readonly outputFormat: string;
} {
  const { apiName, modelName, maxContextTokens, outputFormat } = selectEndpoint(endpoint);
  return { apiName, modelName, maxContextTokens, outputFormat };
}
