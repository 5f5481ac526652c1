import { RobotoHttpException, type HttpFailure } from "./http-exception.ts";

/** A request that breaks a rule. Without a `status` it was refused before it was sent. */
export class RobotoInvalidRequestException extends RobotoHttpException {
  override readonly code = "threads/invalid-request";

  constructor(failure: HttpFailure) {
    super("RobotoInvalidRequestException", failure);
  }
}

/** The caller is in several organisations, or in none, and did not say which one is meant. */
export class RobotoNoOrgProvidedException extends RobotoHttpException {
  override readonly code = "threads/no-org-provided";

  constructor(failure: HttpFailure) {
    super("RobotoNoOrgProvidedException", failure);
  }
}

/** The caller may not do this; it was not done. */
export class RobotoUnauthorizedException extends RobotoHttpException {
  override readonly code = "threads/unauthorized";

  constructor(failure: HttpFailure) {
    super("RobotoUnauthorizedException", failure);
  }
}

/** The caller is explicitly denied. */
export class RobotoAuthenticationFailureException extends RobotoHttpException {
  override readonly code = "threads/authentication-failure";

  constructor(failure: HttpFailure) {
    super("RobotoAuthenticationFailureException", failure);
  }
}

/** The thread belongs to another surface: it can be read and forked, and not be written to. */
export class RobotoThreadReadOnlyException extends RobotoHttpException {
  override readonly code = "threads/thread-read-only";

  constructor(failure: HttpFailure) {
    super("RobotoThreadReadOnlyException", failure);
  }
}

/** The organisation does not have this feature. */
export class RobotoFeatureNotAvailableException extends RobotoHttpException {
  override readonly code = "threads/feature-not-available";

  constructor(failure: HttpFailure) {
    super("RobotoFeatureNotAvailableException", failure);
  }
}

/** There is no such thing, or it may not be seen. */
export class RobotoNotFoundException extends RobotoHttpException {
  override readonly code: "threads/not-found" | "threads/dataset-not-found" | "threads/device-not-found" =
    "threads/not-found";

  constructor(failure: HttpFailure, errorCode = "RobotoNotFoundException") {
    super(errorCode, failure);
  }
}

/** There is no such dataset. */
export class RobotoDatasetNotFoundException extends RobotoNotFoundException {
  override readonly code = "threads/dataset-not-found";

  constructor(failure: HttpFailure) {
    super(failure, "RobotoDatasetNotFoundException");
  }
}

/** There is no such device. */
export class RobotoDeviceNotFoundException extends RobotoNotFoundException {
  override readonly code = "threads/device-not-found";

  constructor(failure: HttpFailure) {
    super(failure, "RobotoDeviceNotFoundException");
  }
}

/** It exists and cannot be had yet; ask again later. */
export class RobotoNotReadyException extends RobotoHttpException {
  override readonly code = "threads/not-ready";

  constructor(failure: HttpFailure) {
    super("RobotoNotReadyException", failure);
  }
}

/** The server has no such operation. */
export class RobotoUnknownOperationException extends RobotoHttpException {
  override readonly code = "threads/unknown-operation";

  constructor(failure: HttpFailure) {
    super("RobotoUnknownOperationException", failure);
  }
}

/** Something of that name exists, or the same request is still being worked on. */
export class RobotoConflictException extends RobotoHttpException {
  override readonly code = "threads/conflict";

  constructor(failure: HttpFailure) {
    super("RobotoConflictException", failure);
  }
}

/** A condition of the request does not hold. */
export class RobotoConditionException extends RobotoHttpException {
  override readonly code = "threads/condition";

  constructor(failure: HttpFailure) {
    super("RobotoConditionException", failure);
  }
}

/** It was there once, and is gone. */
export class RobotoExpiredException extends RobotoHttpException {
  override readonly code = "threads/expired";

  constructor(failure: HttpFailure) {
    super("RobotoExpiredException", failure);
  }
}

/** An argument is not allowed. */
export class RobotoIllegalArgumentException extends RobotoHttpException {
  override readonly code = "threads/illegal-argument";

  constructor(failure: HttpFailure) {
    super("RobotoIllegalArgumentException", failure);
  }
}

