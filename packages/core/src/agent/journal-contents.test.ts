import { describe, expect, it } from "vitest";

import { memoryJournalStore } from "../runtime/journal/memory-store.ts";
import { parseJournal } from "../runtime/journal/parse-journal.ts";
import { rebuildRun } from "../runtime/journal/rebuild.ts";
import type { JournalStore } from "../runtime/journal/store.ts";
import { when } from "../tools/link.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Int, Stop, Str } from "../values/builtin.ts";
import { userMessage } from "../values/message.ts";
import { colourAgent } from "./__fixtures__/colour-agent.ts";
import { Agent } from "./agent.ts";
import { openRun, resumeRun } from "./resume-run.ts";

/** A store that holds the beginning of a run's journal, under the same id. */
async function cutOff(lines: readonly string[], runId: string): Promise<JournalStore> {
  const store = memoryJournalStore();
  const handle = await store.open(runId);
  for (const line of lines) await handle.append(line);
  await handle.close();
  return store;
}

/** Notes, tries an effect that fails at first, and sums up what was said. */
function noting(): Agent {
  const note = tool({
    name: "note",
    description: "",
    input: Empty,
    output: Int,
    run: (_input, { emit }) => {
      emit({ type: "runtime", kind: "started", level: "info", message: "noted", data: { by: "note" } });
      return Int({ value: 1 });
    },
  });
  const pay = tool({
    name: "pay",
    description: "",
    input: Int,
    output: Str,
    chainedTo: note,
    retries: 1,
    run: async (_input, { once, messages }) => {
      const isFirst = await once(`first-${messages.length}`, () => true);
      return Str({ value: await once("pay", () => (isFirst ? "paid" : "late")) });
    },
  });
  let failures = 0;
  const flaky = tool({
    name: "flaky",
    description: "",
    input: Str,
    output: Str,
    chainedTo: pay,
    retries: 1,
    run: async ({ value }, { once }) =>
      Str({
        value: await once("flaky", () => {
          failures += 1;
          if (failures === 1) throw new Error("not yet");
          return `${value} at last`;
        }),
      }),
  });
  const sumUp = tool({
    name: "sum_up",
    description: "",
    input: Str,
    output: Str,
    chainedTo: flaky,
    run: (_input, { messages, replaceMessages }) => {
      replaceMessages({ from: 0, to: 2 }, [userMessage("It was noted.")]);
      return Str({ value: `after ${messages.length}` });
    },
  });
  const end = tool({
    name: "end",
    description: "",
    input: Str,
    output: Stop,
    chainedTo: when(sumUp, () => true),
    run: ({ value }) => Stop({ value }),
  });
  return new Agent({
    name: "noting",
    mode: "deterministic",
    defaultTools: [note],
    tools: [pay, flaky, sumUp, end],
  });
}

const counted = ({ toolMs: _, ...counts }: Readonly<Record<string, unknown>>): unknown => counts;

