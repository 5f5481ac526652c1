import type {
  ChatChunk,
  ChatClient,
  ChatReply,
  ChatRequest,
  ClientCallOptions,
  StreamOptions,
  TranscriptionClient,
  TranscriptionRequest,
} from "@roboz/core";
import { redactSecrets } from "@roboz/core";
import type { OpenAI } from "openai";

import { baseUrlProblem } from "../catalogue/base-url.ts";
import { chatReply, ChunkReader, requestIdOf, wholeReplyChunk } from "./chat-reply.ts";
import { chatBody } from "./chat-request.ts";
import { usableKey, type ApiKey } from "./credential.ts";
import { field, jsonText, textField } from "./json-fields.ts";
import { ClientClosedError, ClientSettingsError } from "./provider-errors.ts";
import { cutOff, notExpected, providerFailure, reportedFailure, type Answer } from "./provider-failure.ts";
import { parsed } from "./provider-words.ts";
import { hasEnded, serviceFetch } from "./service-fetch.ts";

/** Where a service that speaks the OpenAI protocol is, and how to be let in. */
export interface OpenAIClientSettings {
  /** An `http` or `https` address without user, password, query and fragment; `https://api.openai.com/v1` when left out. */
  readonly baseUrl?: string | undefined;
  /** The key, or a function that finds it. The function is called when the client is first used, and again only if it failed. */
  readonly apiKey: ApiKey;
  /** Sent with each request beside the protocol's own, such as a router's `HTTP-Referer`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Milliseconds without a byte from the service after which a request is given up, as a failure of the service; 60 000
   * when left out. A stream may take longer as long as something comes, a keep-alive comment too.
   */
  readonly timeoutMs?: number | undefined;
}

/** A client of a service that speaks the OpenAI protocol. */
export interface OpenAIClient extends ChatClient, TranscriptionClient {
  /**
   * Loads the SDK and finds the key now rather than at the first request; makes no request. A failure is not remembered:
   * the next use tries again.
   *
   * @throws {@link MissingCredentialError} (`endpoints/missing-credential`) for a key that cannot be sent;
   * {@link ClientClosedError} (`endpoints/client-closed`).
   */
  readonly prepare: () => Promise<void>;
}

interface CheckedSettings {
  readonly baseUrl: string;
  readonly apiKey: ApiKey;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** The SDK's client, and how to take the key out of a text. */
interface Service {
  readonly sdk: OpenAI;
  readonly mask: Answer["mask"];
}

/** A request that is under way. */
interface Call {
  readonly signal: AbortSignal;
  readonly giveUp: (reason: unknown) => void;
  readonly end: () => void;
}

const defaultBaseUrl = "https://api.openai.com/v1";
const defaultTimeoutMs = 60_000;
/** The longest time that a timer takes. */
const maxTimeoutMs = 2_147_483_647;
const chatPath = "/chat/completions";

/**
 * Makes a client of a service that speaks the OpenAI protocol, over the official SDK. The SDK is loaded, the key found
 * and the connection opened when the client is first used. Nothing is retried here, no redirect is followed, and no header
 * or address is taken from the environment.
 *
 * Failures are {@link ProviderCallError} (`endpoints/provider-call`) with the status, headers and words of the service,
 * {@link ProviderProtocolError} (`endpoints/provider-protocol`) for an answer that is none,
 * {@link MissingCredentialError} and {@link ClientClosedError}; when a signal fires, its reason as it is.
 *
 * @throws {@link ClientSettingsError} (`endpoints/client-settings`) for a base URL, a header or a timeout that cannot be used.
 */
export function openAiClient(settings: OpenAIClientSettings): OpenAIClient {
  return new ServiceClient(settings);
}

class ServiceClient implements OpenAIClient {
  // Private in the language too, so that no printer shows the key.
  readonly #settings: CheckedSettings;
  readonly #calls = new Set<Call>();
  #service: Promise<Service> | undefined;
  #isClosed = false;
  #refusesStreamOptions = false;

  constructor(settings: OpenAIClientSettings) {
    this.#settings = checked(settings);
  }

