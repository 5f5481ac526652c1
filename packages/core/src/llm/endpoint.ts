import type { CheckOptions, ExternalDependency } from "../dependencies/external-dependency.ts";
import type { DependencyFailure } from "../dependencies/failure.ts";
import { checkEndpoint } from "./check-endpoint.ts";
import { clientHandle, type ClientHandle } from "./client-handle.ts";
import type { ChatClient, ClientSource } from "./client.ts";
import type { ErrorClass } from "./classify.ts";
import {
  checkChoice,
  checkContextTokens,
  checkEndpointText,
  checkTemperature,
  describeCandidate,
  modelId,
} from "./endpoint-settings.ts";
import { LLMClientError } from "./errors.ts";
import type { MockLLMEndpoint } from "./mock.ts";
import { checkPrices, type Prices } from "./prices.ts";
import { checkExtraBody, type ExtraBody } from "./request-options.ts";
import type { Image } from "../values/image.ts";
import type { Message } from "../values/message.ts";

/** How a model is asked for an action: as JSON text, which works with any model, or by the provider's native tool calls. */
export type Protocol = "json" | "tools";

/** Whether a provider is asked for text, or to give JSON only. */
export type OutputFormat = "text" | "json";

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
  /** The part of the input that was read from the provider's cache. */
  readonly tokenCached?: number | undefined;
  /** What the call cost in US dollars, where the endpoint has the prices for it. */
  readonly costUsd?: number | undefined;
}

/** A message without what only the framework knows of it. */
export interface MappedMessage {
  readonly role: "system" | "assistant" | "user";
  readonly content: string;
  readonly images: readonly Image[];
}

/** Turns a message into what a provider takes, before anything is left out of it. */
export type MessageMapper = (message: Message) => MappedMessage;

/** How an endpoint is described. */
export interface LLMEndpointSettings {
  /** The provider's client, or a function that makes it when it is first used. */
  readonly client: ClientSource<ChatClient> | ClientHandle<ChatClient>;
  /** The service's name in reports and in the endpoint's identity. */
  readonly apiName: string;
  /** The model's name at the service. */
  readonly modelName: string;
  /** From 0 to 2; default 0.7. */
  readonly temperature?: number | undefined;
  /** How many tokens the model takes; default 128 000. Reported, not enforced. */
  readonly maxContextTokens?: number | undefined;
  /** Default `"text"`. */
  readonly outputFormat?: OutputFormat | undefined;
  /** Default `"json"`. */
  readonly protocol?: Protocol | undefined;
  /** Whether replies may be streamed; default true. */
  readonly stream?: boolean | undefined;
  /** Whether the model takes images; default false, and a message with one is then refused before anything is sent. */
  readonly acceptsImages?: boolean | undefined;
  readonly language?: string | null | undefined;
  readonly prices?: Prices | null | undefined;
  /** Goes to the top level of every request; see {@link withRequestOptions}. */
  readonly extraBody?: ExtraBody | null | undefined;
  /** By default `error` becomes `user`, and nothing else changes. */
  readonly messageMapper?: MessageMapper | undefined;
  /** The class of the client's errors that always mean a rate limit. */
  readonly rateLimitError?: ErrorClass | undefined;
  /** The class of the client's errors that always mean a conversation that is too long. */
  readonly contextLengthError?: ErrorClass | undefined;
}

/**
 * One model at one service. Immutable; describing one builds no client and sends nothing.
 *
 * @throws {@link LLMClientError} (`core/llm-client`) for settings out of their range.
 */
export class LLMEndpoint implements ExternalDependency {
  readonly type = "llm";
  readonly kind = "model_endpoint";
  readonly apiName: string;
  readonly modelName: string;
  readonly temperature: number;
  readonly maxContextTokens: number;
  readonly outputFormat: OutputFormat;
  readonly protocol: Protocol;
  readonly stream: boolean;
  readonly acceptsImages: boolean;
  readonly language: string | null;
  readonly prices: Prices | undefined;
  readonly messageMapper: MessageMapper;
  readonly rateLimitError: ErrorClass | undefined;
  readonly contextLengthError: ErrorClass | undefined;
  /** Not printed, and not in the endpoint's JSON. */
  declare readonly client: ClientHandle<ChatClient>;
  /** Not printed, and not in the endpoint's JSON. */
  declare readonly extraBody: ExtraBody | undefined;

  constructor(settings: LLMEndpointSettings) {
    this.apiName = checkEndpointText("apiName", settings.apiName);
    this.modelName = checkEndpointText("modelName", settings.modelName);
    this.temperature = checkTemperature(settings.temperature ?? 0.7);
    this.maxContextTokens = checkContextTokens(settings.maxContextTokens ?? 128_000);
    this.outputFormat = checkChoice("outputFormat", settings.outputFormat ?? "text", ["text", "json"]);
    this.protocol = checkChoice("protocol", settings.protocol ?? "json", ["json", "tools"]);
    this.stream = settings.stream ?? true;
    this.acceptsImages = settings.acceptsImages ?? false;
    this.language = settings.language ?? null;
    this.prices = checkPrices(settings.prices);
    this.messageMapper = settings.messageMapper ?? mapMessage;
    this.rateLimitError = settings.rateLimitError;
    this.contextLengthError = settings.contextLengthError;
    Object.defineProperty(this, "client", { value: clientHandle(settings.client) });
    Object.defineProperty(this, "extraBody", { value: checkExtraBody(settings.extraBody) });
    Object.freeze(this);
  }

  /** The identity of the model at its service. */
  get dependencyId(): string {
    return modelId(this);
  }

  /** What may be shown of the endpoint to anybody. */
  redactedMetadata(): { readonly apiName: string; readonly modelName: string; readonly endpointType: "llm" } {
    return { apiName: this.apiName, modelName: this.modelName, endpointType: "llm" };
  }

