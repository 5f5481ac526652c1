import { Worker } from "node:worker_threads";

/** Below the 512 MiB that are promised, because it grows between two looks. */
const mostResidentBytes = 400 * 1024 * 1024;
const betweenLooksMs = 10;

// A program as text, because a thread of Node 20 loads no TypeScript, and the sources run too.
const program = `
  const { workerData: { isBusy, host } } = require("node:worker_threads");
  for (;;) {
    const now = Atomics.load(isBusy, 0);
    if (now === 1 && (process.memoryUsage.rss() > ${mostResidentBytes} || process.ppid !== host))
      process.kill(process.pid, "SIGKILL");
    Atomics.wait(isBusy, 0, now, now === 1 ? ${betweenLooksMs} : Infinity);
  }`;

/**
 * A thread that still runs while this process is busy with one thing. While it is told to watch, it kills the process when that
 * takes too much memory, of which a limit of the engine's heap sees only a part, and when the process that started it is gone.
 */
export class MemoryWatch {
  readonly #isBusy = new Int32Array(new SharedArrayBuffer(4));

  constructor() {
    const workerData = { isBusy: this.#isBusy, host: process.ppid };
    new Worker(program, { eval: true, workerData, execArgv: [] }).unref();
  }

  set isWatching(isWatching: boolean) {
    Atomics.store(this.#isBusy, 0, isWatching ? 1 : 0);
    Atomics.notify(this.#isBusy, 0);
  }
}
