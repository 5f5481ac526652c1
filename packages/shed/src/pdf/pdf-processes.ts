import { availableParallelism } from "node:os";

import { PdfProcess, type Reading, type ReadingOptions } from "./pdf-process.ts";
import type { ReadRequest } from "./protocol.ts";

/** How long a process without work is kept. */
const idleMs = 60_000;

/** Someone who waits for a process. */
type Waiting = () => void;

/**
 * The few processes that read for this one. Each reads one document at a time, so one that is hostile takes away its own process
 * and nothing else; further documents wait. Processes are started when they are needed and kept warm for a minute.
 */
export class PdfProcesses {
  readonly #most: number;
  readonly #idle: PdfProcess[] = [];
  readonly #waiting = new Set<Waiting>();
  #busy = 0;
  #rest: NodeJS.Timeout | undefined;

  readonly #mostReadingMs: number | undefined;

  /**
   * @param settings.most - How many there are at once; by default as many as the machine has processors, from 2 to 4.
   * @param settings.mostReadingMs - The time one document has; 10 s by default.
   */
  constructor(
    settings: { readonly most?: number | undefined; readonly mostReadingMs?: number | undefined } = {},
  ) {
    this.#most = settings.most ?? Math.max(2, Math.min(4, availableParallelism()));
    this.#mostReadingMs = settings.mostReadingMs;
  }

  /**
   * Reads a document in a process of its own.
   *
   * @throws The signal's reason, at once; the system's error when no process can be started.
   */
  async read(request: ReadRequest, options: ReadingOptions = {}): Promise<Reading> {
    const { signal } = options;
    while (this.#busy >= this.#most) await this.#turn(signal);
    signal?.throwIfAborted();
    this.#busy += 1;
    clearTimeout(this.#rest);
    let process: PdfProcess | undefined;
    try {
      process = this.#usable();
      return await process.read(request, options);
    } finally {
      this.#busy -= 1;
      if (process?.isUsable === true) this.#idle.push(process);
      const [next] = this.#waiting;
      next?.();
      if (this.#busy === 0) this.#restLater();
    }
  }

  /** Ends all processes that have no work. */
  stop(): void {
    for (const process of this.#idle.splice(0)) process.stop();
  }

  #usable(): PdfProcess {
    for (let process = this.#idle.pop(); process !== undefined; process = this.#idle.pop())
      if (process.isUsable) return process;
    return new PdfProcess({ mostReadingMs: this.#mostReadingMs });
  }

  #restLater(): void {
    this.#rest = setTimeout(() => {
      this.stop();
    }, idleMs);
    this.#rest.unref();
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => {
      const go: Waiting = () => {
        this.#waiting.delete(go);
        signal?.removeEventListener("abort", go);
        resolve();
      };
      this.#waiting.add(go);
      signal?.addEventListener("abort", go);
    });
  }
}

/** The processes that all tools of this program share. */
export const pdfProcesses = new PdfProcesses();
