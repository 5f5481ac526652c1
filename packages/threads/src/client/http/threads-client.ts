import { redactSecrets, systemClock, type Clock } from "@roboz/core/portable";
import type { z } from "zod";
import { RobotoTimeoutError } from "../../errors/client-errors.ts";
import { RobotoHttpException } from "../../errors/http-exception.ts";
import { RobotoConnectionError, RobotoInvalidRequestException } from "../../errors/http-exceptions.ts";
import { threadHeaders } from "../../wire/envelope.ts";
import { stringifyJson } from "../../wire/json.ts";
import { dataOf, readAnswer, refusalOf } from "./answer.ts";
import { defaultRetries, delayAfter, isRetryable, type RetrySettings } from "./retry.ts";
import { orAborted, reasonOf, wait } from "./wait.ts";

/** How a server is reached. */
export interface ThreadsClientOptions {
  /** Where the server is, such as `https://threads.example.com`; the paths of the protocol are appended. */
  readonly baseUrl: string | URL;
  /** The bearer token, or what gives it before each attempt. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** The organisation in which the caller acts, unless a call names another. */
  readonly orgId?: string | undefined;
  /** The user for whom the caller acts; takes a token that may do so. */
  readonly userId?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What sends requests; the global `fetch` by default. */
  readonly fetch?: typeof fetch | undefined;
  /** How long one attempt may take in milliseconds; 30 000 by default. */
  readonly timeoutMs?: number | undefined;
  readonly retries?: Partial<RetrySettings> | undefined;
  /**
   * Whether requests that change something carry an idempotency key, with which they may be repeated after any failure; true
   * by default. For a server that ignores them: without a key only what cannot have reached it is sent again.
   */
  readonly sendsIdempotencyKeys?: boolean | undefined;
  /** Values that are masked in what client tools report of their failures, beside what looks like a credential. */
  readonly secrets?: Iterable<string> | undefined;
  readonly clock?: Clock | undefined;
  /** From 0 to 1, for the waits between attempts. */
  readonly random?: (() => number) | undefined;
}

/** One call of the protocol. */
export interface Call<S extends z.ZodType> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Begins with `/v1/`; its segments are encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
  readonly body?: unknown;
  /** What the answer's `data` must be. */
  readonly schema: S;
  readonly orgId?: string | undefined;
  /** Names this call over its repetitions, also by another process; made up when it is left out. */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** When nothing is tried again any more, on the client's clock. */
  readonly retryUntil?: number | undefined;
}

/** How one request is sent. */
interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Whether the answer is read later: then it goes on being aborted with its signal after it began. */
  readonly isStream?: boolean | undefined;
}

/** Talks to one server as one caller: adds who calls, tries again, and turns refusals into errors. Holds no connection. */
export class ThreadsClient {
  readonly clock: Clock;
  readonly #secrets: readonly string[];
  readonly #baseUrl: string;
  readonly #options: ThreadsClientOptions;
  readonly #retries: RetrySettings;

  constructor(options: ThreadsClientOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.#baseUrl = `${origin}${pathname}`.replace(/\/+$/, "");
    this.#options = options;
    const { attempts, baseMs, capMs } = { ...defaultRetries, ...options.retries };
    this.#retries = { attempts, baseMs, capMs };
    this.clock = options.clock ?? systemClock;
    const token = typeof options.token === "string" ? [options.token] : [];
    const { secrets = [] } = options;
    // A text is iterable too, and is one secret.
    this.#secrets = [...(typeof secrets === "string" ? [secrets] : secrets), ...token];
  }

