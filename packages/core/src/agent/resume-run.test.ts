import { describe, expect, it } from "vitest";

import { MockLLMEndpoint } from "../llm/mock.ts";
import { JournalWriteError } from "../runtime/journal/errors.ts";
import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import { parseJournal } from "../runtime/journal/parse-journal.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { stop } from "../tools/builtin/stop.ts";
import { when } from "../tools/link.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Int, Str } from "../values/builtin.ts";
import { Agent } from "./agent.ts";
import { openRun, resumeRun } from "./resume-run.ts";

/** Counts to three by a chain, each count an effect that is done once, and then lets the model stop. */
function counter(effects: string[], script: MockLLMEndpoint): Agent {
  const start = tool({
    name: "start",
    description: "Start.",
    input: Empty,
    output: Int,
    run: () => Int({ value: 0 }),
  });
  const count = tool({
    name: "count",
    description: "Count.",
    input: Int,
    output: [Int, Str],
    chainedTo: when(start, () => true),
    run: async ({ value }, { once }) => {
      const next = await once(`count-${value}`, (key) => {
        effects.push(key);
        return value + 1;
      });
      return next < 3 ? Int({ value: next }) : Str({ value: "three" });
    },
  });
  count.chain(when(count, Int.is));
  return new Agent({
    name: "counter",
    mode: "autonomous",
    systemPrompt: "Count.",
    endpoint: script,
    tools: [start, count, stop],
  });
}

const script = (): MockLLMEndpoint =>
  new MockLLMEndpoint(({ messages }) =>
    messages.some(({ content }) => content.includes("three"))
      ? { action: "stop", rationale: "Done.", value: "counted" }
      : { action: "start", rationale: "Count." },
  );

async function textsOf(store: JournalStore, runId: string): Promise<readonly string[]> {
  return (await store.read(runId)) ?? [];
}

describe("a journaled run", () => {
  it("can be resumed after every record, with the same messages and each effect done once", async () => {
    const store = memoryJournalStore();
    const whole: string[] = [];
    const undisturbed = await counter(whole, script()).complete(undefined, {
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
      const agent = counter(effects, script());
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
    const run = counter([], script()).start(undefined, { journal: store, runId: "one" });
    await run.step();
    await expect(resumeRun(store, "one", counter([], script()))).rejects.toMatchObject({
      code: "core/run-locked",
    });
    await run.finish();
    await expect(resumeRun(store, "one", counter([], script()))).resolves.toMatchObject({
      status: "completed",
    });
  });

  it("is not begun again under the same id", async () => {
    const store = memoryJournalStore();
    await counter([], script()).complete(undefined, { journal: store, runId: "one" });
    await expect(
      counter([], script()).complete(undefined, { journal: store, runId: "one" }),
    ).rejects.toMatchObject({ code: "core/run-exists" });
    await expect(openRun(store, "other", counter([], script()))).rejects.toMatchObject({
      code: "core/unknown-run",
    });
  });

  it("stops when its journal cannot be written, and can be resumed later", async () => {
    const memory = memoryJournalStore();
    let writes = 0;
    const failing: JournalStore = {
      ...memory,
      open: async (runId) => {
        const handle = await memory.open(runId);
        return {
          ...handle,
          append: (record) =>
            (writes += 1) > 3
              ? Promise.reject(new JournalWriteError({ runId, cause: new Error("No space left") }))
              : handle.append(record),
        };
      },
    };
    await expect(
      counter([], script()).complete(undefined, { journal: failing, runId: "full" }),
    ).rejects.toMatchObject({ code: "core/journal-write" });
    await expect(resumeRun(memory, "full", counter([], script()))).resolves.toMatchObject({
      status: "completed",
    });
  });
});
