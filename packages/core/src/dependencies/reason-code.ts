import type { ErrorLink } from "./error-chain.ts";

const reasonCodes = [
  "not_found",
  "missing_credentials",
  "authentication_failed",
  "connection_failed",
  "tls_failed",
  "timeout",
  "protocol_error",
  "model_unavailable",
  "check_failed",
] as const;

/** Why a dependency cannot be used. `check_failed` stands for whatever no other code does. */
export type ReasonCode = (typeof reasonCodes)[number];

/** Whether anything is one of the codes. */
export function isReasonCode(candidate: unknown): candidate is ReasonCode {
  return reasonCodes.some((code) => code === candidate);
}

/** Codes and class names by which runtimes, drivers and this package say what failed. */
const known: ReadonlyMap<string, ReasonCode> = new Map<string, ReasonCode>([
  ...named("not_found", "ENOENT", "ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "core/executable-not-found"),
  ...named("authentication_failed", "core/llm-auth", "AuthenticationError", "PermissionDeniedError"),
  // Of PostgreSQL (class 28) and of mail servers.
  ...named("authentication_failed", "28000", "28P01", "EAUTH"),
  ...named("timeout", "ETIMEDOUT", "ESOCKETTIMEDOUT", "ETIME", "TimeoutError", "APIConnectionTimeoutError"),
  ...named("timeout", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"),
  ...named("timeout", "core/llm-call-timeout", "core/external-call-timeout", "core/tool-timeout"),
  ...named("connection_failed", "ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ENOTCONN"),
  ...named("connection_failed", "EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN", "EADDRNOTAVAIL"),
  ...named("connection_failed", "ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "ECONNECTION"),
  ...named("connection_failed", "UND_ERR_SOCKET", "ERR_STREAM_PREMATURE_CLOSE", "APIConnectionError"),
  ...named(
    "tls_failed",
    "EPROTO",
    "HOSTNAME_MISMATCH",
    "INVALID_CA",
    "INVALID_PURPOSE",
    "PATH_LENGTH_EXCEEDED",
  ),
  ...named("protocol_error", "SyntaxError", "ERR_HTTP_INVALID_STATUS_CODE"),
]);

const tlsCode = /^(?:CERT_|CRL_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C)/;

/** The code of the innermost error that says what failed. */
export function reasonOf(chain: readonly ErrorLink[]): ReasonCode {
  let decided: { readonly code: ReasonCode; readonly depth: number } | undefined;
  for (const link of chain) {
    const code = codeOf(link);
    if (code !== undefined && (decided === undefined || link.depth > decided.depth)) {
      decided = { code, depth: link.depth };
    }
  }
  return decided?.code ?? "check_failed";
}

function codeOf({ reasonCode, status, code, name, message }: ErrorLink): ReasonCode | undefined {
  if (isReasonCode(reasonCode) && reasonCode !== "check_failed") return reasonCode;
  if (status === 401 || status === 403) return "authentication_failed";
  if (code !== undefined) {
    if (tlsCode.test(code)) return "tls_failed";
    if (code.startsWith("HPE_")) return "protocol_error";
  }
  return known.get(code ?? "") ?? known.get(name) ?? said(message);
}

/** What a message says, of an error that has nothing but one. */
function said(message: string): ReasonCode | undefined {
  return /\b(?:connection (?:was )?(?:refused|reset)|broken pipe|socket hang up)\b/i.test(
    message.slice(0, 1000),
  )
    ? "connection_failed"
    : undefined;
}

function named(reason: ReasonCode, ...names: readonly string[]): readonly (readonly [string, ReasonCode])[] {
  return names.map((name) => [name, reason] as const);
}