/** It cannot go from the state it is in to the one asked for. */
export class RobotoInvalidStateTransitionException extends RobotoHttpException {
  override readonly code = "threads/invalid-state-transition";

  constructor(failure: HttpFailure) {
    super("RobotoInvalidStateTransitionException", failure);
  }
}

/** The operation is no longer offered. */
export class RobotoDeprecatedException extends RobotoHttpException {
  override readonly code = "threads/deprecated";

  constructor(failure: HttpFailure) {
    super("RobotoDeprecatedException", failure);
  }
}

/** The conversation is longer than the model takes. */
export class RobotoContextTooLongException extends RobotoHttpException {
  override readonly code = "threads/context-too-long";

  constructor(failure: HttpFailure) {
    super("RobotoContextTooLongException", failure);
  }
}

/** The server failed. */
export class RobotoServiceException extends RobotoHttpException {
  override readonly code = "threads/service";

  constructor(failure: HttpFailure) {
    super("RobotoServiceException", failure);
  }
}

/** A text could not be generated. */
export class RobotoFailedToGenerateException extends RobotoHttpException {
  override readonly code = "threads/failed-to-generate";

  constructor(failure: HttpFailure) {
    super("RobotoFailedToGenerateException", failure);
  }
}

/** The server failed by a fault of its own. */
export class RobotoInternalException extends RobotoHttpException {
  override readonly code = "threads/internal";

  constructor(failure: HttpFailure) {
    super("RobotoInternalException", failure);
  }
}

/** The server does not offer this. */
export class RobotoNotImplementedException extends RobotoHttpException {
  override readonly code = "threads/not-implemented";

  constructor(failure: HttpFailure) {
    super("RobotoNotImplementedException", failure);
  }
}

/** The server is not available at the moment. */
export class RobotoServiceUnavailableException extends RobotoHttpException {
  override readonly code = "threads/service-unavailable";

  constructor(failure: HttpFailure) {
    super("RobotoServiceUnavailableException", failure);
  }
}

/** The server took too long. */
export class RobotoServiceTimeoutException extends RobotoHttpException {
  override readonly code = "threads/service-timeout";

  constructor(failure: HttpFailure) {
    super("RobotoServiceTimeoutException", failure);
  }
}

/** The operation took too long. */
export class RobotoOperationTimeoutException extends RobotoHttpException {
  override readonly code = "threads/operation-timeout";

  constructor(failure: HttpFailure) {
    super("RobotoOperationTimeoutException", failure);
  }
}

/** The answer would be too large; asking again does not help. */
export class RobotoResponseTooLargeException extends RobotoHttpException {
  override readonly code = "threads/response-too-large";

  constructor(failure: HttpFailure) {
    super("RobotoResponseTooLargeException", failure);
  }
}

/** What a limit was about, on the wire inside `error`. */
export interface LimitFacts {
  readonly resource_name: string | null;
  readonly current_quantity: number | null;
  readonly limit_quantity: number | null;
}

/** The caller has, or asks for, more than is allowed; `headers` may say when to try again. */
export class RobotoLimitExceededException extends RobotoHttpException {
  override readonly code = "threads/limit-exceeded";
  readonly resource_name: string | null;
  readonly current_quantity: number | null;
  readonly limit_quantity: number | null;

  constructor(failure: HttpFailure, facts: Partial<LimitFacts> = {}) {
    super("RobotoLimitExceededException", failure);
    this.resource_name = facts.resource_name ?? null;
    this.current_quantity = facts.current_quantity ?? null;
    this.limit_quantity = facts.limit_quantity ?? null;
  }
}

/** The server could not be reached, or the connection broke; the origin is the `cause`. */
export class RobotoConnectionError extends RobotoHttpException {
  override readonly code = "threads/connection";

  constructor(failure: HttpFailure) {
    super("RobotoConnectionError", failure);
  }
}

/** The server answered with something that is not what was asked for; the origin is the `cause`. */
export class RobotoResponseError extends RobotoHttpException {
  override readonly code = "threads/response";

  constructor(failure: HttpFailure) {
    super("RobotoResponseError", failure);
  }
}
