import { ThreadsError } from "./thread-error.ts";

/** The codes of {@link RobotoHttpException} and its subclasses. */
export type HttpErrorCode =
  | "threads/http"
  | "threads/connection"
  | "threads/response"
  | "threads/invalid-request"
  | "threads/no-org-provided"
  | "threads/unauthorized"
  | "threads/authentication-failure"
  | "threads/thread-read-only"
  | "threads/feature-not-available"
  | "threads/limit-exceeded"
  | "threads/not-found"
  | "threads/dataset-not-found"
  | "threads/device-not-found"
  | "threads/not-ready"
  | "threads/unknown-operation"
  | "threads/conflict"
  | "threads/condition"
  | "threads/expired"
  | "threads/illegal-argument"
  | "threads/invalid-state-transition"
  | "threads/deprecated"
  | "threads/context-too-long"
  | "threads/service"
  | "threads/failed-to-generate"
  | "threads/internal"
  | "threads/not-implemented"
  | "threads/service-unavailable"
  | "threads/service-timeout"
  | "threads/operation-timeout"
  | "threads/response-too-large";

/** What a refusal says. */
export interface HttpFailure {
  readonly message: string;
  /** Nothing when the request was refused before it was sent. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What the server says beside the error. */
  readonly details?: unknown;
  /** The text of an answer that has no error of ours in it, cut after 2000 characters. */
  readonly body?: string | undefined;
  /** The key with which the request can be made again. */
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The base of what a server refused, and of what was refused before it was sent. By itself: a refusal without a class of
 * its own; `status` and `body` say more.
 */
export class RobotoHttpException extends ThreadsError {
  readonly code: HttpErrorCode = "threads/http";
  /** The class's name on the wire. */
  readonly errorCode: string;
  /** The status of the answer; nothing when the request was refused before it was sent. */
  readonly status: number | undefined;
  /** The headers of the answer, by lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly details: unknown;
  readonly body: string | undefined;
  /** The key of the request, with which it can be made again without being done twice. */
  readonly idempotencyKey: string | undefined;

  constructor(errorCode: string, failure: HttpFailure) {
    super(errorCode, failure.message, failure.cause === undefined ? undefined : { cause: failure.cause });
    this.errorCode = errorCode;
    this.status = failure.status;
    this.headers = failure.headers ?? {};
    this.details = failure.details;
    this.body = failure.body;
    this.idempotencyKey = failure.idempotencyKey;
  }
}
