import { context, type Tracer } from "@opentelemetry/api";

import type { Environment } from "../dependencies/environment-secrets.ts";
import type { EventSink, RunEvent } from "../runtime/events.ts";
import { RunTrace } from "./run-trace.ts";

/** What spans hold beside names, numbers and outcomes. */
export interface OtelSinkOptions {
  /**
   * Puts the messages of the conversation, and tools' arguments and results, into the spans; false by default. What
   * `redactSecrets` takes for a secret is masked, and each text is cut at `maxContentCharacters`.
   */
  readonly captureContent?: boolean | undefined;
  /** Default 10 000. */
  readonly maxContentCharacters?: number | undefined;
  /** More values that must not be shown. */
  readonly secrets?: readonly string[] | undefined;
  /** Where variables that hold secrets are found; the process's environment by default. */
  readonly environment?: Environment | undefined;
}

/**
 * A sink that turns runs into OpenTelemetry spans, by the semantic conventions for generative AI (version 1.41, in
 * development): `invoke_agent NAME` for a run, below it `chat MODEL` for each model call with its retries as events,
 * `execute_tool NAME` for each tool, and `link PARENT -> CHILD` around a tool that a link led to. The run of an agent that is
 * a tool is below that tool's span; any other run is below the span that is active when it starts.
 *
 * Any number of runs may share a sink. It has to be attached before a run starts, best in an agent's `sinks`. It does not
 * make its spans the active ones: spans of other instrumentations stand beside them, below whatever was active.
 *
 * @param tracer - Of the application's tracer provider: `trace.getTracer("my-app")`.
 */
export function otelSink(tracer: Tracer, options: OtelSinkOptions = {}): EventSink {
  const runs = new Map<string, RunTrace>();
  return (event: RunEvent): void => {
    const { runId } = event;
    if (event.type === "run-lifecycle" && event.kind === "started" && !runs.has(runId)) {
      const parent = event.parentRunId === undefined ? undefined : runs.get(event.parentRunId);
      runs.set(runId, new RunTrace(tracer, event, parent?.innermost ?? context.active(), options));
      return;
    }
    const run = runs.get(runId);
    // A sink of both an agent and the agent that calls it hears the events of the inner run twice.
    if (run === undefined || event.sequence <= run.sequence) return;
    run.hear(event);
    if (event.type === "run-lifecycle") runs.delete(runId);
  };
}
