import { mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { called, makeProject, noon, stampAt, type Project } from "./__fixtures__/project.ts";
import { retentionTools, type RetentionLimits } from "./retention-tools.ts";

type Kind = "logs" | "snapshots" | "memory";

async function purged({ records }: Project, kind: Kind, limit: number) {
  const limits: RetentionLimits = { logs: 500, snapshots: 100, memory: 10, [kind]: limit };
  const chosen = retentionTools(records, limits).find(({ name }) => name === `purge_${kind}`);
  if (chosen === undefined) throw new Error("There is no such tool");
  return (await called(chosen)).fields;
}

/** Files, the first one the oldest. */
function aged(project: Project, ...paths: readonly string[]): void {
  for (const [index, path] of paths.entries()) {
    const time = new Date(noon + index * 1_000);
    utimesSync(project.put(path, "x"), time, time);
  }
}

describe("old files", () => {
  it.each([
    { why: "shed 123: as many as the limit stay", limit: 3, kept: ["a.md", "b.md", "c.md"] },
    { why: "more than the limit go, those changed longest ago first", limit: 2, kept: ["b.md", "c.md"] },
    { why: "a limit of 0 keeps none", limit: 0, kept: [] },
    { why: "a negative limit counts as 0", limit: -3, kept: [] },
  ])("$why", async ({ limit, kept }) => {
    const project = makeProject();
    aged(project, "memory/a.md", "memory/b.md", "memory/c.md");
    expect(await purged(project, "memory", limit)).toEqual({ found: 3, deleted: 3 - kept.length, pruned: 0 });
    expect(await project.list("memory")).toEqual(kept);
  });

  it("of one moment go by the text of their paths", async () => {
    const project = makeProject();
    for (const name of ["b", "a", "c"]) utimesSync(project.put(`memory/${name}.md`, "x"), noon, noon);
    await purged(project, "memory", 1);
    expect(await project.list("memory")).toEqual(["c.md"]);
  });

  it("are ordinary files with the extension, in folders too; nothing else is counted, or goes", async () => {
    const project = makeProject();
    const outside = makeProject();
    aged(project, "logs/x/2026/a.json", "logs/b.json", "logs/notes.md", "logs/c.json.tmp");
    aged(outside, "memory/d.json");
    symlinkSync(outside.sandbox.memoryDir, join(project.sandbox.logsDir, "link"));
    symlinkSync(join(outside.sandbox.memoryDir, "d.json"), join(project.sandbox.logsDir, "d.json"));
    expect(await purged(project, "logs", 1)).toEqual({ found: 2, deleted: 1, pruned: 0 });
    expect(await project.list("logs")).toEqual(["b.json", "c.json.tmp", "notes.md"]);
    expect(await outside.list("memory")).toEqual(["d.json"]);
  });

  it.each(["logs", "snapshots", "memory"] as const)(
    "of a folder that is not there (%s) are none",
    async (kind) => {
      expect(await purged(makeProject(), kind, 0)).toEqual({ found: 0, deleted: 0, pruned: 0 });
    },
  );
});

it("left unfinished by a process that died go when nobody can be writing them any more", async () => {
  const project = makeProject();
  const now = new Date();
  utimesSync(project.put("snapshots/c1/.roboz-unfinished-old", "x"), noon, now.getTime() / 1_000 - 3_700);
  project.put("memory/.roboz-unfinished-new", "x");
  expect(await purged(project, "snapshots", 5)).toEqual({ found: 0, deleted: 0, pruned: 1 });
  await purged(project, "memory", 5);
  expect(await project.list(".")).toEqual(["memory/.roboz-unfinished-new"]);
});

describe("empty folders", () => {
  it("of snapshots are removed, the deepest first and never the root, also below the limit", async () => {
    const project = makeProject();
    mkdirSync(join(project.sandbox.snapshotsDir, "a/b/c"), { recursive: true });
    mkdirSync(join(project.sandbox.snapshotsDir, "d"), { recursive: true });
    project.put("snapshots/e/keep.txt", "");
    expect(await purged(project, "snapshots", 100)).toEqual({ found: 0, deleted: 0, pruned: 4 });
    expect(await project.list("snapshots")).toEqual(["e/keep.txt"]);
    aged(project, "snapshots/f/x.md");
    expect(await purged(project, "snapshots", 0)).toEqual({ found: 1, deleted: 1, pruned: 1 });
  });

  it("of logs and memory stay", async () => {
    const project = makeProject();
    mkdirSync(join(project.sandbox.memoryDir, "a"), { recursive: true });
    expect(await purged(project, "memory", 0)).toEqual({ found: 0, deleted: 0, pruned: 0 });
  });
});

it("keep the newest snapshot of a conversation whose log is there: without it, it would be summarised anew each time", async () => {
  const project = makeProject();
  aged(
    project,
    `snapshots/c1/${stampAt(1)}.md`,
    `snapshots/c1/${stampAt(2)}.md`,
    `snapshots/c2/${stampAt(3)}.md`,
  );
  aged(project, "logs/clerk/2026/05/01/c1.json", "logs/clerk/c9.json");
  expect(await purged(project, "snapshots", 0)).toEqual({ found: 3, deleted: 2, pruned: 1 });
  expect(await project.list("snapshots")).toEqual([`c1/${stampAt(2)}.md`]);
});

it("keep the newest memory, which the next conversation begins with, though an older one was touched later", async () => {
  const project = makeProject();
  aged(project, `memory/${stampAt(3)}.md`, `memory/${stampAt(1)}.md`, `memory/${stampAt(2)}.md`);
  expect(await purged(project, "memory", 1)).toEqual({ found: 3, deleted: 2, pruned: 0 });
  expect(await project.list("memory")).toEqual([`${stampAt(3)}.md`]);
  expect(await purged(project, "memory", 0)).toMatchObject({ deleted: 1 });
});
