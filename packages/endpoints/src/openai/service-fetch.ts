import { jsonText } from "./json-fields.ts";
import { ProviderProtocolError } from "./provider-errors.ts";
import { silence } from "./provider-failure.ts";
import { parsed } from "./provider-words.ts";

/** The part of the global `fetch` that the SDK calls. */
type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** How requests to a service are made. */
export interface ServiceFetchSettings {
  /** Sent with each request, the key among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds without a byte after which a request is given up. */
  readonly timeoutMs: number;
}

// What else the SDK would send describes the machine, or comes from variables that are meant for one service.
const sdkHeaders = ["accept", "content-type", "user-agent"];
const maxFailureBytes = 64 * 1024;
/** How long a stream may stay open after its end mark. */
const lingerMs = 250;
// A line of its own: no data of the protocol holds a line end.
const endMark = /[\r\n]data: ?\[DONE\][\t ]*(?:[\r\n]|$)/;
const endMarkWindow = 32;
const ended = new WeakSet<Response>();
// No reply of a model is as long, pictures included, and what has no end would fill the memory.
const maxLineMebibytes = 16;
const maxAnswerMebibytes = 256;
const newline = 10;

/** Whether a stream has had the protocol's end mark. */
export function hasEnded(response: Response): boolean {
  return ended.has(response);
}

/**
 * A `fetch` for the SDK. It sends the headers that are wanted and no others, follows no redirect, gives up when the service
 * is silent, and puts the body of a refusal where the SDK keeps it whole.
 */
export function serviceFetch({ headers, timeoutMs }: ServiceFetchSettings): Fetch {
  return async (input, init = {}) => {
    const controller = new AbortController();
    const stop = (): void => {
      controller.abort(init.signal?.reason);
    };
    if (init.signal?.aborted === true) stop();
    init.signal?.addEventListener("abort", stop, { once: true });
    const timer = setTimeout(() => {
      controller.abort(silence(timeoutMs));
    }, timeoutMs);
    try {
      const response = await fetch(input, {
        ...init,
        headers: wantedHeaders(new Headers(init.headers), headers),
        // A redirect could take the conversation, and a key in a header of the user's own, to another host.
        redirect: "manual",
        signal: controller.signal,
      });
      clearTimeout(timer);
      return response.ok
        ? watched(response, timeoutMs, controller)
        : await refusal(response, timeoutMs, controller);
    } finally {
      clearTimeout(timer);
    }
  };
}

function wantedHeaders(given: Headers, own: Readonly<Record<string, string>>): Headers {
  const wanted = new Headers();
  for (const name of sdkHeaders) {
    const value = given.get(name);
    if (value !== null) wanted.set(name, value);
  }
  for (const [name, value] of Object.entries(own)) wanted.set(name, value);
  return wanted;
}

/** Counts the bytes of an answer. */
class AnswerSize {
  #bytes = 0;
  #lineBytes = 0;

  /** Gives what is wrong when there are too many of them. */
  add(chunk: Uint8Array): ProviderProtocolError | undefined {
    const lineEnd = chunk.lastIndexOf(newline);
    this.#bytes += chunk.length;
    this.#lineBytes = lineEnd === -1 ? this.#lineBytes + chunk.length : chunk.length - lineEnd - 1;
    if (this.#lineBytes <= maxLineMebibytes << 20 && this.#bytes <= maxAnswerMebibytes << 20)
      return undefined;
    return new ProviderProtocolError({
      expected: `within ${maxLineMebibytes} MiB a line and ${maxAnswerMebibytes} MiB in all`,
    });
  }
}

/** The same response, with a body that ends with an error when the service is silent for too long, or sends without end. */
function watched(response: Response, timeoutMs: number, controller: AbortController): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const size = new AnswerSize();
  let tail = "\n";
  let isAtEnd = false;
  let lingering: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (sink) => {
        const timer = setTimeout(() => {
          controller.abort(silence(timeoutMs));
        }, timeoutMs);
        try {
          const value = chunkOf(await reader.read());
          if (value === undefined) {
            clearTimeout(lingering);
            if (isAtEnd) ended.add(watching);
            sink.close();
            return;
          }
          const problem = size.add(value);
          if (problem !== undefined) {
            controller.abort(problem);
            throw problem;
          }
          const text = tail + Buffer.from(value).toString("latin1");
          tail = text.slice(-endMarkWindow);
          if (!isAtEnd && endMark.test(text)) {
            isAtEnd = true;
            // Some services keep the connection open after the end mark, and some keep it alive then.
            lingering = setTimeout(
              () => {
                void reader.cancel().catch(() => undefined);
              },
              Math.min(lingerMs, timeoutMs),
            );
          }
          sink.enqueue(value);
        } finally {
          clearTimeout(timer);
        }
      },
      cancel: (reason) => {
        clearTimeout(lingering);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  const watching = new Response(body, { status, statusText, headers });
  return watching;
}

/** A refusal whose whole body is in `error`: the SDK keeps that field only, and services put their words elsewhere too. */
async function refusal(
  response: Response,
  timeoutMs: number,
  controller: AbortController,
): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const error = parsed(await firstText(watched(response, timeoutMs, controller), timeoutMs));
  const kept = new Headers(headers);
  for (const name of ["content-length", "content-encoding"]) kept.delete(name);
  return new Response(jsonText({ error }) ?? "{}", { status, statusText, headers: kept });
}

/** The text of a body, as far as it goes in the time that a silence may take: the caller waits for the status. */
async function firstText(response: Response, timeoutMs: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  const timer = setTimeout(() => {
    void reader?.cancel().catch(() => undefined);
  }, timeoutMs);
  try {
    while (bytes < maxFailureBytes) {
      const chunk = chunkOf(await reader?.read());
      if (chunk === undefined) break;
      chunks.push(chunk);
      bytes += chunk.length;
    }
    await reader?.cancel();
  } catch {
    // The status says enough when the rest does not come.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString();
}

/** What was read; undefined at the end. */
function chunkOf(read: { readonly value?: unknown } | undefined): Uint8Array | undefined {
  return read?.value instanceof Uint8Array ? read.value : undefined;
}
