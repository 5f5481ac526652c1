import { describe, expect, it } from "vitest";

import { JournalWriteError } from "../runtime/journal/errors.ts";
import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import { parseJournal } from "../runtime/journal/parse-journal.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { countingAgent } from "./__fixtures__/counting-agent.ts";
import { openRun, resumeRun } from "./resume-run.ts";

async function textsOf(store: JournalStore, runId: string): Promise<readonly string[]> {
  return (await store.read(runId)) ?? [];
}

describe("a journaled run", () => {
  it("can be resumed after every record, with the same messages and each effect done once", async () => {
    const store = memoryJournalStore();
    const whole: string[] = [];
    const undisturbed = await countingAgent((key) => whole.push(key)).complete(undefined, {
      journal: store,
      runId: "whole",
    });
    const lines = await textsOf(store, "whole");
    expect(whole).toEqual(["whole:count-0", "whole:count-1", "whole:count-2"]);
    expect(parseJournal(lines).records.map(({ type }) => type)).toContain("ended");
    for (let kept = 1; kept <= lines.length; kept += 1) {
      const copy = memoryJournalStore();
      const handle = await copy.open("whole");
      for (const line of lines.slice(0, kept)) await handle.append(line);
      await handle.close();
      const effects: string[] = [];
      const cutAfterIntent = lines[kept - 1]?.includes("once-intent") === true;
      const agent = countingAgent((key) => effects.push(key));
      if (cutAfterIntent) {
        await expect(resumeRun(copy, "whole", agent)).rejects.toMatchObject({ code: "core/once-uncertain" });
        continue;
      }
      const resumed = await resumeRun(copy, "whole", agent);
      expect(resumed.messages).toEqual(undisturbed.messages);
      expect(resumed).toMatchObject({
        status: "completed",
        output: { value: "counted" },
        report: { llmCalls: 2, steps: 5 },
      });
      const recorded = lines.slice(0, kept).filter((line) => line.includes("once-result")).length;
      expect(effects).toHaveLength(3 - recorded);
    }
  });

  it("belongs to one writer at a time", async () => {
    const store = memoryJournalStore();
    const run = countingAgent().start(undefined, { journal: store, runId: "one" });
    await run.step();
    await expect(resumeRun(store, "one", countingAgent())).rejects.toMatchObject({
      code: "core/run-locked",
    });
    await run.finish();
    await expect(resumeRun(store, "one", countingAgent())).resolves.toMatchObject({
      status: "completed",
    });
  });

  it("is not begun again under the same id", async () => {
    const store = memoryJournalStore();
    await countingAgent().complete(undefined, { journal: store, runId: "one" });
    await expect(countingAgent().complete(undefined, { journal: store, runId: "one" })).rejects.toMatchObject(
      { code: "core/run-exists" },
    );
    await expect(openRun(store, "other", countingAgent())).rejects.toMatchObject({
      code: "core/unknown-run",
    });
  });

  it.each([
    {
      why: "a store's own error",
      error: new JournalWriteError({ runId: "full", cause: new Error("No space left") }),
    },
    { why: "any other", error: new TypeError("away") },
  ])("stops when its journal cannot be written, by $why, and can be resumed later", async ({ error }) => {
    const memory = memoryJournalStore();
    let writes = 0;
    const failing: JournalStore = {
      ...memory,
      open: async (runId) => {
        const handle = await memory.open(runId);
        return {
          ...handle,
          append: (record) => ((writes += 1) > 3 ? Promise.reject(error) : handle.append(record)),
        };
      },
    };
    await expect(
      countingAgent().complete(undefined, { journal: failing, runId: "full" }),
    ).rejects.toMatchObject({ code: "core/journal-write", runId: "full" });
    expect(writes).toBe(4);
    await expect(resumeRun(memory, "full", countingAgent())).resolves.toMatchObject({
      status: "completed",
    });
  });
});
