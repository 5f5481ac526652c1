import { HistoryChangeError } from "../errors.ts";
import { notesKey, type ToolContext } from "../tools/context.ts";
import { parseMessage, type Message } from "../values/message.ts";
import { parentKey, type RunToolContext } from "./nesting.ts";
import type { StepContext } from "./step-context.ts";

/** A change of history that a tool asked for. */
export interface Replacement {
  readonly range: { readonly from: number; readonly to: number };
  readonly messages: readonly Message[];
}

const noReplacements: readonly Replacement[] = Object.freeze([]);

/** One call of a tool. The tool may keep what it was given, but with the call ends its hold on history. */
export class ToolCall {
  /** What the tool gets beside its input: plain properties, so that it can be spread and handed on to another tool. */
  readonly context: RunToolContext;
  #replacements: Replacement[] | undefined;
  #isOver = false;

  /** @param signal - Fires when the run is cancelled or the call's time is over; without it, the run's own. */
  constructor(run: StepContext, signal: AbortSignal = run.signal) {
    const { messages, runId, step, io, once, emit } = run;
    const replaceMessages: ToolContext["replaceMessages"] = (range, others) => {
      if (this.#isOver) throw new HistoryChangeError("came after the step that asked for it had ended");
      const asked = (this.#replacements ??= []);
      checkRange(range, messages.length, asked);
      asked.push({ range: { ...range }, messages: others.map(parseMessage) });
    };
    this.context = {
      messages,
      runId,
      step,
      signal,
      io,
      once,
      emit,
      replaceMessages,
      [parentKey]: run.asParent,
      [notesKey]: run.effects,
    };
  }

  /** Ends the call; gives the changes of history it asked for, the last in the conversation first. */
  close(): readonly Replacement[] {
    this.#isOver = true;
    if (this.#replacements === undefined) return noReplacements;
    return this.#replacements.reverse().sort(lastFirst);
  }
}

/** By position, the last first; of two at one position, the one that takes something out before the one that puts in. */
function lastFirst({ range: one }: Replacement, { range: other }: Replacement): number {
  return other.from - one.from || other.to - one.to;
}

function checkRange(
  { from, to }: Replacement["range"],
  length: number,
  earlier: readonly Replacement[],
): void {
  if (!Number.isInteger(from) || !Number.isInteger(to) || from < 0 || from > to || to > length)
    throw new HistoryChangeError(`from ${from} to ${to} is not within the ${length} messages of the run`);
  const clash = earlier.find(({ range }) => from < range.to && range.from < to);
  if (clash !== undefined) {
    throw new HistoryChangeError(
      `from ${from} to ${to} overlaps the one from ${clash.range.from} to ${clash.range.to} of the same step`,
    );
  }
}
