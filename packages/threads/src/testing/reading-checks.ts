import assert from "node:assert/strict";

import type { AgentThreadDelta } from "../wire/thread.ts";
import { readDelta } from "../store/delta.ts";
import { forkThread } from "../store/fork.ts";
import { listThreads, setPinned } from "../store/listing.ts";
import { keepConversation, readModelMessages } from "../store/model-messages.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { deleteThread, threadFor } from "../store/threads.ts";
import { readMessages } from "../store/transcript.ts";
import { callerOfToken, createToken, revokeToken } from "../store/tokens.ts";
import { answer, claim, hasParts, member, start, writing, type Check } from "./store-check.ts";
import { holdTurn } from "../store/turns.ts";
import { userMessage } from "@roboz/core";

const user = member("us_1");
const other = member("us_2");
const stranger = member("us_x", { orgs: ["og_2"] });

function delta(
  store: ThreadStore,
  threadId: string,
  token: string,
  limits?: Parameters<typeof readDelta>[3],
): Promise<AgentThreadDelta> {
  return store.read(async (view) =>
    readDelta(view, await threadFor(view, threadId, user, "read"), token, limits),
  );
}

/** What every store gives when it is read. */
export const readingChecks: readonly Check[] = [
  {
    title: "gives the same for a token as often as it is asked, and nothing after the end (threads 37, 38)",
    run: async ({ store }) => {
      const { thread_id: id, continuation_token: token } = await start(store, user);
      await answer(store, await claim(store), ["Hel", "lo."]);
      const first = await delta(store, id, token);
      assert.deepEqual(await delta(store, id, token), first);
      assert.deepEqual(Object.keys(first.messages_by_idx), ["1"]);
      assert.deepEqual(first.messages_by_idx["1"]?.content, [{ content_type: "text", text: "Hello." }]);
      assert.equal(first.status, "user_turn");
      const end = await delta(store, id, first.continuation_token);
      assert.deepEqual(end.messages_by_idx, {});
      assert.deepEqual(await delta(store, id, end.continuation_token), end);
    },
  },
  {
    title: "withholds the status until the last page (threads 44)",
    run: async ({ store }) => {
      const { thread_id: id, continuation_token: token } = await start(store, user);
      await answer(
        store,
        await claim(store),
        Array.from({ length: 9 }, (_, index) => `${index}`),
      );
      let text = "";
      let pages = 0;
      for (let next = token; ;) {
        const page = await delta(store, id, next, { entries: 4, bytes: 1000 });
        pages += 1;
        for (const { content } of Object.values(page.messages_by_idx))
          for (const block of content) if (block.content_type === "text") text += block.text;
        next = page.continuation_token;
        if (!page.has_more) {
          assert.equal(page.status, "user_turn");
          assert.equal(page.messages_by_idx["1"]?.status, "completed");
          break;
        }
        assert.equal(page.status, null);
        assert.equal(page.messages_by_idx["1"]?.status, "generating");
      }
      assert.equal(text, "012345678");
      assert.ok(pages > 2);
    },
  },
  {
    title: "gives title, goals and tasks on the last page though they changed on an earlier one",
    run: async ({ store }) => {
      const { thread_id: id, continuation_token: token } = await start(store, user);
      await writing(store, id, user, async (_transaction, thread) => {
        await thread.setTitle("About nothing");
        await thread.tell("tasks");
        await thread.save();
      });
      await answer(store, await claim(store), ["a", "b", "c"]);
      let page = await delta(store, id, token, { entries: 3, bytes: 1000 });
      assert.deepEqual([page.has_more, page.title, page.tasks], [true, null, null]);
      while (page.has_more)
        page = await delta(store, id, page.continuation_token, { entries: 3, bytes: 1000 });
      assert.deepEqual([page.title, page.tasks, page.goals], ["About nothing", [], null]);
      const end = await delta(store, id, page.continuation_token);
      assert.deepEqual([end.title, end.tasks], [null, null]);
    },
  },
  {
    title: "refuses a token of another thread, or one that was changed (threads 39)",
    run: async ({ store }) => {
      const one = await start(store, user);
      const two = await start(store, user);
      const changed = one.continuation_token.replace(/^ct_./, "ct_0");
      for (const token of [two.continuation_token, changed, "ct_0", "", "x".repeat(9999)]) {
        await assert.rejects(delta(store, one.thread_id, token), { status: 400 });
      }
    },
  },
  {
    title: "keeps texts that databases dislike, and half characters as whole ones",
    run: async ({ store }) => {
      const { thread_id: id } = await start(store, user, "null \0, half \ud83d, ünï 🚲, ' \" \\ $1 ?1");
      const [message] = await store.read((view) => readMessages(view, id));
      assert.deepEqual(message?.content, [
        { content_type: "text", text: "null \uFFFD, half \uFFFD, ünï 🚲, ' \" \\ $1 ?1" },
      ]);
    },
  },
  {
    title: "lets those read who may, and tells the others nothing",
    run: async ({ store }) => {
      const { thread_id: id } = await start(store, user, "Secret");
      const admin = member("us_a", { orgs: ["og_9"], admin: true });
      const leaver = member("us_1", { orgs: [] });
      const read = (caller: typeof user) => store.read((view) => threadFor(view, id, caller, "read"));
      for (const caller of [user, admin]) assert.equal((await read(caller)).threadId, id);
      for (const caller of [other, stranger, leaver])
        await assert.rejects(read(caller), { errorCode: "RobotoUnauthorizedException", status: 401 });
      await assert.rejects(
        store.read((view) => threadFor(view, "ath_none", user, "read")),
        { status: 404 },
      );
      await writing(store, id, user, async (_transaction, thread) => {
        await thread.setVisibility("org");
        await thread.save();
      });
      assert.equal((await read(other)).visibility, "org");
      for (const caller of [stranger, leaver]) await assert.rejects(read(caller), { status: 401 });
    },
  },
  {
    title: "lists pins first, then by activity, page by page, with new threads in between",
    run: async ({ store }) => {
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1) ids.push((await start(store, user)).thread_id);
      const [a = "", b = "", c = "", d = "", e = ""] = ids;
      await store.write((transaction) => setPinned(transaction, a, user.userId, true));
      await store.write((transaction) => setPinned(transaction, c, user.userId, true));
      await store.write((transaction) => setPinned(transaction, a, user.userId, true));
      const listed: string[] = [];
      let pageToken: string | undefined;
      for (;;) {
        const page = await store.read((view) => listThreads(view, user, {}, { limit: 2, pageToken }));
        listed.push(...page.items.map(({ thread_id }) => thread_id));
        if (listed.length === 2) await start(store, user);
        if (page.next_token === null) break;
        pageToken = page.next_token;
      }
      assert.deepEqual(listed.slice(0, 2), [c, a]);
      assert.deepEqual(
        listed.filter((id) => [b, d, e].includes(id)),
        [e, d, b],
      );
      assert.equal(new Set(listed).size, listed.length);
      for (const caller of [other, stranger])
        assert.deepEqual((await store.read((view) => listThreads(view, caller, {}, { limit: 9 }))).items, []);
    },
  },
  {
    title: "finds threads by part of their text, taken as it stands",
    run: async ({ store }) => {
      const { thread_id: id } = await start(store, user, "The 100% Bicycle_");
      await start(store, user, "The 1000 bicycles");
      const found = async (text: string, caller = user) =>
        (await store.read((view) => listThreads(view, caller, { text }, { limit: 9 }))).items.map(
          ({ thread_id }) => thread_id,
        );
      assert.deepEqual(await found("100%"), [id]);
      assert.deepEqual(await found("bicycle_"), [id]);
      assert.equal((await found("BICYCLE")).length, 2);
      assert.deepEqual(await found("bicycle", stranger), []);
    },
  },
  {
    title: "finds a text whatever characters it has, also those that patterns are made of",
    run: async ({ store }) => {
      const odd = "Zwölf Éclairs? [a-c] ^x *y* ]z - 文";
      const { thread_id: id } = await start(store, user, odd);
      await start(store, user, "Zwolf Eclairs a x y z");
      const found = async (text: string) => {
        const { items } = await store.read((view) => listThreads(view, user, { text }, { limit: 10 }));
        return items.map(({ thread_id }) => thread_id);
      };
      const parts = ["ZWÖLF", "zwölf é", "éCLAIRS?", "[A-c]", "^X", "*y*", "]z", " - ", "文", odd];
      for (const text of parts) assert.deepEqual(await found(text), [id], text);
      for (const text of ["zw?lf", "x\0y", "*x*", "[^a]"]) assert.deepEqual(await found(text), [], text);
      await store.write(({ queries }) =>
        queries.run("UPDATE threads SET title = $2 WHERE thread_id = $1", id, "a\0b"),
      );
      assert.deepEqual(await found("a\0b"), [id]);
    },
  },
  {
    title: "forks at a message, and neither copy changes with the other",
    run: async ({ store }) => {
      const { thread_id: id } = await start(store, user, "One?", "org");
      await answer(store, await claim(store), ["Two."]);
      const fork = await store.write(async (transaction) =>
        forkThread(transaction, await threadFor(transaction, id, other, "read"), {
          caller: other,
          seq: 0,
          skills: null,
        }),
      );
      hasParts(fork, {
        visibility: "private",
        created_by: "us_2",
        status: "user_turn",
        forked_from_thread_id: id,
        forked_from_message_sequence_num: 0,
        message_count: 1,
      });
      assert.equal(fork.messages.length, 1);
      await writing(store, id, user, deleteThread);
      assert.equal((await store.read((view) => readMessages(view, fork.thread_id))).length, 1);
      await assert.rejects(
        store.read((view) => threadFor(view, id, user, "read")),
        { status: 404 },
      );
    },
  },
  {
    title: "shows a fork what the model was shown then, though history was replaced since",
    run: async ({ store }) => {
      const { thread_id: id } = await start(store, user, "One");
      const turn = await claim(store);
      await store.write(async (transaction) => {
        const thread = await holdTurn(transaction, turn);
        const known = await readModelMessages(transaction, id);
        const seq = await thread.addMessage("assistant", "completed", { turnId: turn.turnId });
        const now = [...known.map(({ message }) => message), userMessage("Two")];
        const kept = await keepConversation(thread, known, now, seq);
        await thread.addMessage("assistant", "completed", { turnId: turn.turnId });
        await keepConversation(thread, kept, [userMessage("One and two")], 2);
        await thread.save();
      });
      const shown = async (threadId: string) =>
        (await store.read((view) => readModelMessages(view, threadId))).map(({ message }) => message.content);
      assert.deepEqual(await shown(id), ["One and two"]);
      const fork = await store.write(async (transaction) =>
        forkThread(transaction, await threadFor(transaction, id, user, "read"), {
          caller: user,
          seq: 1,
          skills: null,
        }),
      );
      assert.deepEqual(await shown(fork.thread_id), ["One", "Two"]);
    },
  },
  {
    title: "knows a token by its hash alone, until it ends or is revoked",
    run: async ({ store, pass }) => {
      const grant = { userId: "us_1", orgs: ["og_1"], expires: "2026-01-01T01:00:00.000Z" };
      const { token, tokenId } = await store.write((transaction) => createToken(transaction, grant));
      const caller = () => store.read((view) => callerOfToken(view, token));
      hasParts(await caller(), { principal: "user:us_1", orgs: ["og_1"], admin: false });
      assert.equal(await store.read((view) => callerOfToken(view, `${token}x`)), undefined);
      const rows = await store.read(({ queries }) => queries.rows("SELECT * FROM api_tokens"));
      assert.ok(!JSON.stringify(rows).includes(token));
      pass(3_600_000);
      assert.equal(await caller(), undefined);
      await assert.rejects(
        store.write((transaction) => createToken(transaction, { ...grant, expires: "soon" })),
        { status: 400 },
      );
      const lasting = await store.write((transaction) =>
        createToken(transaction, { ...grant, expires: null }),
      );
      assert.equal(await store.write((transaction) => revokeToken(transaction, lasting.tokenId)), true);
      assert.equal(await store.write((transaction) => revokeToken(transaction, lasting.tokenId)), false);
      assert.equal(await store.read((view) => callerOfToken(view, lasting.token)), undefined);
      assert.notEqual(tokenId, lasting.tokenId);
    },
  },
  {
    title: "has everything that was done, after it was opened again",
    run: async ({ store, reopen }) => {
      const { thread_id: id, continuation_token: token } = await start(store, user);
      await answer(store, await claim(store), ["Kept."]);
      const before = await delta(store, id, token);
      await store.close();
      assert.deepEqual(await delta(await reopen(), id, token), before);
    },
  },
];