  /** Itself: what needs an endpoint needs its model. */
  externalDependencies(): readonly ExternalDependency[] {
    return [this];
  }

  /**
   * Finds out whether the service lists the model, or the part of its name before the first `:`. Makes the client if there
   * is none, takes 10 seconds at most, and creates no completion.
   *
   * @returns `null` when the model can be used, else why not. Rejects with the signal's reason when that fires.
   */
  check(options: CheckOptions = {}): Promise<DependencyFailure | null> {
    return checkEndpoint(this, options);
  }

  /** Makes the client now, without a request. */
  async materialize(): Promise<this> {
    await this.client.get();
    return this;
  }

  /** Closes the client, which copies of this endpoint share. */
  async close(): Promise<void> {
    await this.client.close();
  }

  /** The same model with other settings, and the same client. */
  copy(changes: Partial<Omit<LLMEndpointSettings, "client">>): LLMEndpoint {
    return new LLMEndpoint({ ...settingsOf(this), ...changes, client: this.client });
  }
}

/** What an endpoint was described by, with its defaults filled in. */
export function settingsOf(endpoint: LLMEndpoint): LLMEndpointSettings {
  const { apiName, modelName, temperature, maxContextTokens, outputFormat, protocol, stream } = endpoint;
  const { acceptsImages, language, prices, messageMapper, rateLimitError, contextLengthError } = endpoint;
  return {
    client: endpoint.client,
    apiName,
    modelName,
    temperature,
    maxContextTokens,
    outputFormat,
    protocol,
    stream,
    acceptsImages,
    language,
    prices,
    extraBody: endpoint.extraBody,
    messageMapper,
    rateLimitError,
    contextLengthError,
  };
}

/** An endpoint that is one, not a choice among several. */
export type ConcreteEndpoint = LLMEndpoint | MockLLMEndpoint;

/** Anything that can be asked for a completion. */
export type EndpointLike = ConcreteEndpoint | LLMEndpointRoute;

/**
 * A choice of endpoint that its owner may change at any time. It is looked up once for each model call; a call under
 * way keeps the endpoint that it began with.
 */
export class LLMEndpointRoute {
  readonly type = "route";
  /**
   * The endpoint chosen now.
   *
   * @throws {@link LLMClientError} (`core/llm-client`) when what was chosen is no endpoint.
   */
  readonly select: () => ConcreteEndpoint;
  /** What the agents that ask by this route are told to answer by. */
  readonly protocol: Protocol;
  /** The endpoint chosen now, where it is one that can be away. */
  readonly externalDependencies = (): readonly ExternalDependency[] => this.select().externalDependencies();

  /**
   * @param options.protocol - `"tools"` promises that every endpoint that may be chosen speaks it, so that agents leave the
   * JSON protocol out of their prompts; an endpoint that does not is then refused. Default `"json"`, which goes with any.
   */
  constructor(
    choose: () => ConcreteEndpoint,
    { protocol = "json" }: { readonly protocol?: Protocol | undefined } = {},
  ) {
    this.protocol = checkChoice("protocol", protocol, ["json", "tools"]);
    if (typeof choose !== "function") {
      throw new LLMClientError("A route is made of a function that chooses an endpoint");
    }
    this.select = () => {
      const chosen: unknown = choose();
      if (isConcrete(chosen)) {
        if (protocol === "json" || chosen.protocol === "tools") return chosen;
        throw new LLMClientError(
          `A route for \`tools\` chose \`${modelId(chosen)}\`, which does not speak it; make it a route without a protocol`,
        );
      }
      throw new LLMClientError(`A route chose ${describeCandidate(chosen)}; it has to choose an endpoint`);
    };
  }
}

/** The endpoint that is asked now: itself, or what a route chooses. */
export function selectEndpoint(endpoint: EndpointLike): ConcreteEndpoint {
  const candidate: unknown = endpoint;
  if (isConcrete(candidate)) return candidate;
  if (isRoute(candidate)) return candidate.select();
  throw new LLMClientError(
    `Asked for an endpoint, got ${describeCandidate(candidate)}; give an endpoint, or a route to one`,
  );
}

/** Whether anything is an endpoint for completions, of any installed copy of this package. */
function isConcrete(candidate: unknown): candidate is ConcreteEndpoint {
  const type = typeOf(candidate);
  return type === "llm" || type === "mock";
}

/** Whether anything is a route, of any installed copy of this package. */
export function isRoute(candidate: unknown): candidate is LLMEndpointRoute {
  return typeOf(candidate) === "route";
}

/** The default mapper: providers do not know the role `error`. */
function mapMessage({ role, content, images }: Message): MappedMessage {
  return { role: role === "error" ? "user" : role, content, images };
}

function typeOf(candidate: unknown): unknown {
  return typeof candidate === "object" && candidate !== null ? Reflect.get(candidate, "type") : undefined;
}

/** Whether anything can be asked for a completion. */
export function isEndpointLike(candidate: unknown): candidate is EndpointLike {
  return isConcrete(candidate) || isRoute(candidate);
}

/** What a run says of its model when it starts and stops; of a route, what it chooses now. */
export function endpointFacts(endpoint: EndpointLike): {
  readonly apiName: string;
  readonly modelName: string;
  readonly maxContextTokens: number;
  readonly outputFormat: string;
  readonly temperature?: number | undefined;
} {
  const { type, apiName, modelName, maxContextTokens, outputFormat, temperature } = selectEndpoint(endpoint);
  return {
    apiName,
    modelName,
    maxContextTokens,
    outputFormat: type === "mock" ? type : outputFormat,
    ...(temperature === undefined ? undefined : { temperature }),
  };
}
