import type { ExtraBody, LLMEndpoint, TranscriptionEndpoint } from "@roboz/core";

/** What a chat endpoint is described by. */
export interface ChatEndpointSettings {
  /** The model's name at the provider. */
  readonly model: string;
  /** The context window in tokens: a whole number above 0. */
  readonly maxContextTokens: number;
  /** Whether replies may be streamed; `true` when left out. */
  readonly stream?: boolean | undefined;
  /** Whether messages may carry images; `false` when left out. */
  readonly acceptsImages?: boolean | undefined;
  /** Goes to the top level of every request body. */
  readonly extraBody?: ExtraBody | undefined;
}

/** What a speech-to-text endpoint is described by. */
export interface TranscriptionEndpointSettings {
  /** The model's name at the provider. */
  readonly model: string;
}

/** What `configured` replaces in the settings of a service. */
export interface ServiceConfiguration {
  /** The key to use; without it the service's environment variable is read when a client is built. */
  readonly apiKey?: string | undefined;
  /** Milliseconds after which a request is given up. */
  readonly timeoutMs: number;
}

/**
 * The settings of one service, able to describe endpoints on it. Describing checks the settings, and builds no client, reads no
 * credential and opens no connection; the endpoint does so when it is first used.
 */
export interface EndpointAdapter {
  /** The service's name in reports and in the identity of its endpoints. */
  readonly apiName: string;
  readonly chatEndpoint: (settings: ChatEndpointSettings) => LLMEndpoint;
  readonly transcriptionEndpoint: (settings: TranscriptionEndpointSettings) => TranscriptionEndpoint;
  /** The same service with another key and timeout. */
  readonly configured: (configuration: ServiceConfiguration) => EndpointAdapter;
}
