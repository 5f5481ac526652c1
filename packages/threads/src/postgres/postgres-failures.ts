/** What a failure of the database means for the work that met it. */
export type FailureKind =
  /** Others changed the same; begun again, the work sees what they did. */
  | "conflict"
  /** The connection is gone, or there is none to be had. */
  | "connection"
  | "other";

const conflicts = new Set([
  "40001", // serialization_failure
  "40P01", // deadlock_detected
  "23505", // unique_violation: a look before the insert sees the other row the next time
  "55P03", // lock_not_available
  "0A000", // a plan from before a migration
]);

const lostConnections = new Set([
  "25P03", // idle_in_transaction_session_timeout
  "53300", // too_many_connections
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "57P05", // idle_session_timeout
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT", // a socket in the file system that is not there yet
  "EPIPE",
  "ETIMEDOUT",
]);

/** The driver has no code for these. */
const saysLost =
  /^(?:connection terminated|client (?:was closed|has encountered a connection error)|query read timeout|timeout e(?:xceeded|xpired))|not queryable/i;

/** Sorts a failure of the driver's. */
export function failureKind(error: unknown): FailureKind {
  if (!(error instanceof Error)) return "other";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (conflicts.has(code)) return "conflict";
  if (lostConnections.has(code) || code.startsWith("08") || saysLost.test(error.message)) return "connection";
  // A host with several addresses fails for each of them.
  if (error instanceof AggregateError) return error.errors.some(isLost) ? "connection" : "other";
  return "other";
}

function isLost(error: unknown): boolean {
  return failureKind(error) === "connection";
}
