import { RobotoHttpException, type HttpErrorCode, type HttpFailure } from "./http-exception.ts";

/** A request that breaks a rule. Without a `status` it was refused before it was sent. */
export class RobotoInvalidRequestException extends RobotoHttpException<"threads/invalid-request"> {
  constructor(failure: HttpFailure) {
    super("threads/invalid-request", "RobotoInvalidRequestException", failure);
  }
}

/** The caller is in several organisations, or in none, and did not say which one is meant. */
export class RobotoNoOrgProvidedException extends RobotoHttpException<"threads/no-org-provided"> {
  constructor(failure: HttpFailure) {
    super("threads/no-org-provided", "RobotoNoOrgProvidedException", failure);
  }
}

/** The caller may not do this; it was not done. */
export class RobotoUnauthorizedException extends RobotoHttpException<"threads/unauthorized"> {
  constructor(failure: HttpFailure) {
    super("threads/unauthorized", "RobotoUnauthorizedException", failure);
  }
}

/** The caller is explicitly denied. */
export class RobotoAuthenticationFailureException extends RobotoHttpException<"threads/authentication-failure"> {
  constructor(failure: HttpFailure) {
    super("threads/authentication-failure", "RobotoAuthenticationFailureException", failure);
  }
}

/** The thread belongs to another surface: it can be read and forked, and not be written to. */
export class RobotoThreadReadOnlyException extends RobotoHttpException<"threads/thread-read-only"> {
  constructor(failure: HttpFailure) {
    super("threads/thread-read-only", "RobotoThreadReadOnlyException", failure);
  }
}

/** The organisation does not have this feature. */
export class RobotoFeatureNotAvailableException extends RobotoHttpException<"threads/feature-not-available"> {
  constructor(failure: HttpFailure) {
    super("threads/feature-not-available", "RobotoFeatureNotAvailableException", failure);
  }
}

/** There is no such thing, or it may not be seen. */
export class RobotoNotFoundException<
  out Code extends HttpErrorCode = "threads/not-found",
> extends RobotoHttpException<Code | "threads/not-found"> {
  constructor(failure: HttpFailure, code?: Code, errorCode = "RobotoNotFoundException") {
    super(code ?? "threads/not-found", errorCode, failure);
  }
}

/** There is no such dataset. */
export class RobotoDatasetNotFoundException extends RobotoNotFoundException<"threads/dataset-not-found"> {
  constructor(failure: HttpFailure) {
    super(failure, "threads/dataset-not-found", "RobotoDatasetNotFoundException");
  }
}

/** There is no such device. */
export class RobotoDeviceNotFoundException extends RobotoNotFoundException<"threads/device-not-found"> {
  constructor(failure: HttpFailure) {
    super(failure, "threads/device-not-found", "RobotoDeviceNotFoundException");
  }
}

/** It exists and cannot be had yet; ask again later. */
export class RobotoNotReadyException extends RobotoHttpException<"threads/not-ready"> {
  constructor(failure: HttpFailure) {
    super("threads/not-ready", "RobotoNotReadyException", failure);
  }
}

/** The server has no such operation. */
export class RobotoUnknownOperationException extends RobotoHttpException<"threads/unknown-operation"> {
  constructor(failure: HttpFailure) {
    super("threads/unknown-operation", "RobotoUnknownOperationException", failure);
  }
}

/** Something of that name exists, or the same request is still being worked on. */
export class RobotoConflictException extends RobotoHttpException<"threads/conflict"> {
  constructor(failure: HttpFailure) {
    super("threads/conflict", "RobotoConflictException", failure);
  }
}

/** A condition of the request does not hold. */
export class RobotoConditionException extends RobotoHttpException<"threads/condition"> {
  constructor(failure: HttpFailure) {
    super("threads/condition", "RobotoConditionException", failure);
  }
}

/** It was there once, and is gone. */
export class RobotoExpiredException extends RobotoHttpException<"threads/expired"> {
  constructor(failure: HttpFailure) {
    super("threads/expired", "RobotoExpiredException", failure);
  }
}

/** An argument is not allowed. */
export class RobotoIllegalArgumentException extends RobotoHttpException<"threads/illegal-argument"> {
  constructor(failure: HttpFailure) {
    super("threads/illegal-argument", "RobotoIllegalArgumentException", failure);
  }
}

