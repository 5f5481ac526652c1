import { errorMessage, type Message } from "@roboz/core";

import { stringifyJson } from "../wire/json.ts";
import type { ThreadTransaction } from "../store/thread-store.ts";
import { lockThread, type ThreadWriter } from "../store/thread-writer.ts";
import { answerCall, openCalls } from "../store/tool-calls.ts";
import { interruptOpenMessage } from "../store/turn-end.ts";
import { claimTurn, saveProgress, threadOfQueuedTurn, type ClaimedTurn } from "../store/turns.ts";
import { brokenOff, parseLoopState, skippedCall, type LoopState } from "./loop-state.ts";
import { readTurnFacts, type TurnFacts } from "./turn-facts.ts";

/** A turn that a worker holds, with all that it begins or goes on with. */
export interface TakenTurn {
  readonly turn: ClaimedTurn;
  readonly facts: TurnFacts;
  /** Where its loop stands; undefined for one that has not begun. */
  readonly state: LoopState | undefined;
  /** A message that was opened before a crash, and is empty. */
  readonly openMessage: number | undefined;
}

const unknownOutcome =
  "The server was interrupted while this call was carried out, and it is not known what came of it. Find out before you repeat it.";

/**
 * Takes a queued turn, and settles what a worker before left: a message that was cut off, and a call that was begun.
 *
 * @returns undefined when the turn is queued no more.
 */
export async function takeTurn(
  transaction: ThreadTransaction,
  turnId: string,
  lease: { readonly worker: string; readonly leaseMs: number },
): Promise<TakenTurn | undefined> {
  const threadId = await threadOfQueuedTurn(transaction, turnId);
  if (threadId === undefined) return undefined;
  // The thread first, as everybody does: who holds one of the two then never waits for the other.
  const thread = await lockThread(transaction, threadId);
  const turn = await claimTurn(transaction, turnId, lease);
  if (turn === undefined) return undefined;
  let state = turn.position === null ? undefined : parseLoopState(turn.position);
  // A turn that was given back does not count as an attempt, and may have begun all the same.
  const openMessage = await interruptOpenMessage(transaction, thread);
  state = await settleCalls(transaction, thread, turn, state);
  if (thread.logHead > thread.row.logHead) await thread.save();
  return { turn, facts: await readTurnFacts(transaction, turn, thread.row), state, openMessage };
}

/** A call that was begun, and may not be made again, has an error as its result. */
async function settleCalls(
  transaction: ThreadTransaction,
  thread: ThreadWriter,
  turn: ClaimedTurn,
  before: LoopState | undefined,
): Promise<LoopState | undefined> {
  let state = before;
  for (const { toolUseId, name, kind, state: callState, isIdempotent } of await openCalls(
    transaction,
    turn.turnId,
  )) {
    if (callState !== "running" || isIdempotent || state === undefined) continue;
    const seq = await answerCall(transaction, thread, turn.turnId, {
      toolUseId,
      name,
      status: "error",
      runtimeMs: 0,
      output: { error: unknownOutcome },
    });
    const none: readonly Message[] = [];
    const skipped = kind === "chain" ? { state: brokenOff(state), messages: none } : skippedCall(state);
    ({ state } = skipped);
    const said = errorMessage(JSON.stringify({ caller: name, error: unknownOutcome }));
    for (const message of [...skipped.messages, said])
      await thread.addModelMessage(seq, stringifyJson(message));
    await saveProgress(transaction, turn.turnId, {
      position: JSON.stringify(state),
      repromptsUsed: turn.repromptsUsed,
      stepsUsed: turn.stepsUsed,
      spentMs: turn.spentMs,
    });
  }
  return state;
}
