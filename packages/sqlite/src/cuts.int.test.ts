import {
  CoreError,
  fileJournalStore,
  parseJournal,
  rebuildRun,
  resumeRun,
  type JournalDamage,
} from "@roboz/core";
import { describe, expect, it } from "vitest";

import { heldFiles, type HeldFiles } from "./__fixtures__/held-files.ts";
import { keysOf, ledgerAgent, type Uncertainty } from "./__fixtures__/ledger-agent.ts";

const runId = "run";
const file = "/runs/run.jsonl";

/** A whole journal, and the messages of its run. */
async function undisturbed(): Promise<{ readonly bytes: Buffer; readonly messages: unknown }> {
  const held = heldFiles();
  const agent = ledgerAgent({ post: () => undefined, has: () => false }, "report");
  const { messages } = await agent.complete(undefined, { journal: fileJournalStore("/runs", held), runId });
  return { bytes: held.contents.get(file) ?? Buffer.alloc(0), messages };
}

/** What was posted; one list for all agents, which are compiled once. */
let posted: string[] = [];

const agents = Object.fromEntries(
  (["repeat", "report"] as const).map((uncertainty) => {
    const ledger = {
      has: (key: string): boolean => posted.includes(key),
      post: (key: string): void => {
        if (uncertainty !== "repeat" || !posted.includes(key)) posted.push(key);
      },
    };
    return [uncertainty, ledgerAgent(ledger, uncertainty)];
  }),
);

interface Resumed {
  readonly held: HeldFiles;
  readonly damage: JournalDamage | undefined;
  readonly outcome: Promise<unknown>;
}

/** Goes on from a cut journal, with what was posted until then. */
async function resumed(bytes: Buffer, before: readonly string[], uncertainty: Uncertainty): Promise<Resumed> {
  const held = heldFiles();
  held.contents.set(file, Buffer.from(bytes));
  posted = [...before];
  let damage: JournalDamage | undefined;
  const store = fileJournalStore("/runs", held);
  const agent = agents[uncertainty] ?? ledgerAgent({ post: () => undefined, has: () => false }, uncertainty);
  const outcome = resumeRun(store, runId, agent, { onDamage: (found) => (damage = found) }).catch(
    (error: unknown) => {
      if (CoreError.is(error) && error.code === "core/unknown-run")
        return agent.invoke(undefined, { journal: store, runId });
      throw error;
    },
  );
  await outcome.catch(() => undefined);
  return { held, damage, outcome };
}

describe("PS-12: a journal that is cut at any byte", { timeout: 600_000 }, async () => {
  const { bytes, messages } = await undisturbed();
  const keys = keysOf(runId);

  /** What the whole records before a cut say of the entries. */
  function known(cut: number): {
    readonly begun: readonly string[];
    readonly done: readonly string[];
    readonly isTorn: boolean;
  } {
    const { records, damage } = parseJournal(new TextDecoder().decode(bytes.subarray(0, cut)).split("\n"));
    const keysWith = (type: "once-intent" | "once-result"): readonly string[] =>
      records.flatMap((record) => (record.type === type ? [`${runId}:${record.key}`] : []));
    return { begun: keysWith("once-intent"), done: keysWith("once-result"), isTorn: damage !== null };
  }

  it.each([
    { why: "had happened", isPosted: true },
    { why: "had not happened", isPosted: false },
  ])(
    "resumes to the same messages, with each entry once, when the uncertain one $why",
    async ({ isPosted }) => {
      expect(bytes.length).toBeGreaterThan(5000);
      for (let cut = 0; cut <= bytes.length; cut += 1) {
        const { begun, done, isTorn } = known(cut);
        if (!isPosted && begun.length === done.length) continue;
        const { held, damage, outcome } = await resumed(
          bytes.subarray(0, cut),
          isPosted ? begun : done,
          "repeat",
        );
        expect(await outcome).toMatchObject({ status: "completed", messages });
        expect(posted).toEqual(keys);
        if (begun.length > 0) expect(damage?.isTornTail ?? false).toBe(isTorn);
        const lines = new TextDecoder().decode(held.contents.get(file)).split("\n");
        const after = parseJournal(lines);
        expect(after.damage?.broken ?? 0).toBe(isTorn ? 1 : 0);
        expect(rebuildRun(runId, after.records).status).toBe("completed");
      }
    },
  );

  it("reports the uncertain entry, and no other, to one whose ledger tells nothing apart", async () => {
    let reported = 0;
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { begun, done } = known(cut);
      if (begun.length === done.length) continue;
      const { outcome } = await resumed(bytes.subarray(0, cut), begun, "report");
      await expect(outcome).rejects.toMatchObject({
        code: "core/once-uncertain",
        idempotencyKey: begun.at(-1),
      });
      expect(posted).toEqual(begun);
      reported += 1;
    }
    expect(reported).toBeGreaterThan(keys.length);
  });
});
