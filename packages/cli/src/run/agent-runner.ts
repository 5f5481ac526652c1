import {
  type Agent,
  cliUserIo,
  type CliUserIoOptions,
  type EventSink,
  type RunResult,
  type UserIo,
} from "@roboz/core";

import type { CommandContext } from "../command.ts";
import { InterruptedError, RunEndedError, SuspendedRunError } from "../errors.ts";
import { errorLine } from "../error-line.ts";
import { displayOn } from "./display.ts";

/** How a run is shown, and who answers it. */
export interface RunnerOptions {
  /** What the run starts from. */
  readonly input?: string | undefined;
  /** Prints the result as JSON once the run has ended, and nothing else to the standard output. */
  readonly json?: boolean | undefined;
  /** Makes the person's channel; by default what is read from the terminal. */
  readonly io?: ((ends: CliUserIoOptions) => UserIo) | undefined;
}

/**
 * Runs an agent in the terminal. Ctrl-C ends the model call under way, and the person is asked how to go on; with no call under
 * way it ends the run.
 *
 * @throws {@link SuspendedRunError} (`cli/suspended`) when the run waits for a reply; {@link InterruptedError}
 * (`cli/interrupted`) when it was ended from the keyboard; {@link RunEndedError} (`cli/run-ended`) when something else
 * cancelled it; what failed the run.
 */
export async function runInTerminal(
  agent: Agent,
  { terminal, interrupts }: CommandContext,
  options: RunnerOptions = {},
): Promise<void> {
  const { input, json = false, io = cliUserIo } = options;
  const { output, errors } = terminal;
  const calls = new CallsUnderWay();
  const sinks = json ? [calls.sink] : [calls.sink, displayOn(output)];
  const run = agent.start(input, {
    io: io({ input: terminal.input, output: json ? errors : output }),
    signal: interrupts.signal,
    sinks,
  });
  const release = interrupts.handle(() => {
    if (calls.interrupt()) run.interrupt();
    else interrupts.end(new InterruptedError());
  });
  let result: RunResult<unknown>;
  try {
    result = await run.finish();
  } catch (error) {
    throw calls.wereInterrupted ? new InterruptedError() : error;
  } finally {
    release();
  }
  output.write(json ? `${JSON.stringify(result, readableErrors, 2)}\n` : summary(result));
  switch (result.status) {
    case "completed":
      return;
    case "suspended":
      // Nobody is there to say how to go on after Ctrl-C.
      if (calls.wereInterrupted) throw new InterruptedError();
      throw new SuspendedRunError({ toolName: result.toolName, question: questionOf(result.request) });
    case "cancelled":
      throw new RunEndedError({ agentName: agent.name, cause: result.reason });
  }
}

/** Counts the model calls that have begun and not ended. */
class CallsUnderWay {
  #count = 0;
  /** Whether a call was interrupted and none has begun since. */
  wereInterrupted = false;

  readonly sink: EventSink = (event) => {
    if (event.type !== "runtime" || event.category !== "llm" || event.kind === "retrying") return;
    this.#count += event.kind === "started" ? 1 : -1;
    if (event.kind === "started") this.wereInterrupted = false;
  };

  /** Whether there is a call to interrupt. */
  interrupt(): boolean {
    if (this.#count === 0) return false;
    this.wereInterrupted = true;
    return true;
  }
}

function summary({ report }: RunResult<unknown>): string {
  const { llmCalls, skippedCalls, steps, tokensIn, tokensOut, costUsd } = report;
  const cost = costUsd === null ? "" : `, US$ ${costUsd.toFixed(4)}`;
  return `model calls: ${llmCalls}, skipped: ${skippedCalls}, steps: ${steps}, tokens: ${tokensIn} in, ${tokensOut} out${cost}\n`;
}

function questionOf(request: unknown): string {
  if (typeof request === "object" && request !== null && "question" in request)
    return String(request.question);
  return JSON.stringify(request);
}

/** Errors have no JSON of their own. */
function readableErrors(_key: string, field: unknown): unknown {
  return field instanceof Error ? { name: field.name, message: errorLine(field) } : field;
}
