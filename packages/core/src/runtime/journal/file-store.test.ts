import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { countingAgent } from "../../agent/__fixtures__/counting-agent.ts";
import { resumeRun } from "../../agent/resume-run.ts";
import { systemError, watchedFiles, type Fault } from "./__fixtures__/watched-files.ts";
import { fileJournalStore } from "./file-store.ts";
import { parseJournal, type JournalDamage } from "./parse-journal.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-journal-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const recordAt = (sequence: number): string =>
  JSON.stringify({ sequence, at: "2026-01-01T00:00:00.000Z", type: "resumed" });

/** A store in the folder, of which the named call goes wrong, at its so-manieth time. */
function faultyStore(call: string, fault: Fault, nth = 1): ReturnType<typeof fileJournalStore> {
  let seen = 0;
  const faultAt = (happening: string): Fault | undefined => {
    if (happening === call) seen += 1;
    return happening === call && seen === nth ? fault : undefined;
  };
  return fileJournalStore(folder, { files: watchedFiles(() => undefined, faultAt) });
}

describe("a file store that survives a power cut", { timeout: 60_000 }, () => {
  it("brings each step to the disk before the next one starts", async () => {
    const happenings: string[] = [];
    const note = (happening: string): void => void happenings.push(happening);
    const store = fileJournalStore(folder, { files: watchedFiles(note) });
    const run = countingAgent((key) => {
      note(`effect ${key}`);
    }).start(undefined, { journal: store, runId: "run" });
    for (let step = 1; ; step += 1) {
      note(`step ${step}`);
      if ((await run.step()) !== undefined) break;
    }
    const writes = happenings.filter((one) => /^(append|sync|close|step|effect)/.test(one));
    const record = ["append run.jsonl", "sync run.jsonl"];
    const count = (step: number, index: number): string[] => [
      `step ${step}`,
      ...record, // the intent
      `effect run:count-${index}`,
      ...record, // the result
      ...record, // the step
    ];
    expect(writes.slice(0, writes.indexOf("step 3"))).toEqual([
      "step 1",
      `sync ${folder.split("/").at(-1) ?? ""}`,
      ...record, // that it was opened
      ...record,
      "step 2",
      ...record,
    ]);
    expect(writes.slice(writes.indexOf("step 3"), writes.indexOf("step 6"))).toEqual([
      ...count(3, 0),
      ...count(4, 1),
      ...count(5, 2),
    ]);
    expect(writes.slice(-3)).toEqual([...record, "close run.jsonl"]);
  });

  it("brings the entries of new folders to the disk, and of no others", async () => {
    const happenings: string[] = [];
    const files = watchedFiles((happening) => happenings.push(happening));
    const store = fileJournalStore(join(folder, "one", "two"), { files });
    const parent = folder.split("/").at(-1) ?? "";
    const synced = (): string[] => happenings.splice(0).filter((one) => one.startsWith("sync"));
    await (await store.open("run")).close();
    expect(synced()).toEqual(["sync two", "sync one", `sync ${parent}`]);
    await (await store.open("run")).close();
    expect(synced()).toEqual(["sync two"]);
  });

  it("makes folders and files for their owner alone", async () => {
    const store = fileJournalStore(join(folder, "new"));
    const handle = await store.open("run");
    await handle.append(recordAt(1));
    const modeOf = async (...path: readonly string[]): Promise<number> =>
      (await stat(join(folder, "new", ...path))).mode & 0o777;
    expect([await modeOf(), await modeOf("run.lock")]).toEqual([0o700, 0o700]);
    expect([await modeOf("run.jsonl"), await modeOf("run.lock", "1")]).toEqual([0o600, 0o600]);
    await handle.close();
  });
});

it("leaves syncing to the system in a store that survives the process alone", async () => {
  const happenings: string[] = [];
  const files = watchedFiles((happening) => happenings.push(happening));
  const store = fileJournalStore(folder, { files, survives: "process" });
  const handle = await store.open("run");
  await handle.append(recordAt(1));
  await handle.close();
  expect(happenings.filter((one) => one.startsWith("sync"))).toEqual([]);
  expect(await store.read("run")).toEqual([recordAt(1), ""]);
});