  readonly prepare = async (): Promise<void> => {
    await this.#connect();
    if (this.#isClosed) throw new ClientClosedError();
  };

  readonly complete = (request: ChatRequest, options: ClientCallOptions): Promise<ChatReply> =>
    this.#ask(options, async ({ sdk, mask }, signal) => {
      const body = chatBody(request);
      const { data, response } = await sdk.post<unknown>(chatPath, { body, signal }).withResponse();
      return chatReply(bodyOf(data), { headers: response.headers, mask });
    });

  readonly stream = (request: ChatRequest, options: StreamOptions): AsyncIterable<ChatChunk> =>
    this.#streamed(request, options);

  readonly listModels = (options: ClientCallOptions): Promise<readonly string[]> =>
    this.#ask(options, async ({ sdk, mask }, signal) => {
      const { data: sent, response } = await sdk.get<unknown>("/models", { signal }).withResponse();
      const data = bodyOf(sent);
      // Together gives the list itself.
      const models: unknown = Array.isArray(data) ? data : field(data, "data");
      const ids = Array.isArray(models)
        ? models.map((model: unknown) => textField(model, "id"))
        : [undefined];
      const known = ids.filter((id) => id !== undefined);
      if (known.length < ids.length) {
        throw notExpected("a list of models", { headers: response.headers, mask });
      }
      return known;
    });

  readonly transcribe = (
    request: TranscriptionRequest,
    options: ClientCallOptions,
  ): Promise<{ readonly text: string; readonly requestId?: string | undefined }> =>
    this.#ask(options, async ({ sdk, mask }, signal) => {
      const { model, audio, filename, contentType, temperature, language, prompt } = request;
      const { data: sent, response } = await sdk.audio.transcriptions
        .create(
          {
            file: new File([audio], filename, { type: contentType }),
            model,
            temperature,
            ...(language !== undefined && { language }),
            ...(prompt !== undefined && { prompt }),
          },
          { signal },
        )
        .withResponse();
      const answer: Answer = { headers: response.headers, mask };
      const data = bodyOf(sent);
      const error = field(data, "error");
      if (error !== undefined && error !== null) throw reportedFailure(error, answer);
      const text = field(data, "text");
      if (typeof text !== "string") throw notExpected("a transcription", answer);
      return { text, requestId: requestIdOf(answer) };
    });

  readonly close = (): void => {
    this.#isClosed = true;
    this.#service = undefined;
    for (const call of this.#calls) call.giveUp(new ClientClosedError());
  };

  async #ask<T>(
    options: ClientCallOptions,
    work: (service: Service, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const call = this.#begin(options.signal);
    let service: Service | undefined;
    try {
      service = await this.#connect();
      return await work(service, call.signal);
    } catch (error) {
      throw failureOf(error, call.signal, service);
    } finally {
      call.end();
    }
  }

  async *#streamed(request: ChatRequest, options: StreamOptions): AsyncGenerator<ChatChunk, void, undefined> {
    const call = this.#begin(options.signal);
    let service: Service | undefined;
    try {
      service = await this.#connect();
      yield* this.#pieces(service, chatBody(request), options.includeUsage, call.signal);
    } catch (error) {
      throw failureOf(error, call.signal, service);
    } finally {
      call.end();
    }
  }

  async *#pieces(
    { sdk, mask }: Service,
    body: Readonly<Record<string, unknown>>,
    includeUsage: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<ChatChunk, void, undefined> {
    const { data, response } = await this.#openStream(sdk, body, includeUsage, signal);
    const answer: Answer = { headers: response.headers, mask };
    const mediaType = (response.headers.get("content-type") ?? "").toLowerCase();
    if (mediaType.includes("json")) {
      yield wholeReplyChunk(await response.json(), answer);
      return;
    }
    // The SDK would take it for a failed connection.
    if (response.body === null) throw notExpected("a stream", answer);
    const reader = new ChunkReader(answer);
    for await (const piece of data) yield reader.read(piece);
    // The SDK ends a stream quietly when it was aborted.
    signal.throwIfAborted();
    if (reader.isFinished || hasEnded(response)) return;
    if (mediaType.includes("html")) throw notExpected("a stream", answer);
    throw cutOff(answer);
  }

  /** Asks for usage in the stream, and once more without if the service refuses that. */
  async #openStream(
    sdk: OpenAI,
    body: Readonly<Record<string, unknown>>,
    includeUsage: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly data: AsyncIterable<unknown>; readonly response: Response }> {
    const open = (extra: object): Promise<{ data: AsyncIterable<unknown>; response: Response }> =>
      sdk
        .post<AsyncIterable<unknown>>(chatPath, {
          body: { ...body, stream: true, ...extra },
          stream: true,
          signal,
        })
        .withResponse();
    if (!includeUsage || this.#refusesStreamOptions) return open({});
    try {
      return await open({ stream_options: { include_usage: true } });
    } catch (error) {
      if (!namesStreamOptions(error)) throw error;
      const opened = await open({});
      this.#refusesStreamOptions = true;
      return opened;
    }
  }

  #begin(signal: AbortSignal): Call {
    if (this.#isClosed) throw new ClientClosedError();
    signal.throwIfAborted();
    // The SDK keeps its listeners on a signal, and the caller's may belong to a long run.
    const controller = new AbortController();
    const stop = (): void => {
      controller.abort(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    const call: Call = {
      signal: controller.signal,
      giveUp: (reason) => {
        controller.abort(reason);
      },
      end: () => {
        signal.removeEventListener("abort", stop);
        this.#calls.delete(call);
      },
    };
    this.#calls.add(call);
    return call;
  }

  #connect(): Promise<Service> {
    if (this.#isClosed) return Promise.reject(new ClientClosedError());
    if (this.#service !== undefined) return this.#service;
    const building = buildService(this.#settings);
    this.#service = building;
    building.catch(() => {
      if (this.#service === building) this.#service = undefined;
    });
    return building;
  }
}

async function buildService({
  apiKey: source,
  baseUrl,
  headers,
  timeoutMs,
}: CheckedSettings): Promise<Service> {
  const apiKey = await usableKey(source);
  const { OpenAI } = await import("openai");
  const sdk = new OpenAI({
    apiKey,
    baseURL: baseUrl,
    // Left out, each of these would come from a variable that is meant for OpenAI's own service.
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: maxTimeoutMs,
    // At its levels for trouble the SDK prints parts of replies.
    logLevel: "off",
    fetch: serviceFetch({
      // The SDK would let a variable with headers for OpenAI's own service replace the key.
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      timeoutMs,
    }),
  });
  const secrets = [apiKey, ...credentialsIn(headers)];
  return { sdk, mask: (text) => redactSecrets(text, { secrets, environment: {} }) };
}

/** What lets the client in beside the key, such as Azure's `api-key`; behind a scheme, also alone. */
function credentialsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => /auth|key|token|secret|password|cookie|credential/i.test(name))
    .flatMap(([, value]) => [value, value.replace(/^\S+\s+/, "")]);
}

/** The JSON of an answer; the SDK gives it as text when the service calls it something else, or nothing. */
function bodyOf(data: unknown): unknown {
  return typeof data === "string" ? parsed(data) : data;
}

function failureOf(error: unknown, signal: AbortSignal, service: Service | undefined): unknown {
  if (signal.aborted) return signal.reason;
  // What a function that finds the key throws is the caller's own.
  return service === undefined ? error : providerFailure(error, service.mask);
}

function namesStreamOptions(error: unknown): boolean {
  const status = field(error, "status");
  if (status !== 400 && status !== 422) return false;
  return /stream_options|include_usage/.test(jsonText(field(error, "error")) ?? "");
}

function checked(settings: OpenAIClientSettings): CheckedSettings {
  const { baseUrl = defaultBaseUrl, apiKey, headers = {}, timeoutMs = defaultTimeoutMs } = settings;
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) throw new ClientSettingsError({ setting: "baseUrl", problem });
  if (!(timeoutMs > 0)) {
    throw new ClientSettingsError({ setting: "timeoutMs", problem: "must be milliseconds above 0" });
  }
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers({ [name]: value });
    } catch {
      // The original message quotes the value.
      throw new ClientSettingsError({ setting: "headers", problem: `has a wrong entry \`${name}\`` });
    }
  }
  return { baseUrl, apiKey, headers: { ...headers }, timeoutMs: Math.min(timeoutMs, maxTimeoutMs) };
}