  /** Masks in a text what looks like a credential, and the secrets of this client. */
  masked(text: string): string {
    return redactSecrets(text, { secrets: this.#secrets });
  }

  /**
   * Makes one call: the same request, with the same idempotency key, is sent until it is answered or trying again is of no
   * use.
   *
   * @throws {@link RobotoHttpException} and its subclasses for a refusal, {@link RobotoConnectionError} when the server
   * cannot be reached, `RobotoTimeoutError` when the last attempt took too long, the signal's reason when it is aborted.
   */
  async call<S extends z.ZodType>(call: Call<S>): Promise<z.output<S>> {
    const { method, signal, retryUntil } = call;
    const sendsKey = this.#options.sendsIdempotencyKeys !== false || call.idempotencyKey !== undefined;
    const key = method !== "GET" && sendsKey ? (call.idempotencyKey ?? newIdempotencyKey()) : undefined;
    checkHeader("The idempotency key", key, 200);
    const isRepeatable = key !== undefined || method !== "POST";
    const body = call.body === undefined ? undefined : stringifyJson(call.body);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(call, body, key);
      } catch (error) {
        if (signal?.aborted === true) throw reasonOf(signal);
        if (attempt >= this.#retries.attempts || !isRetryable(error, isRepeatable)) throw error;
        const delayMs = delayAfter(attempt, error, this.#retries, this.#options.random ?? Math.random);
        if (retryUntil !== undefined && this.clock.now() + delayMs >= retryUntil) throw error;
        await wait(this.clock, delayMs, signal);
      }
    }
  }

  /** Opens a stream of events. Nothing is tried again here, and only its beginning is waited for with a limit. */
  async open(
    { path, query, signal }: Pick<Call<z.ZodType>, "path" | "query" | "signal">,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    return this.#send({ method: "GET", path, query, signal }, { headers, isStream: true }, (response) =>
      Promise.resolve(response),
    );
  }

  /** The wait before a stream is opened anew. */
  reconnectDelayMs(attempt: number, error: unknown): number {
    return delayAfter(attempt, error, this.#retries, this.#options.random ?? Math.random);
  }

  #attempt<S extends z.ZodType>(
    call: Call<S>,
    body: string | undefined,
    key: string | undefined,
  ): Promise<z.output<S>> {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers[threadHeaders.idempotencyKey] = key;
    return this.#send(call, { headers, body, idempotencyKey: key }, async (response) => {
      const answer = await readAnswer(response);
      if (!response.ok) throw refusalOf(answer, key);
      return dataOf(answer, call.schema);
    });
  }

  /** Sends one request and reads its answer, within the time that one attempt may take. */
  async #send<T>(
    { method, path, query, orgId, signal }: Omit<Call<z.ZodType>, "schema">,
    { headers, body, idempotencyKey, isStream = false }: Sending,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs = 30_000, fetch: send = globalThis.fetch } = this.#options;
    const controller = new AbortController();
    const abort = (): void => {
      if (signal !== undefined) controller.abort(reasonOf(signal));
    };
    if (signal?.aborted === true) throw reasonOf(signal);
    const callerHeaders = await orAborted(this.#callerHeaders(orgId), signal);
    signal?.addEventListener("abort", abort, { once: true });
    const callOff = this.clock.after(timeoutMs, () => {
      controller.abort(new RobotoTimeoutError({ what: `${method} ${path}`, timeoutMs, idempotencyKey }));
    });
    try {
      const work = async (): Promise<T> => {
        const all = { ...callerHeaders, ...headers };
        // For browsers: what Node has no type for is left alone there.
        const onlyAsAsked = { credentials: "omit", cache: "no-store" } as const;
        const init = { method, headers: all, body: body ?? null, signal: controller.signal, ...onlyAsAsked };
        const response = await send(`${this.#baseUrl}${path}${queryOf(query)}`, init);
        return read(response);
      };
      return await orAborted(work(), controller.signal);
    } catch (error) {
      if (error instanceof RobotoHttpException || error instanceof RobotoTimeoutError) throw error;
      if (controller.signal.aborted) throw reasonOf(controller.signal);
      const message = `${method} ${path} got no answer`;
      throw new RobotoConnectionError({ message, idempotencyKey, cause: error });
    } finally {
      callOff();
      if (!isStream) signal?.removeEventListener("abort", abort);
    }
  }

  async #callerHeaders(orgId: string | undefined): Promise<Record<string, string>> {
    const { token, userId, headers } = this.#options;
    const bearer = typeof token === "function" ? await token() : token;
    checkHeader("The token", bearer, 100_000);
    const org = orgId ?? this.#options.orgId;
    return {
      ...headers,
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      ...(org === undefined ? {} : { [threadHeaders.orgId]: org }),
      ...(userId === undefined ? {} : { [threadHeaders.userId]: userId }),
    };
  }
}

/** Refuses what no header can hold, and does not say what that is: `fetch` would. */
function checkHeader(what: string, value: string | undefined, maxLength: number): void {
  if (value === undefined || (/^[\x21-\x7e]+$/.test(value) && value.length <= maxLength)) return;
  const message = `${what} is not 1 to ${maxLength} visible ASCII characters`;
  throw new RobotoInvalidRequestException({ message });
}

/** A key nobody else uses. */
function newIdempotencyKey(): string {
  const parts = crypto.getRandomValues(new Uint32Array(4));
  return Array.from(parts, (part) => part.toString(16).padStart(8, "0")).join("");
}

function queryOf(query: Call<z.ZodType>["query"]): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) given.set(name, String(value));
  }
  return given.size === 0 ? "" : `?${given.toString()}`;
}
