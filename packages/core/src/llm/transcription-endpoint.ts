import type { CheckOptions, ExternalDependency } from "../dependencies/external-dependency.ts";
import type { DependencyFailure } from "../dependencies/failure.ts";
import { checkEndpoint } from "./check-endpoint.ts";
import type { ErrorClass } from "./classify.ts";
import { clientHandle, type ClientHandle } from "./client-handle.ts";
import type { ClientSource, TranscriptionClient } from "./client.ts";
import { checkEndpointText, checkTemperature, modelId } from "./endpoint-settings.ts";
import { LLMUnknownProviderError } from "./errors.ts";
import { MockScriptError } from "./mock.ts";
import { checkPrices, type Prices } from "./prices.ts";

/** How a transcription endpoint is described. */
export interface TranscriptionEndpointSettings {
  /** The provider's client, or a function that makes it when it is first used. */
  readonly client: ClientSource<TranscriptionClient> | ClientHandle<TranscriptionClient>;
  readonly apiName: string;
  readonly modelName: string;
  /** From 0 to 2; default 0. */
  readonly temperature?: number | undefined;
  /** The spoken language, such as `en`; the model guesses without. */
  readonly language?: string | null | undefined;
  /** Words that help the model with names and style. */
  readonly prompt?: string | null | undefined;
  readonly prices?: Prices | null | undefined;
  readonly rateLimitError?: ErrorClass | undefined;
}

/**
 * One model that turns speech to text, at one service. Describing one builds no client and sends nothing.
 *
 * @throws {@link LLMClientError} (`core/llm-client`) for settings out of their range.
 */
export class TranscriptionEndpoint implements ExternalDependency {
  readonly type = "transcription";
  readonly kind = "model_endpoint";
  readonly apiName: string;
  readonly modelName: string;
  readonly temperature: number;
  readonly language: string | null;
  readonly prompt: string | null;
  readonly prices: Prices | undefined;
  readonly rateLimitError: ErrorClass | undefined;
  /** Not printed, and not in the endpoint's JSON. */
  declare readonly client: ClientHandle<TranscriptionClient>;

  constructor(settings: TranscriptionEndpointSettings) {
    this.apiName = checkEndpointText("apiName", settings.apiName);
    this.modelName = checkEndpointText("modelName", settings.modelName);
    this.temperature = checkTemperature(settings.temperature ?? 0);
    this.language = settings.language ?? null;
    this.prompt = settings.prompt ?? null;
    this.prices = checkPrices(settings.prices);
    this.rateLimitError = settings.rateLimitError;
    Object.defineProperty(this, "client", { value: clientHandle(settings.client) });
    Object.freeze(this);
  }

  /** The identity of the model at its service. */
  get dependencyId(): string {
    return modelId(this);
  }

  /** What may be shown of the endpoint to anybody. */
  redactedMetadata(): {
    readonly apiName: string;
    readonly modelName: string;
    readonly endpointType: "transcription";
  } {
    return { apiName: this.apiName, modelName: this.modelName, endpointType: "transcription" };
  }

  /** Itself: what needs an endpoint needs its model. */
  externalDependencies(): readonly ExternalDependency[] {
    return [this];
  }

  /** Finds out whether the service lists the model; as {@link LLMEndpoint.check}. */
  check(options: CheckOptions = {}): Promise<DependencyFailure | null> {
    return checkEndpoint(this, options);
  }

  /** Makes the client now, without a request. */
  async materialize(): Promise<this> {
    await this.client.get();
    return this;
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

/** What a scripted transcription endpoint was asked. */
export interface MockTranscriptionRequest {
  readonly audio: Uint8Array;
  readonly filename: string;
  readonly contentType: string;
  readonly temperature: number;
  readonly language?: string | undefined;
  readonly prompt?: string | undefined;
}

/** A transcription endpoint that answers from a script: texts, and failures as errors. */
export class MockTranscriptionEndpoint {
  readonly type = "mock-transcription";
  readonly apiName = "mock";
  readonly modelName = "mock";
  readonly temperature = 0;
  readonly language = null;
  readonly prompt = null;
  /** None: a script is never away. */
  readonly externalDependencies = (): readonly [] => [];
  readonly requests: readonly MockTranscriptionRequest[];
  /**
   * Takes the next answer and records the request.
   *
   * @internal
   */
  readonly answer: (request: MockTranscriptionRequest) => string | Error;
  /**
   * Checks that every answer was given.
   *
   * @throws {@link MockScriptError} (`core/mock-script`) when some were not.
   */
  readonly assertUsedUp: () => void;

  constructor(texts: readonly (string | Error)[]) {
    const script = [...texts];
    const requests: MockTranscriptionRequest[] = [];
    this.requests = requests;
    this.answer = (request) => {
      requests.push(request);
      const text = script[requests.length - 1];
      if (text !== undefined) return text;
      throw new LLMUnknownProviderError({
        message: `The script has ${script.length} texts, and this was call ${requests.length}`,
      });
    };
    this.assertUsedUp = () => {
      if (requests.length >= script.length) return;
      throw new MockScriptError(
        `The script has ${script.length} texts, of which ${requests.length} were asked for`,
      );
    };
  }
}

/** Anything that can be asked for a transcription. */
export type TranscriptionEndpointLike = TranscriptionEndpoint | MockTranscriptionEndpoint;