/** It cannot go from the state it is in to the one asked for. */
export class RobotoInvalidStateTransitionException extends RobotoHttpException<"threads/invalid-state-transition"> {
  constructor(failure: HttpFailure) {
    super("threads/invalid-state-transition", "RobotoInvalidStateTransitionException", failure);
  }
}

/** The operation is no longer offered. */
export class RobotoDeprecatedException extends RobotoHttpException<"threads/deprecated"> {
  constructor(failure: HttpFailure) {
    super("threads/deprecated", "RobotoDeprecatedException", failure);
  }
}

/** The conversation is longer than the model takes. */
export class RobotoContextTooLongException extends RobotoHttpException<"threads/context-too-long"> {
  constructor(failure: HttpFailure) {
    super("threads/context-too-long", "RobotoContextTooLongException", failure);
  }
}

/** The server failed. */
export class RobotoServiceException extends RobotoHttpException<"threads/service"> {
  constructor(failure: HttpFailure) {
    super("threads/service", "RobotoServiceException", failure);
  }
}

/** A text could not be generated. */
export class RobotoFailedToGenerateException extends RobotoHttpException<"threads/failed-to-generate"> {
  constructor(failure: HttpFailure) {
    super("threads/failed-to-generate", "RobotoFailedToGenerateException", failure);
  }
}

/** The server failed by a fault of its own. */
export class RobotoInternalException extends RobotoHttpException<"threads/internal"> {
  constructor(failure: HttpFailure) {
    super("threads/internal", "RobotoInternalException", failure);
  }
}

/** The server does not offer this. */
export class RobotoNotImplementedException extends RobotoHttpException<"threads/not-implemented"> {
  constructor(failure: HttpFailure) {
    super("threads/not-implemented", "RobotoNotImplementedException", failure);
  }
}

/** The server is not available at the moment. */
export class RobotoServiceUnavailableException extends RobotoHttpException<"threads/service-unavailable"> {
  constructor(failure: HttpFailure) {
    super("threads/service-unavailable", "RobotoServiceUnavailableException", failure);
  }
}

/** The server took too long. */
export class RobotoServiceTimeoutException extends RobotoHttpException<"threads/service-timeout"> {
  constructor(failure: HttpFailure) {
    super("threads/service-timeout", "RobotoServiceTimeoutException", failure);
  }
}

/** The operation took too long. */
export class RobotoOperationTimeoutException extends RobotoHttpException<"threads/operation-timeout"> {
  constructor(failure: HttpFailure) {
    super("threads/operation-timeout", "RobotoOperationTimeoutException", failure);
  }
}

/** The answer would be too large; asking again does not help. */
export class RobotoResponseTooLargeException extends RobotoHttpException<"threads/response-too-large"> {
  constructor(failure: HttpFailure) {
    super("threads/response-too-large", "RobotoResponseTooLargeException", failure);
  }
}

/** What a limit was about, on the wire inside `error`. */
export interface LimitFacts {
  readonly resource_name: string | null;
  readonly current_quantity: number | null;
  readonly limit_quantity: number | null;
}

/** The caller has, or asks for, more than is allowed; `headers` may say when to try again. */
export class RobotoLimitExceededException extends RobotoHttpException<"threads/limit-exceeded"> {
  readonly resource_name: string | null;
  readonly current_quantity: number | null;
  readonly limit_quantity: number | null;

  constructor(failure: HttpFailure, facts: Partial<LimitFacts> = {}) {
    super("threads/limit-exceeded", "RobotoLimitExceededException", failure);
    this.resource_name = facts.resource_name ?? null;
    this.current_quantity = facts.current_quantity ?? null;
    this.limit_quantity = facts.limit_quantity ?? null;
  }
}

/** The server could not be reached, or the connection broke; the origin is the `cause`. */
export class RobotoConnectionError extends RobotoHttpException<"threads/connection"> {
  constructor(failure: HttpFailure) {
    super("threads/connection", "RobotoConnectionError", failure);
  }
}

/** The server answered with something that is not what was asked for; the origin is the `cause`. */
export class RobotoResponseError extends RobotoHttpException<"threads/response"> {
  constructor(failure: HttpFailure) {
    super("threads/response", "RobotoResponseError", failure);
  }
}