describe("a run whose journal cannot be written", { timeout: 60_000 }, () => {
  it.each([
    { why: "the disk is full", call: "append run.jsonl", fault: { error: systemError("ENOSPC") } },
    {
      why: "the disk takes a part",
      call: "append run.jsonl",
      fault: { error: systemError("ENOSPC"), written: 40 },
    },
    {
      why: "the disk takes a byte",
      call: "append run.jsonl",
      fault: { error: systemError("ENOSPC"), written: 1 },
    },
    { why: "the disk does not sync (PS-19)", call: "sync run.jsonl", fault: { error: systemError("EIO") } },
  ])(
    "stops at once when $why, at whichever record, and can be resumed to the same end",
    async ({ call, fault }) => {
      const undisturbed = await countingAgent().complete();
      const { length } = await countAppends();
      for (let nth = 1; nth <= length; nth += 1) {
        const runId = "run";
        await rm(folder, { recursive: true });
        const effects: string[] = [];
        const store = faultyStore(call, fault, nth);
        const agent = countingAgent((key) => effects.push(key));
        const isLast = nth === length;
        const began = agent.invoke(undefined, { journal: store, runId });
        if (isLast) await expect(began).resolves.toMatchObject({ status: "completed" });
        else
          await expect(began).rejects.toMatchObject({
            code: "core/journal-write",
            runId,
            cause: fault.error,
          });
        const sound = fileJournalStore(folder);
        const damages: JournalDamage[] = [];
        const options = { onDamage: (damage: JournalDamage) => damages.push(damage) };
        const written = parseJournal((await sound.read(runId)) ?? []).records;
        const resumed =
          nth === 1 && call.startsWith("append")
            ? agent.invoke(undefined, { journal: sound, runId })
            : resumeRun(sound, runId, agent, options);
        // An intent that was written, though perhaps not synced, or a result that was not: nobody knows.
        if (written.at(-1)?.type === "once-intent") {
          await expect(resumed).rejects.toMatchObject({ code: "core/once-uncertain" });
          continue;
        }
        expect(await resumed).toMatchObject({ status: "completed", messages: undisturbed.messages });
        expect(new Set(effects).size).toBe(effects.length);
        if (fault.written !== undefined && nth > 1)
          expect(damages).toEqual([{ broken: 1, isTornTail: true }]);
      }
    },
  );

  async function countAppends(): Promise<readonly string[]> {
    const appends: string[] = [];
    const files = watchedFiles((happening) => {
      if (happening.startsWith("append")) appends.push(happening);
    });
    await countingAgent().invoke(undefined, { journal: fileJournalStore(folder, { files }), runId: "count" });
    return appends;
  }

  it("writes nothing behind a record that was not written", async () => {
    const store = faultyStore("append run.jsonl", { error: systemError("ENOSPC"), written: 5 }, 2);
    const handle = await store.open("run");
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((sequence) => handle.append(recordAt(sequence))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    await handle.close();
    expect(parseJournal((await store.read("run")) ?? [])).toMatchObject({
      records: [{ sequence: 1 }],
      damage: { broken: 1, isTornTail: true },
    });
  });

  it.each(["make run.lock", "create 1", "open run.jsonl", "list run.lock", "sync FOLDER"])(
    "is not begun, and not held, when the folder takes no %s",
    async (call) => {
      const named = call.replace("FOLDER", folder.split("/").at(-1) ?? "");
      const store = faultyStore(named, { error: systemError("EROFS") });
      await expect(countingAgent().invoke(undefined, { journal: store, runId: "run" })).rejects.toMatchObject(
        { code: "core/journal-write", runId: "run", cause: { code: "EROFS" } },
      );
      await expect(
        countingAgent().invoke(undefined, { journal: fileJournalStore(folder), runId: "run" }),
      ).resolves.toMatchObject({ status: "completed" });
    },
  );

  it("lets go of the run in this process even when the disk went read-only meanwhile", async () => {
    const store = faultyStore("empty 1", { error: systemError("EROFS") });
    await countingAgent().invoke(undefined, { journal: store, runId: "run" });
    await expect(resumeRun(store, "run", countingAgent())).resolves.toMatchObject({ status: "completed" });
  });

  it("keeps what it was acknowledged when the file cannot be closed", async () => {
    const store = faultyStore("close run.jsonl", { error: systemError("EIO") });
    await countingAgent().invoke(undefined, { journal: store, runId: "run" });
    await expect(resumeRun(store, "run", countingAgent())).resolves.toMatchObject({ status: "completed" });
  });

  it("stops when the folder is removed under it, and is gone", async () => {
    const store = fileJournalStore(folder);
    const run = countingAgent().start(undefined, { journal: store, runId: "run" });
    await run.step();
    await rm(folder, { recursive: true });
    await expect(run.finish()).rejects.toMatchObject({ code: "core/journal-write" });
    await expect(resumeRun(store, "run", countingAgent())).rejects.toMatchObject({
      code: "core/unknown-run",
    });
  });

  it("stops when another file takes the place of its journal", async () => {
    const store = fileJournalStore(folder);
    const run = countingAgent().start(undefined, { journal: store, runId: "run" });
    await run.step();
    await writeFile(join(folder, "other"), "{}\n");
    await rename(join(folder, "other"), join(folder, "run.jsonl"));
    await expect(run.finish()).rejects.toMatchObject({ code: "core/journal-write" });
    expect(await readFile(join(folder, "run.jsonl"), "utf8")).toBe("{}\n");
  });

  it("goes on when the folder gets another name", async () => {
    const moved = `${folder}-moved`;
    const run = countingAgent().start(undefined, { journal: fileJournalStore(folder), runId: "run" });
    await run.step();
    await rename(folder, moved);
    await expect(run.finish()).resolves.toMatchObject({ status: "completed" });
    await rename(moved, folder);
    await expect(resumeRun(fileJournalStore(folder), "run", countingAgent())).resolves.toMatchObject({
      status: "completed",
    });
  });
});

describe("what is no journal", { timeout: 60_000 }, () => {
  it.each<{ readonly why: string; readonly make: (path: string) => unknown; readonly code?: string }>([
    { why: "a folder", make: (path) => mkdir(path) },
    { why: "a pipe", make: (path) => execFileSync("mkfifo", [path]) },
    {
      why: "a link",
      make: async (path) => {
        await writeFile(join(folder, "target"), "theirs\n");
        await symlink(join(folder, "target"), path);
      },
    },
    { why: "a link that leads nowhere", make: (path) => symlink(join(folder, "target"), path) },
  ])("is neither read nor written when it is $why", async ({ make }) => {
    await make(join(folder, "run.jsonl"));
    const store = fileJournalStore(folder);
    await expect(store.read("run")).rejects.toMatchObject({ code: "core/journal-read", runId: "run" });
    await expect(countingAgent().invoke(undefined, { journal: store, runId: "run" })).rejects.toMatchObject({
      code: "core/journal-read",
      runId: "run",
    });
    const left = await readFile(join(folder, "target"), "utf8").catch(() => "theirs\n");
    expect(left).toBe("theirs\n");
  });

  it.each([
    { why: "another program's lines", text: '{"level":30,"msg":"started"}\n' },
    { why: "a text", text: "Dear diary" },
    { why: "another program's array", text: "[1,2,3]" },
  ])("is left alone when it is $why", async ({ text }) => {
    const path = join(folder, "run.jsonl");
    await writeFile(path, text);
    const store = fileJournalStore(folder);
    for (const begin of [
      () => countingAgent().invoke(undefined, { journal: store, runId: "run" }),
      () => resumeRun(store, "run", countingAgent()),
    ])
      await expect(begin()).rejects.toMatchObject({ code: "core/journal-damaged", runId: "run" });
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it.each([
    { why: "an empty file", text: "" },
    { why: "the beginning of a first record", text: '{"sequence":1,"at":"20' },
    { why: "less than that", text: '{"seq' },
    { why: "zeros", text: "\0\0\0\0" },
  ])("is taken for a run that has not begun when it is $why", async ({ text }) => {
    await writeFile(join(folder, "run.jsonl"), text);
    const store = fileJournalStore(folder);
    await expect(resumeRun(store, "run", countingAgent())).rejects.toMatchObject({
      code: "core/unknown-run",
    });
    await countingAgent().invoke(undefined, { journal: store, runId: "run" });
    await expect(resumeRun(store, "run", countingAgent())).resolves.toMatchObject({ status: "completed" });
  });

  it("is no run of the store's list", async () => {
    await Promise.all(
      ["notes.txt", ".jsonl", ".hidden.jsonl", "a b.jsonl", "run.jsonl.bak"].map((name) =>
        writeFile(join(folder, name), "x"),
      ),
    );
    const store = fileJournalStore(folder);
    await (await store.open("run")).close();
    expect(await store.list()).toEqual(["run"]);
    expect(await readdir(folder)).toHaveLength(7);
  });

  it("is no folder of a store either", async () => {
    const path = join(folder, "file");
    await writeFile(path, "theirs");
    const store = fileJournalStore(path);
    await expect(store.list()).rejects.toMatchObject({ code: "core/journal-read", runId: null });
    await expect(store.open("run")).rejects.toMatchObject({ code: "core/journal-write" });
  });
});
