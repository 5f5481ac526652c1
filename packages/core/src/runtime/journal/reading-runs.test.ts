import { describe, expect, it } from "vitest";

import { colourAgent } from "../../agent/__fixtures__/colour-agent.ts";
import { resumeRun } from "../../agent/resume-run.ts";
import { contentObject } from "../../values/message.ts";
import { forkRun } from "./fork.ts";
import { memoryJournalStore } from "./memory-store.ts";
import type { JournalStore } from "./store.ts";
import { summariseRun } from "./summary.ts";
import { readTranscript, type TranscriptEntry } from "./transcript.ts";

/** A store with a run of a bit of everything: defaults, chains, a failure, a question and its reply. */
async function colourRun(): Promise<JournalStore> {
  const store = memoryJournalStore();
  await colourAgent().invoke(undefined, { journal: store, runId: "r1" });
  await resumeRun(store, "r1", colourAgent(), { reply: "blue" });
  return store;
}

async function entriesOf(store: JournalStore, runId: string): Promise<readonly TranscriptEntry[]> {
  const entries: TranscriptEntry[] = [];
  for await (const entry of readTranscript(store, runId)) entries.push(entry);
  return entries;
}

/** An entry as a line: its depth, and who speaks. */
function line(entry: TranscriptEntry): string {
  const indent = "  ".repeat(entry.depth);
  if (entry.type !== "message") return `${indent}${entry.type}`;
  const { action, caller } = contentObject(entry.message.content) ?? {};
  const tool = typeof action === "string" ? action : typeof caller === "string" ? caller : "";
  return `${indent}${entry.message.role} ${tool}`.trimEnd();
}

/** A store that holds these lines. */
function storeOf(lines: readonly string[]): JournalStore {
  return {
    ...memoryJournalStore(),
    read: (runId) => Promise.resolve(runId === "r1" ? lines : undefined),
    list: () => Promise.resolve(["r1"]),
  };
}

describe("readTranscript", () => {
  it("puts a chain below the call that started it", async () => {
    const entries = await entriesOf(await colourRun(), "r1");
    expect(entries.map(line)).toEqual([
      "system",
      "user clock",
      "assistant pick",
      "  user pick",
      "    user even",
      "user clock",
      "assistant pick",
      "  user pick",
      "    error odd",
      "user clock",
      "assistant pick",
      "  user pick",
      "    user odd",
      "user clock",
      "assistant ask",
      "  request",
      "ended",
      "resumed",
      "  user ask",
      "    user note",
      "user clock",
      "assistant pick",
      "  user pick",
      "    user even",
      "user clock",
      "assistant pick",
      "  user pick",
      "    user even",
      "user clock",
      "assistant stop",
      "  user stop",
      "ended",
    ]);
  });

  it("numbers the steps as forks count them, and begins a fork with what it was forked with", async () => {
    const store = await colourRun();
    const source = await entriesOf(store, "r1");
    const at = source.find(({ type }) => type === "request")?.step ?? 0;
    await forkRun(store, "r1", { at, runId: "r2" });
    await resumeRun(store, "r2", colourAgent(), { reply: "green" });
    const fork = await entriesOf(store, "r2");
    expect(fork.filter(({ step, type }) => step === 0 && type === "message").map(line)).toEqual(
      source
        .filter(({ step, type }) => step <= at && type === "message")
        .map((entry) => line({ ...entry, depth: 0 })),
    );
    // The tool that asked was called by the model, and so its chain is one deeper.
    expect(fork.filter(({ step }) => step === 2).map(line)).toEqual(["    user note"]);
    expect(
      fork.some((entry) => entry.type === "message" && entry.message.content.includes("noted green")),
    ).toBe(true);
  });

  it.each([
    { why: "an empty file", lines: [""] },
    { why: "another program's lines", lines: ['{"level":"info"}', "hello"] },
    { why: "JSON that looks like a record", lines: ['{"sequence":1}', '{"sequence":2,"type":"step"}'] },
    { why: "a first record without its facts", lines: ['{"sequence":1,"type":"opened"}'] },
  ])("refuses $why", async ({ lines }) => {
    const store = storeOf(lines);
    await expect(entriesOf(store, "r1")).rejects.toMatchObject({ code: "core/journal-damaged" });
    await expect(summariseRun(store, "r1")).rejects.toMatchObject({ code: "core/journal-damaged" });
    await expect(forkRun(store, "r1", { at: 0 })).rejects.toMatchObject({ code: "core/journal-damaged" });
  });

  it("tells of what a crash cut off, and reads what stands before it", async () => {
    const lines = (await (await colourRun()).read("r1")) ?? [];
    const whole = await entriesOf(storeOf(lines), "r1");
    const torn = await entriesOf(storeOf([...lines.slice(0, -1), (lines.at(-1) ?? "").slice(0, -7)]), "r1");
    expect(torn).toHaveLength(whole.length);
    expect(torn.at(-1)).toMatchObject({ type: "damage", broken: 1 });
  });

  it("says that there is no such run", async () => {
    await expect(entriesOf(memoryJournalStore(), "r1")).rejects.toMatchObject({ code: "core/unknown-run" });
  });
});

