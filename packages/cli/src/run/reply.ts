/** What a run asks, as a person reads it. */
export function questionOf(request: unknown): string {
  if (typeof request === "string") return request;
  if (typeof request === "object" && request !== null && "question" in request)
    return String(request.question);
  const text: unknown = JSON.stringify(request);
  return typeof text === "string" ? text : "";
}

/** A reply as it was typed: a JSON object is its fields, anything else is text. */
export function replyOf(typed: string): unknown {
  if (!typed.trimStart().startsWith("{")) return typed;
  try {
    const fields: unknown = JSON.parse(typed);
    return fields;
  } catch {
    return typed;
  }
}
