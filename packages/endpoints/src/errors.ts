import type { AnyCatalogueError } from "./catalogue/errors.ts";
import type { EndpointSettingsError } from "./openai/endpoint-errors.ts";
import type { AnyClientError } from "./openai/provider-errors.ts";
import type { AnySecretsError } from "./secrets/errors.ts";

const marker = Symbol.for("@roboz/endpoints/error");

/** The base of every error this package throws. */
export abstract class EndpointsError extends Error {
  /** Stable, for programs; the message is for people and may change in a patch. */
  abstract readonly code: EndpointsErrorCode;
  readonly [marker] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Like `instanceof`, and also true for an error of another installed copy of this package. */
  static is(error: unknown): error is AnyEndpointsError {
    return error instanceof Error && marker in error;
  }
}

/** The codes of {@link AnyEndpointsError}; a later release may add some, so a `switch` keeps a default. */
export type EndpointsErrorCode = AnyEndpointsError["code"];

/** Every error class of this package. */
export type AnyEndpointsError = AnyCatalogueError | AnyClientError | AnySecretsError | EndpointSettingsError;
