import { describe, expect, it } from "vitest";

import { Agent } from "../agent/agent.ts";
import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { apiUserIo } from "../runtime/user-io.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Stop, Str } from "../values/builtin.ts";
import { replayRun } from "./replay-run.ts";

async function recordOf(agent: Agent): Promise<JournalStore> {
  const store = memoryJournalStore();
  await agent.invoke(undefined, { journal: store, runId: "r1" }).catch(() => undefined);
  return store;
}

describe("replayRun, for an agent without a model", () => {
  it("goes through a run that asks no model, and sees when its tools fail otherwise today", async () => {
    const failing = (error: Error | undefined) => {
      const work = tool({
        name: "work",
        description: "Work.",
        input: Empty,
        output: Stop,
        run: () => {
          if (error !== undefined) throw error;
          return Stop({ value: "worked" });
        },
      });
      return new Agent({ name: "worker", mode: "deterministic", defaultTools: [work] });
    };
    const sound = await recordOf(failing(undefined));
    expect(await replayRun(sound, "r1", failing(undefined))).toMatchObject({ steps: 1, llmCalls: 0 });
    const failed = await recordOf(failing(new RangeError("too far")));
    expect(await replayRun(failed, "r1", failing(new RangeError("still")))).toMatchObject({ result: null });
    await expect(replayRun(failed, "r1", failing(new TypeError("no")))).rejects.toMatchObject({
      code: "core/replay-diverged",
      difference: { kind: "end", recorded: "failed: RangeError", today: "failed: TypeError" },
    });
    await expect(replayRun(failed, "r1", failing(undefined))).rejects.toMatchObject({
      code: "core/replay-diverged",
    });
  });

  it("sees a question that is another one today", async () => {
    const asking = (question: string) => {
      const inquire = tool({
        name: "inquire",
        description: "Ask.",
        input: Empty,
        output: Stop,
        run: async (_input, { io }) => Stop({ value: (await io.ask(question))?.value ?? null }),
      });
      return new Agent({ name: "asker", mode: "deterministic", defaultTools: [inquire] });
    };
    const store = memoryJournalStore();
    const io = apiUserIo({
      requestInput: () => Promise.resolve(Str({ value: "Yes" })),
      notify: () => undefined,
    });
    await asking("Well?").complete(undefined, { journal: store, runId: "r1", io });
    expect((await replayRun(store, "r1", asking("Well?"))).result).toMatchObject({
      output: { value: "Yes" },
    });
    await expect(replayRun(store, "r1", asking("Ill?"))).rejects.toMatchObject({
      code: "core/replay-diverged",
      difference: { kind: "question" },
    });
  });
});
