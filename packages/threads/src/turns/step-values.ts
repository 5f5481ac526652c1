import { contentObject, type RunResult, type RunSnapshot, type Stop, type StoredValue } from "@roboz/core";

/** What a call that speaks says. */
export function spokenText({ fields }: StoredValue): string {
  const { value } = fields;
  return typeof value === "string" ? value : "";
}

/** The question that a run waits with; undefined when it waits for a client, or for nothing. */
export function questionOf({ pending }: RunSnapshot): string | undefined {
  const request = pending?.request;
  if (typeof request !== "object" || request === null || !("type" in request)) return undefined;
  if (request.type !== "user-question" || !("question" in request)) return undefined;
  return typeof request.question === "string" ? request.question : undefined;
}

/** What a tool gave, as a thread shows it. */
export function outputOf(
  { position, pending }: RunSnapshot,
  result: RunResult<Stop> | undefined,
): Record<string, unknown> {
  if (result?.status === "completed") return { ...result.output };
  return pending === null ? { ...position.output.fields } : { request: pending.request };
}

/** What the model is told of a tool's failure. */
export function failureIn({ messages }: RunSnapshot): string {
  const error = contentObject(messages.at(-1)?.content ?? "")?.["error"];
  return typeof error === "string" ? error : "The tool failed.";
}
