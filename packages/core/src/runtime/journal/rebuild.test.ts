import { describe, expect, it } from "vitest";
import * as z from "zod";

import { countingAgent } from "../../agent/__fixtures__/counting-agent.ts";
import { resumeRun } from "../../agent/resume-run.ts";
import { memoryJournalStore } from "./memory-store.ts";
import { parseJournal } from "./parse-journal.ts";
import { rebuildRun } from "./rebuild.ts";

/** A run's journal, for others to do harm to. */
async function journal(): Promise<readonly string[]> {
  const store = memoryJournalStore();
  await countingAgent().complete(undefined, { journal: store, runId: "run" });
  return (await store.read("run")) ?? [];
}

async function resumed(lines: readonly string[], runId = "run"): Promise<unknown> {
  const store = memoryJournalStore();
  const handle = await store.open(runId);
  for (const line of lines) await handle.append(line);
  await handle.close();
  return resumeRun(store, runId, countingAgent());
}

const json = z.record(z.string(), z.unknown());
type Json = z.output<typeof json>;

/** The lines with one record changed. */
function edited(lines: readonly string[], index: number, change: (record: Json) => void): readonly string[] {
  return lines.map((line, at) => {
    if (at !== index) return line;
    const record = json.parse(JSON.parse(line));
    change(record);
    return JSON.stringify(record);
  });
}

describe("a journal that somebody has changed", () => {
  it.each<{ readonly why: string; readonly change: (lines: readonly string[]) => readonly string[] }>([
    { why: "lacks its first line", change: (lines) => lines.slice(1) },
    { why: "lacks a line", change: (lines) => lines.toSpliced(3, 1) },
    { why: "has a line twice", change: (lines) => lines.toSpliced(3, 0, lines[3] ?? "") },
    { why: "has its last line twice", change: (lines) => [...lines, lines.at(-1) ?? ""] },
    {
      why: "was opened twice",
      change: (lines) => [
        ...lines,
        ...edited(lines, 0, (record) => (record["sequence"] = lines.length + 1)).slice(0, 1),
      ],
    },
    {
      why: "has two lines in the other's place",
      change: (lines) => lines.toSpliced(3, 2, lines[4] ?? "", lines[3] ?? ""),
    },
    { why: "runs backwards", change: (lines) => lines.toReversed() },
    { why: "is two journals in one", change: (lines) => [...lines, ...lines] },
    { why: "has another number", change: (lines) => edited(lines, 3, (record) => (record["sequence"] = 9)) },
    {
      why: "has a number that is none",
      change: (lines) => edited(lines, 3, (record) => (record["sequence"] = null)),
    },
    {
      why: "has a step without messages",
      change: (lines) => edited(lines, 1, (record) => delete record["messages"]),
    },
    {
      why: "is of a later release",
      change: (lines) => edited(lines, 0, (record) => (record["schemaVersion"] = 2)),
    },
    {
      why: "replaces messages that are not there",
      change: (lines) =>
        edited(lines, 1, (record) => (record["replacements"] = [{ from: 0, to: 99, messages: [] }])),
    },
    {
      why: "replaces a range that runs backwards",
      change: (lines) =>
        edited(lines, 1, (record) => (record["replacements"] = [{ from: 0, to: -1, messages: [] }])),
    },
  ])("is refused when it $why", async ({ change }) => {
    await expect(resumed(change(await journal()))).rejects.toMatchObject({
      code: "core/journal-damaged",
      runId: "run",
    });
  });

  it("is refused under another run's name", async () => {
    const refused = { code: "core/journal-damaged", runId: "other" };
    await expect(resumed(await journal(), "other")).rejects.toMatchObject(refused);
  });

  // The last step stands for where the run is: index 10 of 12 lines.
  it.each<{ readonly why: string; readonly code: string; readonly change: (record: Json) => void }>([
    { why: "no position", code: "core/journal-damaged", change: (record) => delete record["position"] },
    {
      why: "a position that is a text",
      code: "core/journal-damaged",
      change: (record) => (record["position"] = "here"),
    },
    {
      why: "counts that are texts",
      code: "core/snapshot",
      change: (record) => (record["counts"] = { steps: "1" }),
    },
    {
      why: "repeats that are null",
      code: "core/journal-damaged",
      change: (record) => (record["repeats"] = null),
    },
    {
      why: "showings that are a list",
      code: "core/journal-damaged",
      change: (record) => (record["showings"] = ["x"]),
    },
    {
      why: "a question of no tool",
      code: "core/snapshot",
      change: (record) => (record["pending"] = { request: 1 }),
    },
    {
      why: "a message of no role",
      code: "core/message",
      change: (record) => (record["messages"] = [{ event: 1, at: "", message: { content: "x" } }]),
    },
    {
      why: "a message that is null",
      code: "core/message",
      change: (record) => (record["messages"] = [{ event: 1, at: "", message: null }]),
    },
    {
      why: "a tool that is not there",
      code: "core/snapshot",
      change: (record) => (record["position"] = { ...json.parse(record["position"]), lastTool: "gone" }),
    },
    {
      why: "a value of no known kind",
      code: "core/unknown-kind",
      change: (record) =>
        (record["position"] = { ...json.parse(record["position"]), output: { kind: "gone", fields: {} } }),
    },
  ])("is refused where a step has $why", async ({ code, change }) => {
    const lines = await journal();
    const last = lines.findLastIndex((line) => line.includes('"type":"step"'));
    await expect(resumed(edited(lines, last, change))).rejects.toMatchObject({ code });
  });

  it("gives plain data for keys that look like a prototype's", async () => {
    const lines = edited(await journal(), 0, () => undefined).map((line) =>
      line.replaceAll('"count-0"', '"__proto__"'),
    );
    const { records } = parseJournal(lines);
    const { once } = rebuildRun("run", records).snapshot;
    expect(Object.keys(once)).toContain("__proto__");
    expect(Object.getPrototypeOf(once)).toBe(Object.prototype);
    expect(Reflect.get({}, "isDone")).toBeUndefined();
  });

  it("keeps its order when the clock goes backwards", async () => {
    const lines = await journal();
    const day = 86_400_000;
    const backwards = lines.reduce<readonly string[]>(
      (done, _, index) =>
        edited(done, index, (record) => {
          record["at"] = new Date(Date.UTC(2030, 0, 1) - index * day).toISOString();
        }),
      lines,
    );
    expect(rebuildRun("run", parseJournal(backwards).records).snapshot).toEqual(
      rebuildRun("run", parseJournal(lines).records).snapshot,
    );
    await expect(resumed(backwards)).resolves.toMatchObject({ status: "completed" });
  });
});
