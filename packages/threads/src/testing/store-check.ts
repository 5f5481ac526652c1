import assert from "node:assert/strict";

import type { AgentThreadRecord } from "../wire/thread.ts";
import type { Caller } from "../store/caller.ts";
import type { ThreadStore, ThreadStoreOptions } from "../store/thread-store.ts";
import { lockThreadFor, startThread } from "../store/threads.ts";
import { addCall } from "../store/tool-calls.ts";
import type { Trigger } from "../store/trigger.ts";
import { claimTurn, holdTurn, leaveTurn, queuedTurns, type ClaimedTurn } from "../store/turns.ts";

/** What a check works with. */
export interface CheckContext {
  readonly store: ThreadStore;
  /** Opens the same data again, beside the store or after it was closed. */
  readonly reopen: (options?: ThreadStoreOptions) => Promise<ThreadStore>;
  /** Moves the store's clock. */
  readonly pass: (ms: number) => void;
}

/** One thing that every store has to do. */
export interface Check {
  readonly title: string;
  readonly run: (context: CheckContext) => Promise<void>;
}

/** A member of one organisation. */
export function member(userId: string, { orgs = ["og_1"], admin = false } = {}): Caller {
  return { principal: `user:${userId}`, userId, orgs, admin };
}

/** A trigger of one message. */
export function saying(text: string, more: Partial<Trigger> = {}): Trigger {
  return {
    messages: [{ role: "user", content: [{ content_type: "text", text }] }],
    goals: [],
    skills: [],
    clientTools: [],
    clientContext: null,
    subjects: [],
    ...more,
  };
}

/** Starts a thread of a caller's. */
export async function start(
  store: ThreadStore,
  caller: Caller,
  text = "Hello.",
  visibility: "private" | "org" = "private",
): Promise<AgentThreadRecord> {
  return store.write((transaction) =>
    startThread(
      transaction,
      {
        caller,
        orgId: caller.orgs[0] ?? "og_1",
        agentKey: "default",
        modelProfile: null,
        systemPrompt: null,
        visibility,
        origin: "api",
        analysisScope: null,
        availableSkills: null,
      },
      saying(text),
    ),
  );
}

/** Takes the oldest queued turn. */
export async function claim(store: ThreadStore, worker = "worker"): Promise<ClaimedTurn> {
  const [turnId] = await store.read((view) => queuedTurns(view, { limit: 1, perOrg: 100 }));
  if (turnId === undefined) throw new Error("No turn is queued");
  const turn = await store.write((transaction) =>
    claimTurn(transaction, turnId, { worker, leaseMs: 30_000 }),
  );
  if (turn === undefined) throw new Error("The turn was taken by another worker");
  return turn;
}

/** Answers a turn with a text, in pieces, and ends it. */
export async function answer(
  store: ThreadStore,
  turn: ClaimedTurn,
  pieces: readonly string[],
): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    await store.write(async (transaction) => {
      const thread = await holdTurn(transaction, turn);
      const seq =
        index === 0
          ? await thread.addMessage("assistant", "generating", { turnId: turn.turnId })
          : thread.messageCount - 1;
      await thread.appendText(seq, piece);
      await thread.save();
    });
  }
  await store.write(async (transaction) => {
    const thread = await holdTurn(transaction, turn);
    await thread.setMessageStatus(thread.messageCount - 1, "completed");
    await leaveTurn(transaction, turn.turnId, "done");
    await thread.setStatus("user_turn");
    await thread.save();
  });
}

/** Has a turn wait for two calls of client tools, `tu_1` and `tu_2`. */
async function waitForClient(store: ThreadStore, turn: ClaimedTurn): Promise<void> {
  await store.write(async (transaction) => {
    const thread = await holdTurn(transaction, turn);
    const seq = await thread.addMessage("assistant", "generating", { turnId: turn.turnId });
    for (const toolUseId of ["tu_1", "tu_2"]) {
      await addCall(transaction, thread, seq, {
        toolUseId,
        name: "look",
        kind: "client",
        turnId: turn.turnId,
        input: { at: toolUseId },
        isIdempotent: false,
      });
    }
    await thread.setMessageStatus(seq, "completed");
    await leaveTurn(transaction, turn.turnId, "waiting_client");
    await thread.setStatus("client_tool_turn");
    await thread.save();
  });
}

/** A thread that waits for `tu_1` and `tu_2`, started by this caller. */
export async function waiting(store: ThreadStore, caller: Caller): Promise<string> {
  const { thread_id: threadId } = await start(store, caller);
  await waitForClient(store, await claim(store));
  return threadId;
}

/** Does something with a thread that the caller may write to. */
export function writing<T>(
  store: ThreadStore,
  threadId: string,
  caller: Caller,
  work: (
    transaction: Parameters<typeof lockThreadFor>[0],
    thread: Awaited<ReturnType<typeof lockThreadFor>>,
  ) => Promise<T>,
): Promise<T> {
  return store.write(async (transaction) =>
    work(transaction, await lockThreadFor(transaction, threadId, caller, "write")),
  );
}

/** Holds an object, or an error, against the parts that it must have; a list must be as long. */
export function hasParts(actual: unknown, parts: unknown): void {
  if (typeof parts !== "object" || parts === null) {
    assert.deepEqual(actual, parts);
    return;
  }
  assert.ok(typeof actual === "object" && actual !== null, "there is nothing that could have parts");
  if (Array.isArray(parts)) assert.equal(Reflect.get(actual, "length"), parts.length);
  for (const [key, part] of Object.entries(parts)) hasParts(Reflect.get(actual, key), part);
}
