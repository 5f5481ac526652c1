import { EndpointsError } from "../errors.ts";
import { field } from "./json-fields.ts";
import { ProviderCallError, ProviderProtocolError } from "./provider-errors.ts";
import { providerWords } from "./provider-words.ts";

/** What goes with the body of an answer. */
export interface Answer {
  readonly headers: Headers;
  /** Takes the key out of a text. */
  readonly mask: (text: string) => string;
}

interface Problem {
  readonly problem: string;
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  /** The body in which the service says what went wrong. */
  readonly body: unknown;
}

const maxMessageLength = 1000;

/** A failure that a service reports inside an answer that began as a success. */
export function reportedFailure(body: unknown, { headers, mask }: Answer): ProviderCallError {
  const { status } = providerWords(body);
  return callError({ problem: "reported a failure in place of the reply", status, headers, body }, mask);
}

/** A stream that ended before the reply was complete. */
export function cutOff(answer: Answer): ProviderCallError {
  return new ProviderCallError({
    message: "The service ended the stream before the reply was complete",
    headers: maskedHeaders(answer),
    cause: transportError("ERR_STREAM_PREMATURE_CLOSE", "The stream was cut off"),
  });
}

/** An answer that is something else than it should be. */
export function notExpected(expected: string, answer: Answer): ProviderProtocolError {
  return new ProviderProtocolError({ expected, headers: maskedHeaders(answer) });
}

/** The headers of an answer without the key: a printed error shows them, and a service may repeat what it was sent. */
function maskedHeaders({ headers, mask }: Answer): Headers {
  const masked = new Headers();
  for (const [name, value] of headers) masked.append(name, mask(value));
  return masked;
}

/** A service that sent nothing for too long. */
export function silence(timeoutMs: number): ProviderCallError {
  return new ProviderCallError({
    message: `The service sent nothing for ${timeoutMs} ms`,
    cause: transportError("ETIMEDOUT", "No byte arrived"),
  });
}

/**
 * What a failed request is thrown as: the error itself when it is one of this package, else one that has the status, the
 * headers and the words of the service, and nothing of the request.
 */
export function providerFailure(error: unknown, mask: Answer["mask"]): EndpointsError {
  for (let link = error, depth = 0; depth < 5; depth += 1, link = field(link, "cause")) {
    if (EndpointsError.is(link)) return link;
  }
  const headers = field(error, "headers");
  const status = field(error, "status");
  const body = field(error, "error");
  if (headers instanceof Headers) {
    if (typeof status !== "number") return reportedFailure(body, { headers, mask });
    const problem =
      status < 400
        ? "redirects, which is not followed; give its final address as `baseUrl`"
        : "refused the request or failed at it";
    return callError({ problem, status, headers, body }, mask);
  }
  // Its message quotes the reply.
  if (error instanceof SyntaxError) return new ProviderProtocolError({ expected: "well-formed JSON" });
  return new ProviderCallError({
    message: "The connection to the service failed",
    cause: field(error, "cause") ?? error,
  });
}

function callError({ problem, status, headers, body }: Problem, mask: Answer["mask"]): ProviderCallError {
  const words = providerWords(body);
  // Masked before it is shortened: half a key is a secret too.
  const masked = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : mask(text).slice(0, maxMessageLength);
  const [message, code, type] = [masked(words.message), masked(words.code), masked(words.type)];
  const labels = [status, code, type].filter((label) => label !== undefined);
  return new ProviderCallError({
    message: [
      `The service ${problem}`,
      labels.length > 0 ? ` (${labels.join(", ")})` : "",
      message === undefined ? "" : `: ${message}`,
    ].join(""),
    status,
    headers: headers === undefined ? undefined : maskedHeaders({ headers, mask }),
    providerCode: code,
    providerType: type,
  });
}

function transportError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
