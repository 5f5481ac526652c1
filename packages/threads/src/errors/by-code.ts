import { z } from "zod";
import { RobotoHttpException, type HttpFailure } from "./http-exception.ts";
import * as http from "./http-exceptions.ts";

interface Kind {
  /** The status that goes with the class. */
  readonly status: number;
  readonly make: (failure: HttpFailure, error: object) => RobotoHttpException;
}

type Made = new (failure: HttpFailure) => RobotoHttpException;

function kind(status: number, Exception: Made): Kind {
  return { status, make: (failure) => new Exception(failure) };
}

const limitFactsSchema = z.object({
  resource_name: z.string().nullable().default(null).catch(null),
  current_quantity: z.number().nullable().default(null).catch(null),
  limit_quantity: z.number().nullable().default(null).catch(null),
});

/** Every class that an answer can name, by its name. */
const kinds: Readonly<Record<string, Kind>> = {
  RobotoInvalidRequestException: kind(400, http.RobotoInvalidRequestException),
  RobotoNoOrgProvidedException: kind(400, http.RobotoNoOrgProvidedException),
  RobotoIllegalArgumentException: kind(400, http.RobotoIllegalArgumentException),
  RobotoInvalidStateTransitionException: kind(400, http.RobotoInvalidStateTransitionException),
  RobotoDeprecatedException: kind(400, http.RobotoDeprecatedException),
  RobotoContextTooLongException: kind(400, http.RobotoContextTooLongException),
  RobotoUnauthorizedException: kind(401, http.RobotoUnauthorizedException),
  RobotoAuthenticationFailureException: kind(401, http.RobotoAuthenticationFailureException),
  RobotoThreadReadOnlyException: kind(403, http.RobotoThreadReadOnlyException),
  RobotoFeatureNotAvailableException: kind(403, http.RobotoFeatureNotAvailableException),
  RobotoLimitExceededException: {
    status: 403,
    make: (failure, error) => new http.RobotoLimitExceededException(failure, limitFactsSchema.parse(error)),
  },
  RobotoNotFoundException: kind(404, http.RobotoNotFoundException),
  RobotoDatasetNotFoundException: kind(404, http.RobotoDatasetNotFoundException),
  RobotoDeviceNotFoundException: kind(404, http.RobotoDeviceNotFoundException),
  RobotoNotReadyException: kind(404, http.RobotoNotReadyException),
  RobotoUnknownOperationException: kind(404, http.RobotoUnknownOperationException),
  RobotoConflictException: kind(409, http.RobotoConflictException),
  RobotoConditionException: kind(409, http.RobotoConditionException),
  RobotoExpiredException: kind(410, http.RobotoExpiredException),
  RobotoServiceException: kind(500, http.RobotoServiceException),
  RobotoFailedToGenerateException: kind(500, http.RobotoFailedToGenerateException),
  RobotoInternalException: kind(500, http.RobotoInternalException),
  RobotoNotImplementedException: kind(501, http.RobotoNotImplementedException),
  RobotoServiceUnavailableException: kind(503, http.RobotoServiceUnavailableException),
  RobotoServiceTimeoutException: kind(504, http.RobotoServiceTimeoutException),
  RobotoOperationTimeoutException: kind(504, http.RobotoOperationTimeoutException),
  RobotoResponseTooLargeException: kind(507, http.RobotoResponseTooLargeException),
};

/** The status with which a server answers an error of this package. */
export function statusOf({ status, errorCode }: RobotoHttpException): number {
  return status ?? kindNamed(errorCode)?.status ?? 500;
}

function kindNamed(errorCode: string): Kind | undefined {
  return Object.hasOwn(kinds, errorCode) ? kinds[errorCode] : undefined;
}

/** The class that goes with a status when the answer names none that is known. */
function kindOfStatus(status: number, message: string): Kind | undefined {
  if (status === 400) {
    const isAboutOrg = /\borg(?:ani[sz]ation)?\b/i.test(message) && /provid|specif|missing/i.test(message);
    return kindNamed(isAboutOrg ? "RobotoNoOrgProvidedException" : "RobotoInvalidRequestException");
  }
  if (status === 401 || status === 403) {
    const isDenied = /explicit(?:ly)?\s+den(?:y|ied)/i.test(message);
    return kindNamed(isDenied ? "RobotoAuthenticationFailureException" : "RobotoUnauthorizedException");
  }
  if (status === 404) return kindNamed("RobotoNotFoundException");
  if (status === 409) return kindNamed("RobotoConflictException");
  return status >= 500 ? kindNamed("RobotoServiceException") : undefined;
}

/** The error that an answer stands for: by the class it names, else by its status. */
export function exceptionFor(
  status: number,
  error: { readonly error_code?: string | undefined },
  failure: HttpFailure,
): RobotoHttpException {
  const named = error.error_code === undefined ? undefined : kindNamed(error.error_code);
  const found = named ?? kindOfStatus(status, failure.message);
  if (found !== undefined) return found.make({ ...failure, status }, error);
  return new RobotoHttpException("RobotoHttpException", { ...failure, status });
}
