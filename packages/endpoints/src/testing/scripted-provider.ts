import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { deliver } from "./delivery.ts";
import { chatProblem } from "./protocol-rules.ts";
import { readRequest, type ProviderRequest } from "./provider-request.ts";
import type { ScriptedAnswer, ScriptEntry } from "./scripted-answer.ts";

/** How a scripted provider presents itself. */
export interface ScriptedProviderOptions {
  /** What the list of models has, or the answer to asking for it; `["scripted-model"]` when left out. */
  readonly models?: readonly string[] | ScriptedAnswer | undefined;
  /** The key that is let in; every other gets a 401. Any key is let in when left out. */
  readonly apiKey?: string | undefined;
  /** Fields of a request body that get a 400, as from a service that does not know them; `stream_options` for one. */
  readonly refuses?: readonly string[] | undefined;
}

/** A service on the loopback interface that speaks the OpenAI protocol and answers by a script. */
export interface ScriptedProvider extends AsyncDisposable {
  /** Where it is, such as `http://127.0.0.1:49152/v1`. */
  readonly baseUrl: string;
  /** What it was asked, in order, refused requests and lists of models among them. */
  readonly requests: readonly ProviderRequest[];
  /** The given request, counted from 1, as soon as it has arrived. Rejects when the provider is closed before. */
  readonly received: (number: number) => Promise<ProviderRequest>;
  /** @throws an `Error` when entries of the script are left, or it was asked for more than it has, or an entry's function threw. */
  readonly assertUsedUp: () => void;
  /** Closes all connections, also those on which an answer is under way, and stops listening. May be called twice. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a provider for tests: a real HTTP server on a free port of the loopback interface, which takes chat completions
 * (streamed and not), transcriptions and lists of models. Each completion or transcription takes one entry of the script;
 * a list of models takes none. Requests that break the protocol are refused with a 400 and take none either, and so are
 * requests beyond the script.
 */
export async function scriptedProvider(
  script: readonly ScriptEntry[] = [],
  options: ScriptedProviderOptions = {},
): Promise<ScriptedProvider> {
  const provider = new LoopbackProvider(script, options);
  await provider.listen();
  return provider;
}

class LoopbackProvider implements ScriptedProvider {
  readonly requests: ProviderRequest[] = [];
  readonly #script: readonly ScriptEntry[];
  readonly #options: ScriptedProviderOptions;
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();
  readonly #pauses = new Set<() => void>();
  #taken = 0;
  #isClosed = false;
  #fault: unknown;
  #closing: Promise<void> | undefined;

  constructor(script: readonly ScriptEntry[], options: ScriptedProviderOptions) {
    this.#script = [...script];
    this.#options = options;
    this.#server = createServer((incoming, response) => void this.#serve(incoming, response));
  }

  get baseUrl(): string {
    const address: AddressInfo | string | null = this.#server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    return `http://127.0.0.1:${port}/v1`;
  }

  readonly listen = (): Promise<void> =>
    new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });

  readonly received = async (number: number): Promise<ProviderRequest> => {
    for (;;) {
      const request = this.requests[number - 1];
      if (request !== undefined) return request;
      if (this.#isClosed) throw new Error(`The provider was closed before request ${number} arrived`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  };

  readonly assertUsedUp = (): void => {
    if (this.#fault !== undefined) throw new Error("The script failed", { cause: this.#fault });
    const { length } = this.#script;
    if (this.#taken !== length) {
      throw new Error(`The script has ${length} entries, and ${this.#taken} were asked for`);
    }
  };

  readonly close = (): Promise<void> => {
    this.#isClosed = true;
    for (const wake of [...this.#waiting, ...this.#pauses]) wake();
    this.#closing ??= new Promise((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      this.#server.closeAllConnections();
    });
    return this.#closing;
  };

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const ended = new Promise<"answered" | "abandoned">((resolve) => {
      response.once("close", () => {
        resolve(response.writableFinished ? "answered" : "abandoned");
      });
    });
    // A client may leave at any time, also in the middle of its request.
    response.on("error", () => undefined);
    try {
      const path = (incoming.url ?? "").replace(/^\/v1/, "");
      const request = await readRequest(incoming, path, ended);
      this.requests.push(request);
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
      const answer = await this.#answer(request);
      await deliver(answer, request, response, { number: this.requests.length, pause: this.#pause });
    } catch (error) {
      if (incoming.complete) this.#fault ??= error;
      response.destroy();
    }
  }

  async #answer(request: ProviderRequest): Promise<ScriptedAnswer> {
    const { apiKey, models = ["scripted-model"] } = this.#options;
    if (apiKey !== undefined && request.headers["authorization"] !== `Bearer ${apiKey}`) {
      return refusal(401, "Incorrect API key provided", "invalid_api_key");
    }
    const route = `${request.method} ${request.path}`;
    if (route === "GET /models") {
      if (!isList(models)) return models;
      return { body: { object: "list", data: models.map((id) => ({ id, object: "model" })) } };
    }
    if (route === "POST /chat/completions") {
      const unknown = (this.#options.refuses ?? []).find((name) => name in request.body);
      const problem = unknown === undefined ? chatProblem(request) : `Unrecognized argument: ${unknown}`;
      return problem === undefined ? this.#next(request) : refusal(400, problem);
    }
    if (route === "POST /audio/transcriptions") {
      const isComplete = request.form?.files["file"] !== undefined && "model" in request.form.fields;
      return isComplete ? this.#next(request) : refusal(400, "'file' and 'model' are needed");
    }
    return refusal(404, `Unknown request: ${route}`);
  }

  async #next(request: ProviderRequest): Promise<ScriptedAnswer> {
    const entry = this.#script[this.#taken];
    this.#taken += 1;
    if (entry === undefined) {
      return refusal(400, `The script has ${this.#script.length} entries only`, "script_used_up");
    }
    try {
      const answer = typeof entry === "function" ? await entry(request) : entry;
      return typeof answer === "string" ? { text: answer } : answer;
    } catch (error) {
      this.#fault ??= error;
      return refusal(400, "An entry of the script threw", "script_failed");
    }
  }

  readonly #pause = (ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#pauses.delete(wake);
        resolve(!this.#isClosed);
      };
      const timer = setTimeout(wake, ms);
      this.#pauses.add(wake);
    });
}

function refusal(status: number, message: string, code?: string): ScriptedAnswer {
  return { status, error: { message, code, type: "invalid_request_error" } };
}

function isList(models: readonly string[] | ScriptedAnswer): models is readonly string[] {
  return Array.isArray(models);
}
