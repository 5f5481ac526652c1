import { LLMEndpoint, TranscriptionEndpoint } from "@roboz/core";

import { baseUrlProblem } from "../catalogue/base-url.ts";
import {
  type ChatEndpointSettings,
  type EndpointAdapter,
  type ServiceConfiguration,
  type TranscriptionEndpointSettings,
} from "../catalogue/endpoint-adapter.ts";
import { type ClientFactory, preparedClient } from "./client-factory.ts";
import { environmentKey } from "./credential.ts";
import { type EndpointSetting, EndpointSettingsError } from "./endpoint-errors.ts";

/** A service that speaks the OpenAI protocol, and how to reach it. */
export interface OpenAICompatibleSettings {
  /** The service's name in reports and in the identity of its endpoints; `openai` when left out. */
  readonly apiName?: string | undefined;
  /** An `http` or `https` address without user, password, query and fragment; `https://api.openai.com/v1` when left out. */
  readonly baseUrl?: string | undefined;
  /** The key to use. Without it `apiKeyEnv` is read when a client is built; an empty key does not count as left out. */
  readonly apiKey?: string | undefined;
  /** The environment variable that holds the key; `OPENAI_API_KEY` when left out. */
  readonly apiKeyEnv?: string | undefined;
  /** Milliseconds without a byte from the service after which a request is given up; 60 000 when left out. */
  readonly timeoutMs?: number | undefined;
  /** Makes the endpoints' clients; {@link preparedClient} when left out. */
  readonly createClient?: ClientFactory | undefined;
}

/**
 * Describes endpoints on a service that speaks the OpenAI protocol. Making one checks nothing and reads nothing: settings are checked
 * when an endpoint is described, and the key is looked up when that endpoint's client is first used. Each endpoint has its
 * own client.
 */
export class OpenAICompatibleAdapter implements EndpointAdapter {
  readonly apiName: string;
  readonly baseUrl: string;
  readonly apiKeyEnv: string;
  readonly timeoutMs: number;
  // Private in the language too, so that no printer shows the key.
  readonly #apiKey: string | undefined;
  readonly #createClient: ClientFactory;

  constructor(settings: OpenAICompatibleSettings = {}) {
    this.apiName = settings.apiName ?? "openai";
    this.baseUrl = settings.baseUrl ?? "https://api.openai.com/v1";
    this.apiKeyEnv = settings.apiKeyEnv ?? "OPENAI_API_KEY";
    this.timeoutMs = settings.timeoutMs ?? 60_000;
    this.#apiKey = settings.apiKey;
    this.#createClient = settings.createClient ?? preparedClient;
  }

  /**
   * Describes a chat endpoint.
   *
   * @throws EndpointSettingsError (`endpoints/endpoint-settings`) for a context limit that is not a whole number above 0, a blank
   * model, a blank service name or variable, a timeout that is not finite and above 0, or a base URL that breaks the rules;
   * `LLMClientError` of `@roboz/core` for request options that it refuses.
   */
  readonly chatEndpoint = (settings: ChatEndpointSettings): LLMEndpoint => {
    const { model, maxContextTokens, stream, acceptsImages, extraBody } = settings;
    if (!Number.isSafeInteger(maxContextTokens) || maxContextTokens <= 0) {
      refuse(["maxContextTokens"], "must be a whole number above 0");
    }
    const client = this.#clientOf(model);
    const { apiName } = this;
    return new LLMEndpoint({
      client,
      apiName,
      modelName: model,
      maxContextTokens,
      stream,
      acceptsImages,
      extraBody,
    });
  };

  /**
   * Describes a speech-to-text endpoint.
   *
   * @throws EndpointSettingsError (`endpoints/endpoint-settings`) as for a chat endpoint.
   */
  readonly transcriptionEndpoint = ({ model }: TranscriptionEndpointSettings): TranscriptionEndpoint =>
    new TranscriptionEndpoint({ client: this.#clientOf(model), apiName: this.apiName, modelName: model });

  /** The same service with another key and timeout. */
  readonly configured = ({ apiKey, timeoutMs }: ServiceConfiguration): OpenAICompatibleAdapter => {
    const { apiName, baseUrl, apiKeyEnv } = this;
    const createClient = this.#createClient;
    return new OpenAICompatibleAdapter({ apiName, baseUrl, apiKeyEnv, apiKey, timeoutMs, createClient });
  };

  /** Checks the settings now, and gives what makes a client of them later. */
  #clientOf(model: string): () => ReturnType<ClientFactory> {
    const { apiName, baseUrl, apiKeyEnv, timeoutMs } = this;
    if (isBlank(model)) refuse(["model"], "must not be blank");
    const blank: EndpointSetting[] = [];
    if (isBlank(apiName)) blank.push("apiName");
    if (isBlank(apiKeyEnv)) blank.push("apiKeyEnv");
    if (blank.length > 0) refuse(blank, "must not be blank");
    if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) {
      refuse(["timeoutMs"], "must be a finite number of milliseconds above 0");
    }
    const problem = baseUrlProblem(baseUrl);
    if (problem !== undefined) refuse(["baseUrl"], problem);
    const apiKey = this.#apiKey ?? environmentKey(apiKeyEnv);
    return () => this.#createClient({ baseUrl, apiKey, timeoutMs });
  }
}

/** Describes one chat endpoint on a service that speaks the OpenAI protocol, as {@link OpenAICompatibleAdapter} does. */
export function chatEndpoint(settings: OpenAICompatibleSettings & ChatEndpointSettings): LLMEndpoint {
  return new OpenAICompatibleAdapter(settings).chatEndpoint(settings);
}

/** Describes one speech-to-text endpoint on a service that speaks the OpenAI protocol, as {@link OpenAICompatibleAdapter} does. */
export function transcriptionEndpoint(
  settings: OpenAICompatibleSettings & TranscriptionEndpointSettings,
): TranscriptionEndpoint {
  return new OpenAICompatibleAdapter(settings).transcriptionEndpoint(settings);
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function refuse(settings: readonly EndpointSetting[], problem: string): never {
  throw new EndpointSettingsError({ settings, problem });
}
