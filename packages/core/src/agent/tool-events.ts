import { isProviderRequestError, isExternalCallInterrupted } from "../llm/errors.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import { kindOf, type AnyValue } from "../values/value.ts";
import type { ChosenBy } from "./snapshot.ts";
import { BodyFailure, Cancellation } from "./tool-call.ts";

/** Reports that a scheduled tool starts, and who led to it: the model, a link, a tool that returned a call, or its turn as a default. */
export function toolStarted(pipe: EventPipe, toolName: string, chosenBy: ChosenBy): void {
  if (!pipe.isListening) return;
  const data = { tool: toolName, chosen_by: chosenBy };
  pipe.runtime("tool", "started", "debug", `Tool \`${toolName}\` started`, data);
}

/** Reports what a tool returned, by type and size. */
export function toolSucceeded(pipe: EventPipe, toolName: string, output: AnyValue, durationMs: number): void {
  if (!pipe.isListening) return;
  const data = {
    tool: toolName,
    duration_ms: durationMs,
    output_type: kindOf(output),
    output_chars: JSON.stringify(output).length,
  };
  pipe.runtime("tool", "succeeded", "debug", `Tool \`${toolName}\` succeeded`, data);
}

/** Reports that a tool did not finish, by the kind of error; its text may hold what events must not. */
export function toolFailed(pipe: EventPipe, toolName: string, error: unknown, durationMs: number): void {
  if (!pipe.isListening) return;
  const cause =
    error instanceof BodyFailure ? error.cause : error instanceof Cancellation ? error.reason : error;
  const data = {
    tool: toolName,
    duration_ms: durationMs,
    error_type: cause instanceof Error ? cause.name : typeof cause,
  };
  if (error instanceof Cancellation || pipe.isCancelled)
    pipe.runtime("tool", "cancelled", "warning", `Tool \`${toolName}\` was cancelled`, data);
  else if (isExternalCallInterrupted(cause))
    pipe.runtime("tool", "interrupted", "warning", `Tool \`${toolName}\` was interrupted`, data);
  else
    pipe.runtime(
      "tool",
      "failed",
      isProviderRequestError(cause) ? "warning" : "error",
      `Tool \`${toolName}\` failed`,
      data,
    );
}
