import type { ModelRequest } from "./endpoint.ts";

/** An endpoint that answers from a script. */
export interface MockLLMEndpoint {
  readonly requests: readonly ModelRequest[];
}
