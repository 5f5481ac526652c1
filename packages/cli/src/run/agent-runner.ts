import { cliUserIo, openRun } from "@roboz/core";
import type {
  Agent,
  CliUserIoOptions,
  EventSink,
  JournalStore,
  ResumeRunOptions,
  Run,
  RunResult,
  SuspendedRun,
  UserIo,
} from "@roboz/core";

import type { CommandContext } from "../command.ts";
import { InterruptedError, RunEndedError, SuspendedRunError } from "../errors.ts";
import { errorLine } from "../error-line.ts";
import { displayOn } from "./display.ts";
import { questionOf, replyOf } from "./reply.ts";

/** Where a run is kept, and how a later command gets at it. */
export interface KeptRun {
  readonly store: JournalStore;
  /** The command that goes on with a run, without the reply that it waits for. */
  readonly resumeCommand: (runId: string) => string;
  /** The run to go on with; by default a new one is begun. */
  readonly runId?: string | undefined;
  /** What that run waits for. */
  readonly reply?: unknown;
  readonly allowChanged?: boolean | undefined;
}

/** How a run is shown, and who answers it. */
export interface RunnerOptions {
  /** What the run starts from. */
  readonly input?: string | undefined;
  /** Prints the result as JSON once the run has ended, and nothing else to the standard output. */
  readonly json?: boolean | undefined;
  /** Makes the person's channel; by default what is read from the terminal. */
  readonly io?: ((ends: CliUserIoOptions) => UserIo) | undefined;
  /** Keeps the run in a store. */
  readonly kept?: KeptRun | undefined;
}

/**
 * Runs an agent in the terminal. Ctrl-C ends the model call under way, and the person is asked how to go on; with no call under
 * way it ends the run. What the run waits for is asked of the person, where there is a terminal.
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
  const { json = false, io = cliUserIo, kept } = options;
  const { output, errors } = terminal;
  const notices = json ? errors : output;
  const calls = new CallsUnderWay();
  const channel = io({ input: terminal.input, output: notices });
  const runOptions = {
    io: channel,
    signal: interrupts.signal,
    sinks: json ? [calls.sink] : [calls.sink, displayOn(output)],
  };
  let run: Run | undefined;
  const release = interrupts.handle(() => {
    if (calls.interrupt()) run?.interrupt();
    else interrupts.end(new InterruptedError());
  });
  let result: RunResult<unknown>;
  try {
    run = await begin(agent, options, {
      ...runOptions,
      onDamage: ({ broken }) => {
        notices.write(`${broken} broken ${broken === 1 ? "line" : "lines"} of the journal left out\n`);
      },
    });
    result = await run.finish();
    while (result.status === "suspended" && terminal.input.isTTY === true && channel.isLive) {
      const answered = await answer(agent, result, run.runId, channel, runOptions, kept?.store);
      if (answered === undefined) break;
      run = answered;
      result = await run.finish();
    }
  } catch (error) {
    throw calls.wereInterrupted ? new InterruptedError() : error;
  } finally {
    release();
  }
  output.write(json ? `${JSON.stringify(result, readableErrors, 2)}\n` : summary(result));
  if (kept !== undefined && !json) output.write(`run: ${run.runId}\n`);
  switch (result.status) {
    case "completed":
      return;
    case "suspended":
      // Nobody is there to say how to go on after Ctrl-C.
      if (calls.wereInterrupted) throw new InterruptedError();
      throw new SuspendedRunError({
        toolName: result.toolName,
        question: questionOf(result.request),
        resumeCommand: kept?.resumeCommand(run.runId),
      });
    case "cancelled":
      throw new RunEndedError({ agentName: agent.name, cause: result.reason });
  }
}

async function begin(
  agent: Agent,
  { input, kept }: RunnerOptions,
  { onDamage, ...options }: ResumeRunOptions,
): Promise<Run> {
  if (kept === undefined) return agent.start(input, options);
  const { store, runId, reply, allowChanged } = kept;
  if (runId === undefined) return agent.start(input, { ...options, journal: store });
  return openRun(store, runId, agent, { ...options, onDamage, reply, allowChanged });
}

/** Asks the person for what the run waits for, until it is something that it takes; undefined when the person has left. */
async function answer(
  agent: Agent,
  { request, snapshot, toolName }: SuspendedRun,
  runId: string,
  channel: UserIo,
  options: ResumeRunOptions,
  store: JournalStore | undefined,
): Promise<Run | undefined> {
  const question = `${toolName}: ${questionOf(request)}`;
  for (;;) {
    let reply: unknown;
    try {
      reply = replyOf((await channel.ask(question, { signal: options.signal }))?.value ?? "");
    } catch (error) {
      if (!hasCode(error, "core/user-input-unavailable")) throw error;
      return undefined;
    }
    try {
      return store === undefined
        ? agent.restore(snapshot, reply, options)
        : await openRun(store, runId, agent, { ...options, reply });
    } catch (error) {
      if (!hasCode(error, "core/reply")) throw error;
      await channel.notify(errorLine(error));
    }
  }
}

/** By its code: the agent's module may have a copy of `@roboz/core` of its own. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
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
  return `model calls: ${llmCalls}, skipped: ${skippedCalls}, tools run: ${steps}, tokens: ${tokensIn} in, ${tokensOut} out${cost}\n`;
}

/** Errors have no JSON of their own. */
function readableErrors(_key: string, field: unknown): unknown {
  return field instanceof Error ? { name: field.name, message: errorLine(field) } : field;
}
