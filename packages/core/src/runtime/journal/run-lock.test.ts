import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { watchedFiles } from "./__fixtures__/watched-files.ts";
import { nodeFileLayer, type FileLayer } from "./file-layer.ts";
import { ownIdentity } from "./process-identity.ts";
import { lockRun } from "./run-lock.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "roboz-lock-"));
  await mkdir(join(folder, "run.lock"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const locks = (): Promise<readonly string[]> => readdir(join(folder, "run.lock"));
const leave = (number: number, text: string): Promise<void> =>
  writeFile(join(folder, "run.lock", String(number)), text);
const lock = (files: FileLayer = nodeFileLayer): Promise<() => Promise<void>> =>
  lockRun(files, folder, "run");
const locked = { code: "core/run-locked", runId: "run" };
const own = { ...ownIdentity(), nonce: "left" };

describe("PS-14: a lock that was left behind", () => {
  it.each([
    { why: "says nothing", text: "" },
    { why: "lost what it said in a power cut", text: "\0\0\0\0" },
    { why: "is of a process that is gone", text: JSON.stringify({ ...own, pid: 2 ** 22 + 1 }) },
    { why: "is of an earlier process of this number", text: JSON.stringify({ ...own, startedAt: "1" }) },
    { why: "is of an earlier boot", text: JSON.stringify({ ...own, boot: "an earlier one" }) },
  ])("holds nothing when it $why", async ({ text }) => {
    await leave(3, text);
    const unlock = await lock();
    expect(await locks()).toEqual(["4"]);
    await unlock();
    await (
      await lock()
    )();
    expect(await locks()).toEqual(["5"]);
  });

  it.each([
    { why: "is of a process at work", text: JSON.stringify(own) },
    {
      why: "is of one that does not say when it started",
      text: JSON.stringify({ ...own, startedAt: null, boot: null }),
    },
    { why: "cannot be read", text: "{" },
    { why: "says something else", text: '{"owner":1}' },
  ])("holds the run when it $why", async ({ text }) => {
    await leave(3, text);
    await expect(lock()).rejects.toMatchObject(locked);
    expect(await locks()).toEqual(["3"]);
  });

  it("is not taken for one by its name alone", async () => {
    await writeFile(join(folder, "run.lock", "4.tmp"), JSON.stringify(own));
    await writeFile(join(folder, "run.lock", "notes"), JSON.stringify(own));
    await lock();
    expect([...(await locks())].sort()).toEqual(["1", "4.tmp", "notes"]);
  });
});

describe("two who ask for a lock at once", () => {
  /** Lets something happen when a call is made for the so-manieth time. */
  function interrupting(call: string, nth: number, meanwhile: () => Promise<unknown>): FileLayer {
    let seen = 0;
    const pending: Promise<unknown>[] = [];
    const files = watchedFiles((happening) => {
      if (happening !== call) return;
      seen += 1;
      if (seen === nth) pending.push(meanwhile());
    });
    const after =
      <Given extends readonly unknown[], T>(work: (...given: Given) => Promise<T>) =>
      async (...given: Given): Promise<T> => {
        await Promise.all(pending);
        const result = await work(...given);
        await Promise.all(pending);
        return result;
      };
    return { ...files, list: after(files.list), createExclusive: after(files.createExclusive) };
  }

  it("find one of them told, when both saw the run free", async () => {
    const late = lock(interrupting("list run.lock", 1, () => lock()));
    await expect(late).rejects.toMatchObject(locked);
    expect(await locks()).toEqual(["1"]);
  });

  it("find the slower one told, when the run changed hands in between", async () => {
    const passOn = async (): Promise<void> => {
      const unlock = await lock();
      await unlock();
      await lock();
    };
    await leave(1, "");
    // It saw 1 free and makes 2, which has been held, let go of and removed meanwhile.
    let isFirst = true;
    const slow: FileLayer = {
      ...nodeFileLayer,
      createExclusive: async (path, text) => {
        if (isFirst) await passOn();
        isFirst = false;
        return nodeFileLayer.createExclusive(path, text);
      },
    };
    await expect(lock(slow)).rejects.toMatchObject(locked);
    expect(await locks()).toEqual(["3"]);
    expect(await readFile(join(folder, "run.lock", "3"), "utf8")).toContain(`"pid":${process.pid}`);
  });
});
