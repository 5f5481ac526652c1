import type { JournalRecord } from "./record.ts";

/**
 * Whether something read from a journal has the form of a record, as far as rebuilding a run walks through it. Messages,
 * and where the run stood, are checked when the run is restored.
 */
export function isJournalRecord(candidate: unknown): candidate is JournalRecord {
  if (!isObject(candidate)) return false;
  const { sequence, at, type, ...parts } = candidate;
  if (!Number.isSafeInteger(sequence) || typeof at !== "string") return false;
  switch (type) {
    case "opened":
      return (
        typeof parts["runId"] === "string" &&
        typeof parts["agentName"] === "string" &&
        typeof parts["schemaVersion"] === "number" &&
        (parts["base"] === null || isBase(parts["base"]))
      );
    case "step":
      return (
        isListOf(parts["replacements"], isReplacement) &&
        isListOf(parts["messages"], isReported) &&
        isListOf(parts["events"], isReported) &&
        [parts["position"], parts["counts"], parts["repeats"], parts["showings"]].every(isObject) &&
        (parts["pending"] === null || isObject(parts["pending"]))
      );
    case "once-intent":
    case "once-result":
    case "once-failed":
      return typeof parts["key"] === "string";
    case "ended":
      return (
        typeof parts["status"] === "string" &&
        isListOf(parts["events"], isReported) &&
        isListOf(parts["messages"] ?? [], isReported) &&
        Number.isSafeInteger(parts["lastEvent"])
      );
    default:
      return type === "resumed";
  }
}

function isBase(candidate: unknown): boolean {
  return isObject(candidate) && Array.isArray(candidate["messages"]) && isObject(candidate["once"]);
}

function isReplacement(candidate: unknown): boolean {
  return (
    isObject(candidate) &&
    Number.isSafeInteger(candidate["from"]) &&
    Number.isSafeInteger(candidate["to"]) &&
    Array.isArray(candidate["messages"])
  );
}

/** What was reported has the number of its event. */
function isReported(candidate: unknown): boolean {
  return isObject(candidate) && Number.isSafeInteger(candidate["event"]);
}

function isListOf(candidate: unknown, isMember: (member: unknown) => boolean): boolean {
  return Array.isArray(candidate) && candidate.every(isMember);
}

function isObject(candidate: unknown): candidate is Readonly<Record<string, unknown>> {
  return typeof candidate === "object" && candidate !== null && !Array.isArray(candidate);
}