describe("summariseRun", () => {
  it("says what a run came to, at every length of its journal", async () => {
    const lines = (await (await colourRun()).read("r1")) ?? [];
    const seen = new Set<string>();
    for (let length = 1; length <= lines.length; length += 1) {
      const store = storeOf(lines.slice(0, length));
      const { status, steps, llmCalls, startedAt, lastAt, damage } = await summariseRun(store, "r1");
      seen.add(status);
      expect(damage).toBeNull();
      expect(lastAt >= startedAt).toBe(true);
      expect(steps >= llmCalls).toBe(true);
      const shown = (await entriesOf(store, "r1")).map(({ step }) => step);
      expect(steps).toBe(Math.max(0, ...shown));
    }
    expect([...seen].sort()).toEqual(["completed", "running", "suspended"]);
    expect(await summariseRun(storeOf(lines), "r1")).toMatchObject({
      runId: "r1",
      agentName: "colours",
      status: "completed",
      steps: 28,
      llmCalls: 7,
      parentRunId: null,
      forkedFrom: null,
    });
  });

  it("counts the steps that a fork can be made at, and a fork's own", async () => {
    const store = await colourRun();
    const { steps } = await summariseRun(store, "r1");
    await forkRun(store, "r1", { at: steps, runId: "last" });
    await expect(forkRun(store, "r1", { at: steps + 1 })).rejects.toMatchObject({ steps });
    expect(await summariseRun(store, "last")).toMatchObject({ steps: 0, llmCalls: 7 });
    await forkRun(store, "r1", { at: 20, runId: "r2" });
    await resumeRun(store, "r2", colourAgent());
    const { steps: own } = await summariseRun(store, "r2");
    expect(own).toBe(8);
    await expect(forkRun(store, "r2", { at: own + 1 })).rejects.toMatchObject({ steps: own });
  });

  it("does not count a step whose record was cut off", async () => {
    const lines = (await (await colourRun()).read("r1")) ?? [];
    const [opened = "", first = "", second = ""] = lines;
    const torn = storeOf([opened, first, second.slice(0, -9)]);
    expect(await summariseRun(torn, "r1")).toMatchObject({ status: "running", steps: 1, llmCalls: 0 });
  });

  it("tells a torn tail, and a broken line before whole ones", async () => {
    const lines = (await (await colourRun()).read("r1")) ?? [];
    const torn = await summariseRun(storeOf([...lines, '{"sequence":99,"at":']), "r1");
    expect(torn).toMatchObject({ status: "completed", damage: { broken: 1, isTornTail: true } });
    const mended = [...lines.slice(0, -1), '{"sequence":99,"at":', ...lines.slice(-1)];
    expect(await summariseRun(storeOf(mended), "r1")).toMatchObject({
      status: "completed",
      damage: { broken: 1, isTornTail: false },
    });
  });
});

describe("forkRun", () => {
  it("makes a run of its own at any step, which ends as the run did, and leaves the run alone", async () => {
    const store = await colourRun();
    const before = await store.read("r1");
    const steps = before?.filter((record) => record.includes('"type":"step"')).length ?? 0;
    expect(steps).toBeGreaterThan(20);
    for (let at = 0; at <= steps; at += 1) {
      const forkId = await forkRun(store, "r1", { at });
      expect(await summariseRun(store, forkId)).toMatchObject({ status: "running", forkedFrom: "r1" });
      const first = await resumeRun(store, forkId, colourAgent());
      const end =
        first.status === "suspended"
          ? await resumeRun(store, forkId, colourAgent(), { reply: "blue" })
          : first;
      expect(end).toMatchObject({
        status: "completed",
        output: { value: "done" },
        report: { runId: forkId, llmCalls: 7 },
      });
      expect(end.messages).toHaveLength(28);
    }
    expect(await store.read("r1")).toEqual(before);
  });

  it.each([{ at: -1 }, { at: 1000 }, { at: 0.5 }, { at: NaN }])("refuses step $at", async ({ at }) => {
    const store = await colourRun();
    await expect(forkRun(store, "r1", { at, runId: "r2" })).rejects.toMatchObject({
      code: "core/unknown-step",
      steps: 28,
    });
    expect(await store.read("r2")).toBeUndefined();
  });

  it("refuses an id that is taken or unsafe", async () => {
    const store = await colourRun();
    await forkRun(store, "r1", { at: 3, runId: "r2" });
    for (const runId of ["r1", "r2"])
      await expect(forkRun(store, "r1", { at: 3, runId })).rejects.toMatchObject({
        code: "core/run-exists",
        runId,
      });
    await expect(forkRun(store, "r1", { at: 3, runId: "../x" })).rejects.toMatchObject({
      code: "core/run-id",
    });
  });

  it("puts a fork into another store", async () => {
    const [store, into] = [await colourRun(), memoryJournalStore()];
    await forkRun(store, "r1", { at: 2, runId: "r1x", into });
    expect(await into.list()).toEqual(["r1x"]);
    expect(await store.list()).toEqual(["r1"]);
  });
});
