import assert from "node:assert/strict";

import { agentByName, createAgent, deleteAgent, listAgents, replaceAgent } from "../store/agents.ts";
import { listFeedback, rateMessage, triageFeedback } from "../store/feedback.ts";
import { listSkills, skillTags } from "../store/skill-listing.ts";
import {
  addVersion,
  copySkills,
  createSkill,
  deleteVersion,
  editableSkill,
  skillByName,
  skillFor,
  skillVersion,
  skillVersions,
  subscribe,
  subscribedSkills,
  updateSkill,
  updateVersion,
} from "../store/skills.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { threadFor } from "../store/threads.ts";
import { answer, claim, hasParts, member, start, type Check } from "./store-check.ts";

const user = member("us_1");
const other = member("us_2");
const contents = (body: string) => ({ description: "How to look", body, relevant_topics: ["looking"] });

const newSkill = (store: ThreadStore, name = "look", accessibility = "private", caller = user) =>
  store.write((transaction) =>
    createSkill(
      transaction,
      caller,
      "og_1",
      { name, accessibility, tags: ["eyes", "ears"] },
      contents("One"),
    ),
  );

/** What every store does with skills, templates and ratings. */
export const catalogueChecks: readonly Check[] = [
  {
    title: "keeps versions of a skill, and gives the highest one unless another is asked for",
    run: async ({ store }) => {
      const { skill_id: id } = await newSkill(store);
      for (const body of ["Two", "Three"])
        await store.write((transaction) => addVersion(transaction, id, contents(body)));
      const copy = async (version?: number) =>
        (await store.read((view) => copySkills(view, user, [{ skill_id: id, version }])))[0]?.body;
      assert.deepEqual([await copy(), await copy(1)], ["Three", "One"]);
      await assert.rejects(copy(4), { status: 400 });
      assert.deepEqual(
        (await store.read((view) => subscribedSkills(view, "us_1", "og_1"))).map(({ version }) => version),
        [1],
      );
      await store.write(async (transaction) => {
        const version = await skillVersion(transaction, id, 1);
        if (version !== undefined) await updateVersion(transaction, version, { body: "First" });
        await deleteVersion(transaction, await skillFor(transaction, id, user), 3, user);
      });
      assert.deepEqual([await copy(), await copy(1)], ["Two", "First"]);
      await store.write(async (transaction) => {
        const skill = await skillFor(transaction, id, user);
        await deleteVersion(transaction, skill, 1, user);
        await deleteVersion(transaction, skill, 2, user);
      });
      await assert.rejects(copy(), { status: 404 });
    },
  },
  {
    title: "shows a private skill to its author alone, and prefers it by name",
    run: async ({ store }) => {
      const mine = await newSkill(store);
      const open = await newSkill(store, "look", "org", other);
      await assert.rejects(newSkill(store), { status: 409 });
      await assert.rejects(newSkill(store, "look", "org-editable"), { status: 409 });
      const byName = (caller: typeof user) => store.read((view) => skillByName(view, "look", "og_1", caller));
      assert.equal((await byName(user)).skill_id, mine.skill_id);
      assert.equal((await byName(other)).skill_id, open.skill_id);
      await assert.rejects(
        store.read((view) => skillFor(view, mine.skill_id, other)),
        { status: 404 },
      );
      await assert.rejects(
        store.read((view) => copySkills(view, other, [{ skill_id: mine.skill_id }])),
        { status: 404 },
      );
      const listed = await store.read((view) =>
        listSkills(view, user, "og_1", { scope: "personal", limit: 1 }),
      );
      assert.deepEqual([listed.items.length, listed.next_token], [1, null]);
      assert.deepEqual(await store.read((view) => skillTags(view, user, "og_1")), ["ears", "eyes"]);
    },
  },
  {
    title: "lets subscribers edit what the organisation may edit, and loses them when it becomes private",
    run: async ({ store }) => {
      const { skill_id: id } = await newSkill(store, "shared", "org-editable");
      const edit = () => store.read((view) => editableSkill(view, id, other));
      await assert.rejects(edit(), { status: 401 });
      await store.write((transaction) => subscribe(transaction, id, "us_2", null));
      assert.equal((await edit()).skill_id, id);
      const change = (caller: typeof user, accessibility: string) =>
        store.write((transaction) => updateSkill(transaction, caller, id, { accessibility }));
      await assert.rejects(change(other, "private"), { status: 401 });
      await change(user, "private");
      await change(user, "org-editable");
      await assert.rejects(edit(), { status: 401 });
      assert.equal((await store.read((view) => skillVersions(view, id))).length, 1);
    },
  },
  {
    title: "keeps templates by names that are free again once they are deleted",
    run: async ({ store }) => {
      const agent = { name: "a", description: null, request_template: { goals: [] }, variables: [] };
      const create = (name: string) =>
        store.write((transaction) => createAgent(transaction, user, "og_1", { ...agent, name }));
      const first = await create("a");
      await create("b");
      await assert.rejects(create("a"), { status: 409 });
      const page = await store.read((view) => listAgents(view, "og_1", { limit: 1 }));
      assert.deepEqual(
        page.items.map(({ name }) => name),
        ["b"],
      );
      const next = await store.read((view) =>
        listAgents(view, "og_1", { limit: 1, pageToken: page.next_token ?? "" }),
      );
      assert.deepEqual([next.items[0]?.name, next.next_token], ["a", null]);
      await assert.rejects(
        store.write((transaction) => replaceAgent(transaction, user, first, { ...agent, name: "b" })),
        { status: 409 },
      );
      await store.write((transaction) => deleteAgent(transaction, first.agent_id));
      await assert.rejects(
        store.read((view) => agentByName(view, "a", "og_1")),
        { status: 404 },
      );
      await create("a");
    },
  },
  {
    title: "keeps one rating of each user for a message, and what admins note beside it (threads 109)",
    run: async ({ store }) => {
      const { thread_id: id } = await start(store, user);
      await answer(store, await claim(store), ["Hi."]);
      const rate = (seq: number, userId: string, notes: string | null) =>
        store.write(async (transaction) =>
          rateMessage(transaction, await threadFor(transaction, id, user, "read"), seq, userId, {
            sentiment: "negative",
            categories: ["slow"],
            notes,
          }),
        );
      const first = await rate(1, "us_1", "slow");
      const again = await rate(1, "us_1", null);
      hasParts(again, { feedback_id: first.feedback_id, created: first.created, notes: null });
      assert.ok(again.modified > first.modified);
      assert.notEqual((await rate(1, "us_2", null)).feedback_id, first.feedback_id);
      await assert.rejects(rate(0, "us_1", null), { status: 400 });
      await assert.rejects(rate(2, "us_1", null), { status: 404 });
      const triage = (given: Parameters<typeof triageFeedback>[3]) =>
        store.write((transaction) => triageFeedback(transaction, first.feedback_id, "us_a", given));
      hasParts(await triage({ admin_note: "seen", resolved: true }), {
        admin_note: "seen",
        resolved: true,
        resolved_by: "us_a",
        modified: again.modified,
      });
      hasParts(await triage({ resolved: false }), { admin_note: "seen", resolved: false, resolved_by: null });
      assert.ok(!("admin_note" in (await rate(1, "us_1", null))));
      const page = await store.read((view) => listFeedback(view, { limit: 1 }));
      assert.equal(page.items.length, 1);
      assert.notEqual(page.next_token, null);
    },
  },
];
