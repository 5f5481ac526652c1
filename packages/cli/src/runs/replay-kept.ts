import {
  CoreError,
  printable,
  replayRun,
  type Agent,
  type JournalStore,
  type ReplayDivergedError,
} from "@roboz/core";

import { count } from "./show-run.ts";
import type { TerminalOutput } from "../terminal.ts";

/** How a replay is told of. */
export interface ReplayKeptOptions {
  readonly json?: boolean | undefined;
  readonly signal: AbortSignal;
}

/**
 * Replays a run, and prints that it was the same, or the first difference.
 *
 * @throws {@link ReplayDivergedError} (`core/replay-diverged`) when it was not, and what replaying throws.
 */
export async function replayKept(
  store: JournalStore,
  runId: string,
  agent: Agent,
  output: TerminalOutput,
  { json = false, signal }: ReplayKeptOptions,
): Promise<void> {
  try {
    const { steps, llmCalls, childRuns } = await replayRun(store, runId, agent, { signal });
    output.write(
      json
        ? `${JSON.stringify({ runId, isSame: true, steps, llmCalls, childRuns }, null, 2)}\n`
        : `The same: ${[
            count(steps, "step"),
            count(llmCalls, "model call"),
            ...(childRuns === 0 ? [] : [count(childRuns, "called agent")]),
          ].join(", ")}\n`,
    );
  } catch (error) {
    if (CoreError.is(error) && error.code === "core/replay-diverged") output.write(told(runId, error, json));
    throw error;
  }
}

function told(asked: string, { runId, step, difference }: ReplayDivergedError, json: boolean): string {
  const differsIn = runId === asked ? {} : { differsIn: runId };
  if (json)
    return `${JSON.stringify({ runId: asked, isSame: false, ...differsIn, step, difference }, null, 2)}\n`;
  const { what, recorded, today } = difference;
  const side = (sign: string, text: string | null): string =>
    `${sign} ${text === null ? "(nothing)" : printable(text).replaceAll("\n", `\n${sign} `)}\n`;
  return `${runId === asked ? "" : `run ${runId}, `}step ${step}: ${what}\n${side("-", recorded)}${side("+", today)}`;
}
