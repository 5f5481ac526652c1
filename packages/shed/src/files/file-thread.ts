import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { FileJob, FileReply } from "./file-jobs.ts";
import { freeDescriptors } from "./free-descriptors.ts";

/** A thread that nobody needs ends after this long. */
const mostIdleMs = 30_000;

/** With fewer left, those that a thread takes would be missing elsewhere. */
const fewDescriptors = 256;

const isSource = import.meta.url.endsWith(".ts");
const program = new URL(`./file-thread-program.${isSource ? "ts" : "js"}`, import.meta.url);
// A thread of Node 20 loads no TypeScript by itself.
const sourceLoader = `
  const { workerData } = require("node:worker_threads");
  void import("tsx/esm/api").then(({ tsImport }) => tsImport(workerData, workerData));`;

type Answer = (reply: FileReply | undefined) => void;

/**
 * A second thread that looks at files for this one, since each call of the file system keeps a thread waiting. It is only there
 * to save time: where there is none, or it has failed, everything is done here.
 */
export class FileThread {
  static #shared: FileThread | undefined;

  /** The thread of this process. The first who asks starts it; it can take work a little later. */
  static shared(): FileThread {
    FileThread.#shared ??= new FileThread();
    return FileThread.#shared;
  }

  /** Undefined where there is none, or no longer. */
  #worker: Worker | undefined;
  /** Who waits, in the order of their jobs. */
  readonly #waiting: Answer[] = [];
  #isReady = false;
  #idle: NodeJS.Timeout | undefined;

  private constructor() {
    if (availableParallelism() < 2 || (freeDescriptors() ?? fewDescriptors) < fewDescriptors) return;
    try {
      this.#worker = new Worker(isSource ? sourceLoader : program, {
        eval: isSource,
        workerData: program.href,
        execArgv: [],
      });
    } catch {
      // The host does not let this process have threads.
      return;
    }
    this.#worker.on("message", (message: FileReply | "ready") => {
      if (message === "ready") this.#isReady = true;
      else this.#answer(message);
    });
    // What went wrong is found out again by whoever does the work instead.
    this.#worker.on("error", () => undefined);
    this.#worker.on("exit", () => {
      this.#isReady = false;
      this.#worker = undefined;
      clearTimeout(this.#idle);
      for (const answer of this.#waiting.splice(0)) answer(undefined);
    });
    this.#rest();
  }

  /** Whether it takes jobs. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Has the thread do a job; undefined when it cannot. */
  do(job: FileJob): Promise<FileReply | undefined> {
    const worker = this.#worker;
    if (worker === undefined || !this.#isReady) return Promise.resolve(undefined);
    clearTimeout(this.#idle);
    worker.ref();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      worker.postMessage(job);
    });
  }

  #answer(reply: FileReply | undefined): void {
    this.#waiting.shift()?.(reply);
    if (this.#waiting.length === 0) this.#rest();
  }

  /** Lets the process end, and the thread after a while. */
  #rest(): void {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      FileThread.#shared = undefined;
      this.#isReady = false;
      void worker.terminate();
    }, mostIdleMs).unref();
  }
}
