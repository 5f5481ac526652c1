import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileJournalStore, memoryJournalStore } from "@roboz/core";
import { describe, expect, it } from "vitest";

import { keysOf, ledgerAgent } from "./__fixtures__/ledger-agent.ts";
import { sqliteJournalStore } from "./journal-store.ts";

const tries = 100;

/** What a run's journal holds when its process was killed behind the third entry. */
async function begunJournal(runId: string): Promise<readonly string[]> {
  const store = memoryJournalStore();
  await ledgerAgent({ post: () => undefined, has: () => false }, "report").complete(undefined, {
    journal: store,
    runId,
  });
  const lines = (await store.read(runId)) ?? [];
  const third = lines.findIndex((line) => line.includes('"once-result","key":"post-3"'));
  return lines.slice(0, third + 1);
}

async function startChild(folder: string, kind: string): Promise<ChildProcess> {
  const child = fork(new URL("__fixtures__/resume-runs.ts", import.meta.url), [folder, kind], {
    execArgv: ["--conditions=@roboz/source", "--import", import.meta.resolve("tsx")],
  });
  await once(child, "message");
  return child;
}

async function resumeIn(child: ChildProcess, runId: string): Promise<unknown> {
  const answer = once(child, "message");
  child.send(runId);
  const received: readonly unknown[] = await answer;
  return received[0];
}

describe.each(["file", "sqlite"] as const)(
  "PS-14: two processes that resume a run of a %s store at once",
  (kind) => {
    it("do every effect once between them, each of a hundred times", { timeout: 300_000 }, async () => {
      const folder = await mkdtemp(join(tmpdir(), "roboz-race-"));
      const options = { survives: "process" } as const;
      const store =
        kind === "sqlite"
          ? sqliteJournalStore(join(folder, "runs.db"), options)
          : fileJournalStore(join(folder, "runs"), options);
      const children = await Promise.all([startChild(folder, kind), startChild(folder, kind)]);
      const refused = { count: 0 };
      for (let turn = 1; turn <= tries; turn += 1) {
        const runId = `run-${turn}`;
        const handle = await store.open(runId);
        for (const line of await begunJournal(runId)) await handle.append(line);
        await handle.close();
        const outcomes = await Promise.all(children.map((child) => resumeIn(child, runId)));
        // One that came when the other had finished gets the same result.
        expect(outcomes).toContain("completed");
        for (const outcome of outcomes) {
          expect(["completed", "core/run-locked"]).toContain(outcome);
          if (outcome !== "completed") refused.count += 1;
        }
      }
      for (const child of children) {
        child.disconnect();
        await once(child, "exit");
      }
      const posted = (await readFile(join(folder, "ledger"), "utf8")).trimEnd().split("\n");
      const expected = Array.from({ length: tries }, (_, index) =>
        keysOf(`run-${index + 1}`).slice(3),
      ).flat();
      expect([...posted].sort()).toEqual([...expected].sort());
      expect(refused.count).toBeGreaterThan(tries / 4);
      await rm(folder, { recursive: true });
    });
  },
);