describe("a journal", () => {
  it("holds what a step, a failure, a repeat and a question leave, so that a run goes on after any record", async () => {
    const store = memoryJournalStore();
    const asked = await colourAgent().invoke(undefined, { journal: store, runId: "run" });
    expect(asked).toMatchObject({ status: "suspended", request: "Which colour?" });
    const whole = await resumeRun(store, "run", colourAgent(), { reply: "blue" });
    expect(whole).toMatchObject({ status: "completed", output: { value: "done" } });
    const lines = (await store.read("run")) ?? [];
    for (let kept = 1; kept <= lines.length; kept += 1) {
      const copy = await cutOff(lines.slice(0, kept), "run");
      let resumed = await resumeRun(copy, "run", colourAgent());
      if (resumed.status === "suspended")
        resumed = await resumeRun(copy, "run", colourAgent(), { reply: "blue" });
      expect(resumed.status).toBe("completed");
      expect(resumed.messages).toEqual(whole.messages);
      expect(counted({ ...resumed.report })).toEqual(counted({ ...whole.report }));
    }
  });

  it("holds changes of history, effects that failed, and what tools told", async () => {
    const store = memoryJournalStore();
    const whole = await noting().invoke("Go.", { journal: store, runId: "run" });
    expect(whole).toMatchObject({ status: "completed", output: { value: "after 4" } });
    expect(whole.messages[0]).toMatchObject({ content: "It was noted." });
    const lines = (await store.read("run")) ?? [];
    const { records } = parseJournal(lines);
    expect(records.map(({ type }) => type)).toContain("once-failed");
    expect(records.flatMap((record) => (record.type === "step" ? record.events : []))).toContainEqual(
      expect.objectContaining({ kind: "started", message: "noted", data: { by: "note" } }),
    );
    for (let kept = 1; kept <= lines.length; kept += 1) {
      const isUncertain = records[kept - 1]?.type === "once-intent";
      const resumed = resumeRun(await cutOff(lines.slice(0, kept), "run"), "run", noting());
      if (isUncertain) await expect(resumed).rejects.toMatchObject({ code: "core/once-uncertain" });
      else expect((await resumed).messages).toEqual(whole.messages);
    }
  });

  it("of a fork starts from the snapshot it was made of, and says so", async () => {
    const store = memoryJournalStore();
    const asked = await colourAgent().invoke(undefined, { journal: store, runId: "run" });
    if (asked.status !== "suspended") throw new Error("It did not ask");
    const fork = { journal: store, runId: "fork" };
    const blue = await colourAgent().resume(asked.snapshot, "blue", fork);
    const lines = (await store.read("fork")) ?? [];
    for (let kept = 1; kept <= lines.length; kept += 1) {
      const copy = await cutOff(lines.slice(0, kept), "fork");
      let resumed = await resumeRun(copy, "fork", colourAgent());
      if (resumed.status === "suspended")
        resumed = await resumeRun(copy, "fork", colourAgent(), { reply: "blue" });
      expect(resumed.messages).toEqual(blue.messages);
    }
    const { opened, snapshot } = rebuildRun("fork", parseJournal(lines.slice(0, 1)).records);
    expect(opened.base).toMatchObject({ agentName: "colours", isStarted: true });
    expect(snapshot.messages).toEqual(asked.snapshot.messages);
    expect(await resumeRun(store, "run", colourAgent(), { reply: "red" })).toMatchObject({
      status: "completed",
    });
  });

  it("numbers the events of a resumed run behind those before", async () => {
    const store = memoryJournalStore();
    const numbers: number[] = [];
    const sinks = [({ sequence }: { readonly sequence: number }) => void numbers.push(sequence)];
    await colourAgent().invoke(undefined, { journal: store, runId: "run", sinks });
    await resumeRun(store, "run", colourAgent(), { reply: "blue", sinks });
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it("says how a stretch ended, and that the next one has not", async () => {
    const store = memoryJournalStore();
    const statusOf = async (): Promise<unknown> =>
      rebuildRun("run", parseJournal((await store.read("run")) ?? []).records).status;
    await colourAgent().invoke(undefined, { journal: store, runId: "run" });
    expect(await statusOf()).toBe("suspended");
    const run = await openRun(store, "run", colourAgent(), { reply: "blue" });
    await run.step();
    expect(await statusOf()).toBeNull();
    run.cancel();
    await run.finish();
    expect(await statusOf()).toBe("cancelled");
  });

  it("lets go of a run that cannot be restored", async () => {
    const store = memoryJournalStore();
    await colourAgent().invoke(undefined, { journal: store, runId: "run" });
    await expect(resumeRun(store, "run", noting())).rejects.toMatchObject({ code: "core/snapshot" });
    await expect(resumeRun(store, "run", colourAgent(), { reply: "blue" })).resolves.toMatchObject({
      status: "completed",
    });
  });

  it("holds the error's kind of a run that failed, and not its text", async () => {
    const secret = tool({
      name: "secret",
      description: "",
      input: Empty,
      output: Stop,
      run: () => {
        throw new RangeError("password hunter2");
      },
    });
    const agent = new Agent({ name: "failing", mode: "deterministic", defaultTools: [secret] });
    const store = memoryJournalStore();
    await expect(agent.invoke(undefined, { journal: store, runId: "run" })).rejects.toThrow("hunter2");
    const text = ((await store.read("run")) ?? []).join("\n");
    expect(text).toContain('"errorType":"RangeError"');
    expect(text).not.toContain("hunter2");
  });
});
