import assert from "node:assert/strict";

import { once } from "../store/idempotency.ts";
import { readMessages } from "../store/transcript.ts";
import {
  cancelTurn,
  checkWritable,
  sendToThread,
  startThread,
  submitResults,
  threadFor,
} from "../store/threads.ts";
import { openThreadStore } from "../store/thread-store.ts";
import { claimTurn, holdTurn, queuedTurns } from "../store/turns.ts";
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
const refusal = { errorCode: "RobotoInvalidRequestException", status: 400 };
const result = (id: string) => ({
  tool_use_id: id,
  tool_name: "look",
  runtime_ms: 3,
  status: "success" as const,
  output: { seen: id },
});

/** What every store does with turns. */
export const turnChecks: readonly Check[] = [
  {
    title: "queues a turn with the message that starts it, or does neither",
    run: async ({ store }) => {
      await assert.rejects(
        store.write(async (transaction) => {
          await startThread(
            transaction,
            {
              caller: user,
              orgId: "og_1",
              agentKey: "default",
              modelProfile: null,
              systemPrompt: null,
              visibility: "private",
              origin: "api",
              analysisScope: null,
              availableSkills: null,
            },
            saying("Lost."),
          );
          throw new Error("the disk is full");
        }),
        /the disk is full/,
      );
      const counts = await store.read(async ({ queries }) => {
        const found: unknown[] = [];
        for (const table of ["threads", "messages", "blocks", "thread_log", "turns"])
          found.push((await queries.rows(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.["n"]);
        return found.map(Number);
      });
      assert.deepEqual(counts, [0, 0, 0, 0, 0]);
    },
  },
  {
    title: "gives a turn to one of those who claim it at once",
    run: async ({ store }) => {
      await start(store, user);
      const [turnId = ""] = await store.read((view) => queuedTurns(view, { limit: 1, perOrg: 9 }));
      const claimed = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store.write((transaction) =>
            claimTurn(transaction, turnId, { worker: `w${index}`, leaseMs: 1000 }),
          ),
        ),
      );
      assert.equal(claimed.filter((turn) => turn !== undefined).length, 1);
    },
  },
  {
    title: "hands out the oldest turn first, and no more of an organisation than may run",
    run: async ({ store }) => {
      const first = await start(store, user);
      await start(store, user);
      await start(store, member("us_9", { orgs: ["og_9"] }));
      const turn = await claim(store);
      assert.equal(turn.threadId, first.thread_id);
      assert.equal((await store.read((view) => queuedTurns(view, { limit: 9, perOrg: 1 }))).length, 1);
      assert.equal((await store.read((view) => queuedTurns(view, { limit: 9, perOrg: 2 }))).length, 2);
    },
  },
  {
    title: "accepts one of 50 messages that are sent at once (threads 145)",
    run: async ({ store }) => {
      const { thread_id: threadId } = await start(store, user);
      await answer(store, await claim(store), ["Hi."]);
      const sent = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) =>
          writing(store, threadId, user, (transaction, thread) =>
            sendToThread(transaction, thread, saying(`Message ${index}`)),
          ),
        ),
      );
      assert.equal(sent.filter(({ status }) => status === "fulfilled").length, 1);
      for (const one of sent) if (one.status === "rejected") hasParts(one.reason, refusal);
      assert.equal((await store.read((view) => readMessages(view, threadId))).length, 3);
    },
  },
  {
    title: "takes one of 20 results for the same call (threads 93)",
    run: async ({ store }) => {
      const threadId = await waiting(store, user);
      const submitted = await Promise.allSettled(
        Array.from({ length: 20 }, () =>
          writing(store, threadId, user, (transaction, thread) =>
            submitResults(transaction, thread, [result("tu_1")], []),
          ),
        ),
      );
      assert.equal(submitted.filter(({ status }) => status === "fulfilled").length, 1);
      const messages = await store.read((view) => readMessages(view, threadId));
      const results = messages.flatMap(({ content }) =>
        content.filter(({ content_type }) => content_type === "tool_result"),
      );
      assert.equal(results.length, 1);
    },
  },
  {
    title: "takes a batch of results as a whole, and goes on with the last one (threads 90, 91)",
    run: async ({ store }) => {
      const threadId = await waiting(store, user);
      const submit = (...ids: string[]) =>
        writing(store, threadId, user, (transaction, thread) =>
          submitResults(transaction, thread, ids.map(result), []),
        );
      await assert.rejects(submit("tu_1", "tu_x"), refusal);
      await assert.rejects(submit("tu_1", "tu_1"), refusal);
      assert.deepEqual(await submit("tu_2"), { status: "client_tool_turn", remaining: ["tu_1"] });
      assert.deepEqual(await store.read((view) => queuedTurns(view, { limit: 1, perOrg: 9 })), []);
      assert.deepEqual(await submit("tu_1"), { status: "roboto_turn", remaining: [] });
      await assert.rejects(submit("tu_1"), refusal);
      const messages = await store.read((view) => readMessages(view, threadId));
      assert.deepEqual(
        messages.map(({ role, status }) => [role, status]),
        [
          ["user", "completed"],
          ["assistant", "completed"],
          ["roboto", "completed"],
        ],
      );
      assert.equal((await claim(store)).threadId, threadId);
    },
  },
  {
    title: "refuses to write to a thread of another surface",
    run: async ({ store }) => {
      const { thread_id: threadId } = await start(store, user);
      const row = await store.read((view) => threadFor(view, threadId, user, "write"));
      checkWritable(row, user);
      const foreign = { ...row, origin: "slack", principal: "integration:slack" };
      assert.throws(
        () => {
          checkWritable(foreign, user);
        },
        { errorCode: "RobotoThreadReadOnlyException", status: 403 },
      );
      const surface = { ...user, principal: "integration:slack" };
      assert.throws(() => {
        checkWritable(foreign, surface);
      });
      checkWritable(foreign, surface, true);
    },
  },
  {
    title: "cancels a turn that waits for a client: each call has an error, and a late result is refused",
    run: async ({ store }) => {
      const threadId = await waiting(store, user);
      await writing(store, threadId, user, (transaction, thread) => cancelTurn(transaction, thread));
      const messages = await store.read((view) => readMessages(view, threadId));
      assert.deepEqual(
        messages[2]?.content.map((block) => (block.content_type === "tool_result" ? block.status : "none")),
        ["error", "error"],
      );
      await assert.rejects(
        writing(store, threadId, user, (transaction, thread) =>
          submitResults(transaction, thread, [result("tu_1")], []),
        ),
        refusal,
      );
      assert.deepEqual(await store.read((view) => queuedTurns(view, { limit: 1, perOrg: 9 })), []);
    },
  },
  {
    title: "ends in one state when a cancel meets the end of the turn",
    run: async ({ store }) => {
      for (let round = 0; round < 10; round += 1) {
        const { thread_id: threadId } = await start(store, user);
        const turn = await claim(store);
        const [answered] = await Promise.allSettled([
          answer(store, turn, ["One.", "Two."]),
          writing(store, threadId, user, (transaction, thread) => cancelTurn(transaction, thread)),
        ]);
        const messages = await store.read((view) => readMessages(view, threadId));
        const row = await store.read((view) => threadFor(view, threadId, user, "read"));
        assert.equal(row.status, "user_turn");
        const isAnswered = answered.status === "fulfilled";
        assert.equal(messages.at(-1)?.status === "completed" && messages.length === 2, isAnswered);
      }
    },
  },
  {
    title: "wakes those who wait for turns and threads",
    run: async ({ store }) => {
      const heard: string[] = [];
      // An empty name says that others may have been missed.
      const woken = new Promise<void>((resolve) => {
        store.onQueued((turnId) => {
          if (turnId === "") return;
          heard.push(turnId);
          resolve();
        });
      });
      const touched = new Promise<string>((resolve) => {
        store.onThread((threadId) => {
          if (threadId !== "") resolve(threadId);
        });
      });
      const { thread_id: threadId } = await start(store, user);
      await woken;
      assert.equal(heard.length, 1);
      assert.equal(await touched, threadId);
    },
  },
  {
    title: "answers a keyed request once, after a restart too (threads 92, 146, 147)",
    run: async ({ store, reopen }) => {
      const request = { scope: "user:us_1 POST /v1/ai/threads", key: "k", body: "{}" };
      let effects = 0;
      const ask = (given: typeof request, using = store) =>
        using.write((transaction) =>
          once(transaction, given, () => {
            effects += 1;
            return Promise.resolve({ status: 201, body: `{"n":${effects}}` });
          }),
        );
      const first = { status: 201, body: '{"n":1}' };
      assert.deepEqual(await ask(request), { ...first, isReplayed: false });
      assert.deepEqual(await ask(request), { ...first, isReplayed: true });
      assert.deepEqual(await ask(request, await reopen()), { ...first, isReplayed: true });
      await assert.rejects(ask({ ...request, body: "{ }" }), refusal);
      assert.equal((await ask({ ...request, scope: "user:us_2 POST /v1/ai/threads" })).isReplayed, false);
      assert.equal(effects, 2);
    },
  },
  {
    title: "keeps nothing of a keyed request that failed",
    run: async ({ store }) => {
      const request = { scope: "s", key: "k", body: "{}" };
      await assert.rejects(
        store.write((transaction) => once(transaction, request, () => Promise.reject(new Error("no")))),
      );
      const again = await store.write((transaction) =>
        once(transaction, request, () => Promise.resolve({ status: 200, body: "" })),
      );
      assert.equal(again.isReplayed, false);
    },
  },
  {
    title: "is opened by two at once, and refuses tables of a later release",
    run: async ({ store, reopen }) => {
      await Promise.all([reopen(), reopen()]);
      await store.write(async ({ queries }) => {
        await queries.run("UPDATE threads_schema SET version = 1000");
      });
      await assert.rejects(openThreadStore(store.database), { code: "threads/schema-too-new", found: 1000 });
    },
  },
  {
    title: "gives a thread back to its user that waits for a turn which is not there",
    run: async ({ store, reopen }) => {
      const { thread_id: threadId } = await start(store, user);
      await store.write(async ({ queries }) => {
        await queries.run("DELETE FROM turns");
      });
      const repaired = await reopen();
      assert.equal(
        (await repaired.read((view) => threadFor(view, threadId, user, "read"))).status,
        "user_turn",
      );
    },
  },
  {
    title: "writes nothing for a thread that was deleted",
    run: async ({ store }) => {
      const { thread_id: threadId } = await start(store, user);
      const turn = await claim(store);
      await store.write(async ({ queries }) => {
        await queries.run("UPDATE threads SET deleted_at = 'now' WHERE thread_id = $1", threadId);
      });
      await assert.rejects(
        store.write((transaction) => holdTurn(transaction, turn)),
        { code: "threads/lease-lost" },
      );
    },
  },
];
