import { ZodError } from "zod";

import { statusOf } from "../errors/by-code.ts";
import { RobotoHttpException } from "../errors/http-exception.ts";
import { RobotoLimitExceededException } from "../errors/http-exceptions.ts";
import { stringifyJson } from "../wire/json.ts";
import { invalid } from "../store/errors.ts";

/** An answer before it is sent. */
export interface Answer {
  readonly status: number;
  /** JSON; empty for none. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An answer that holds something, or nothing. */
export function answerOf(status: number, data: unknown): Answer {
  return status === 204 ? { status, body: "" } : { status, body: stringifyJson({ data }) };
}

/** The answer to a request that failed, and whether the server is to blame. */
export function failureAnswer(error: unknown): Answer & { readonly isOurs: boolean } {
  const refusal = error instanceof ZodError ? refusalOfForm(error) : error;
  if (!isRefusal(refusal)) {
    const message = "The server failed to do this; it says why in its own log";
    return { ...errorAnswer(500, "RobotoInternalException", message), isOurs: true };
  }
  const more = refusal instanceof RobotoLimitExceededException ? limitFacts(refusal) : {};
  const { errorCode, message, details, headers } = refusal;
  return { ...errorAnswer(statusOf(refusal), errorCode, message, { more, details, headers }), isOurs: false };
}

function isRefusal(error: unknown): error is RobotoHttpException {
  return error instanceof RobotoHttpException;
}

function errorAnswer(
  status: number,
  errorCode: string,
  message: string,
  {
    more = {},
    details,
    headers = {},
  }: { more?: object; details?: unknown; headers?: Readonly<Record<string, string>> } = {},
): Answer {
  const body = {
    error: { error_code: errorCode, message, ...more },
    ...(details === undefined ? {} : { details }),
  };
  return { status, body: stringifyJson(body), headers };
}

function limitFacts(error: RobotoLimitExceededException): object {
  const { resource_name, current_quantity, limit_quantity } = error;
  return { resource_name, current_quantity, limit_quantity };
}

function refusalOfForm({ issues }: ZodError): RobotoHttpException {
  const said = issues.slice(0, 20).map(({ path, message }) => {
    const place = path.map(String).join(".");
    return place === "" ? message : `\`${place}\` ${message}`;
  });
  return invalid(`The request does not have the right form: ${said.join("; ")}`);
}

/** Too many of something at once: 429, with the time after which to try again. */
export function tooMany(resource: string, limit: number, retryAfterSeconds: number): RobotoHttpException {
  return new RobotoLimitExceededException(
    {
      message: `Too many ${resource} at once; try again later`,
      status: 429,
      headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterSeconds))) },
    },
    { resource_name: resource, current_quantity: limit, limit_quantity: limit },
  );
}
