import assert from "node:assert/strict";

import { endClientWaits } from "../store/client-wait.ts";
import { readMessages } from "../store/transcript.ts";
import { sendToThread, submitResults, threadFor } from "../store/threads.ts";
import { addCall, beginCall, openCalls } from "../store/tool-calls.ts";
import { interruptOpenMessage } from "../store/turn-end.ts";
import { holdTurn, keepTurn, noteStep, reapTurns, releaseTurn, saveProgress } from "../store/turns.ts";
import {
  answer,
  claim,
  hasParts,
  member,
  saying,
  start,
  waiting,
  writing,
  type Check,
} from "./store-check.ts";

const user = member("us_1");

/** What every store does with turns whose worker is gone. */
export const leaseChecks: readonly Check[] = [
  {
    title: "writes nothing for a worker whose lease ran out (threads 143, TH-22)",
    run: async ({ store, pass }) => {
      const { thread_id: threadId } = await start(store, user);
      const frozen = await claim(store, "frozen");
      pass(31_000);
      assert.deepEqual(await store.write((transaction) => reapTurns(transaction, { maxAttempts: 3 })), [
        frozen.turnId,
      ]);
      const other = await claim(store, "other");
      await assert.rejects(answer(store, frozen, ["Late."]), { code: "threads/lease-lost" });
      assert.equal(await store.write((transaction) => keepTurn(transaction, frozen, 1000)), false);
      await store.write((transaction) => releaseTurn(transaction, frozen));
      await answer(store, other, ["In time."]);
      await assert.rejects(answer(store, frozen, ["Later still."]), { code: "threads/lease-lost" });
      const messages = await store.read((view) => readMessages(view, threadId));
      assert.deepEqual(messages[1]?.content, [{ content_type: "text", text: "In time." }]);
      assert.equal(messages.length, 2);
    },
  },
  {
    title: "keeps how far a turn is, and which call was under way when its worker went",
    run: async ({ store, pass }) => {
      const { thread_id: threadId } = await start(store, user);
      const lost = await claim(store);
      await store.write(async (transaction) => {
        const thread = await holdTurn(transaction, lost);
        const seq = await thread.addMessage("assistant", "completed", { turnId: lost.turnId });
        await addCall(transaction, thread, seq, {
          toolUseId: "tu_1",
          name: "pay",
          kind: "server",
          turnId: lost.turnId,
          input: {},
          isIdempotent: false,
        });
        await beginCall(transaction, threadId, "tu_1");
        await noteStep(transaction, lost.turnId, "llm", "{}");
        await saveProgress(transaction, lost.turnId, {
          position: "here",
          repromptsUsed: 2,
          stepsUsed: 5,
          spentMs: 1.5,
        });
        const empty = await thread.addMessage("assistant", "generating", { turnId: lost.turnId });
        await thread.save();
        assert.equal(empty, 2);
      });
      pass(31_000);
      await store.write((transaction) => reapTurns(transaction, { maxAttempts: 3 }));
      const turn = await claim(store);
      hasParts(turn, { attempt: 2, position: "here", repromptsUsed: 2, stepsUsed: 5, spentMs: 2 });
      const calls = await store.read((view) => openCalls(view, turn.turnId));
      hasParts(calls, [{ toolUseId: "tu_1", state: "running", isIdempotent: false }]);
      const interrupt = () =>
        store.write(async (transaction) => {
          const thread = await holdTurn(transaction, turn);
          const seq = await interruptOpenMessage(transaction, thread);
          if (seq !== undefined) await thread.appendText(seq, "Half an ans");
          await thread.save();
          return seq;
        });
      assert.deepEqual([await interrupt(), await interrupt()], [2, undefined]);
      const messages = await store.read((view) => readMessages(view, threadId));
      hasParts(messages[2], {
        status: "failed",
        content: [{ text: "Half an ans" }, { error_code: "turn_interrupted" }],
      });
    },
  },
  {
    title: "keeps a turn for as long as its worker says so",
    run: async ({ store, pass }) => {
      await start(store, user);
      const turn = await claim(store);
      for (let beat = 0; beat < 3; beat += 1) {
        pass(20_000);
        assert.equal(await store.write((transaction) => keepTurn(transaction, turn, 30_000)), true);
        assert.deepEqual(await store.write((transaction) => reapTurns(transaction, { maxAttempts: 3 })), []);
      }
    },
  },
  {
    title: "goes on with errors for what a client did not answer in time, and takes no result for it later",
    run: async ({ store, pass }) => {
      const threadId = await waiting(store, user);
      const submit = (toolUseId: string) =>
        writing(store, threadId, user, (transaction, thread) =>
          submitResults(
            transaction,
            thread,
            [{ tool_use_id: toolUseId, tool_name: "look", runtime_ms: 1, status: "success", output: null }],
            [],
          ),
        );
      const endWaits = () => store.write((transaction) => endClientWaits(transaction, 60_000));
      await submit("tu_1");
      pass(59_000);
      await endWaits();
      const before = await store.read((view) => threadFor(view, threadId, user, "read"));
      assert.equal(before.status, "client_tool_turn");
      pass(2000);
      await endWaits();
      await endWaits();
      await assert.rejects(submit("tu_2"), { status: 400 });
      const messages = await store.read((view) => readMessages(view, threadId));
      hasParts(messages[2], {
        status: "completed",
        content: [
          { tool_use_id: "tu_1", status: "success" },
          { tool_use_id: "tu_2", status: "error" },
        ],
      });
      assert.equal((await claim(store)).threadId, threadId);
    },
  },
  {
    title: "does not count an attempt that was given back",
    run: async ({ store }) => {
      await start(store, user);
      const turn = await claim(store);
      await store.write((transaction) => releaseTurn(transaction, turn));
      const again = await claim(store);
      assert.equal(again.attempt, 1);
    },
  },
  {
    title: "fails a turn that lost its worker three times, and takes a new message (threads 144)",
    run: async ({ store, pass }) => {
      const { thread_id: threadId } = await start(store, user);
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        assert.equal((await claim(store)).attempt, attempt);
        pass(31_000);
        await store.write((transaction) => reapTurns(transaction, { maxAttempts: 3 }));
      }
      const row = await store.read((view) => threadFor(view, threadId, user, "read"));
      assert.equal(row.status, "user_turn");
      const messages = await store.read((view) => readMessages(view, threadId));
      hasParts(messages[1], {
        status: "failed",
        content: [{ content_type: "error", error_code: "turn_failed" }],
      });
      await writing(store, threadId, user, (transaction, thread) =>
        sendToThread(transaction, thread, saying("Again?")),
      );
      assert.equal((await claim(store)).attempt, 1);
    },
  },
];
