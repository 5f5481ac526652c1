import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FileJob, FileReply } from "./file-jobs.ts";

const { workers, parallel } = vi.hoisted(() => {
  const made: FakeWorker[] = [];
  return { workers: made, parallel: { threads: 2, isAllowed: true, descriptors: 1_000 } };
});

interface FakeWorker extends EventEmitter {
  jobs: FileJob[];
  isReferenced: boolean;
  isTerminated: boolean;
}

vi.mock("./free-descriptors.ts", () => ({ freeDescriptors: () => parallel.descriptors }));
vi.mock("node:os", () => ({ availableParallelism: () => parallel.threads }));
vi.mock("node:worker_threads", () => ({
  Worker: class extends EventEmitter implements FakeWorker {
    jobs: FileJob[] = [];
    isReferenced = true;
    isTerminated = false;
    constructor() {
      super();
      if (!parallel.isAllowed) throw new Error("Access to this API has been restricted");
      workers.push(this);
    }
    postMessage(job: FileJob) {
      this.jobs.push(job);
    }
    ref() {
      this.isReferenced = true;
    }
    unref() {
      this.isReferenced = false;
    }
    terminate() {
      this.isTerminated = true;
    }
  },
}));

const job: FileJob = { kind: "list", containment: "anchored", locations: "/" };
const replies: readonly FileReply[] = [
  { kind: "list", identities: new BigInt64Array(3), names: "", kinds: "" },
  { kind: "list", identities: new BigInt64Array(3), names: "one/", kinds: "0" },
];

async function startThread() {
  vi.resetModules();
  workers.length = 0;
  const { FileThread } = await import("./file-thread.ts");
  const thread = FileThread.shared();
  return { FileThread, thread, worker: workers[0] };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  parallel.threads = 2;
  parallel.isAllowed = true;
  parallel.descriptors = 1_000;
});

describe("the second thread", () => {
  it("takes jobs once it has started, answers them in order, and keeps the process only meanwhile", async () => {
    const { FileThread, thread, worker } = await startThread();
    expect(worker?.isReferenced).toBe(false);
    expect(thread.isReady).toBe(false);
    await expect(thread.do(job)).resolves.toBeUndefined();
    worker?.emit("message", "ready");
    expect(thread.isReady).toBe(true);
    const answers = [thread.do(job), thread.do(job)];
    expect(worker?.isReferenced).toBe(true);
    for (const reply of replies) worker?.emit("message", reply);
    await expect(Promise.all(answers)).resolves.toEqual(replies);
    expect(worker?.jobs).toEqual([job, job]);
    expect(worker?.isReferenced).toBe(false);
    expect(FileThread.shared()).toBe(thread);
  });

  it("answers nothing to what it was doing when it failed, and is not started again", async () => {
    const { FileThread, thread, worker } = await startThread();
    worker?.emit("message", "ready");
    const answer = thread.do(job);
    worker?.emit("error", new Error("Out of memory"));
    worker?.emit("exit", 1);
    await expect(answer).resolves.toBeUndefined();
    vi.advanceTimersByTime(60_000);
    expect(FileThread.shared().isReady).toBe(false);
    await expect(FileThread.shared().do(job)).resolves.toBeUndefined();
    expect(workers).toHaveLength(1);
  });

  it("ends when nobody has needed it for a while, and is started again by the next one", async () => {
    const { FileThread, thread, worker } = await startThread();
    worker?.emit("message", "ready");
    vi.advanceTimersByTime(29_000);
    const answer = thread.do(job);
    vi.advanceTimersByTime(60_000);
    expect(worker?.isTerminated).toBe(false);
    worker?.emit("message", replies[0]);
    await answer;
    vi.advanceTimersByTime(30_000);
    expect(worker?.isTerminated).toBe(true);
    expect(thread.isReady).toBe(false);
    expect(FileThread.shared()).not.toBe(thread);
    expect(workers).toHaveLength(2);
  });

  it.each([
    { where: "on a machine that does one thing at a time", change: { threads: 1 } },
    { where: "where the host forbids threads", change: { isAllowed: false } },
    { where: "where few files can be opened", change: { descriptors: 200 } },
  ])("is not there $where", async ({ change }) => {
    Object.assign(parallel, change);
    const { thread } = await startThread();
    expect(workers).toHaveLength(0);
    expect(thread.isReady).toBe(false);
    await expect(thread.do(job)).resolves.toBeUndefined();
    vi.advanceTimersByTime(60_000);
  });
});
