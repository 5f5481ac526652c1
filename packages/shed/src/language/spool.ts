import { randomBytes } from "node:crypto";
import { close, constants, openSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ByteSink } from "../commands/command.ts";
import { chunksOf } from "../files/reading.ts";
import { writeAll } from "../files/write-file.ts";

/** A command wrote more than it may. */
export class OutputTooLarge extends Error {
  constructor() {
    super("output too large");
    this.name = "OutputTooLarge";
  }
}

/** How much stays in memory, and how much there may be at all. */
export interface SpoolLimits {
  /** Beyond this many bytes they go to a temporary file that has no name; 16 MiB by default. */
  readonly memoryBytes?: number;
  /** 1 GiB by default. */
  readonly maxBytes?: number;
}

/** What is kept in memory, and small pieces that go to the file, are put together in blocks of this size. */
const blockBytes = 64 * 1024;

/** The bytes between two stages of a pipeline: written whole, then read once. */
export class Spool implements ByteSink {
  readonly #limits: Required<SpoolLimits>;
  #chunks: Uint8Array[] = [];
  #block = Buffer.alloc(0);
  #filled = 0;
  #descriptor: number | undefined;
  #size = 0;

  constructor({ memoryBytes = 16 * 1024 * 1024, maxBytes = 1024 * 1024 * 1024 }: SpoolLimits = {}) {
    this.#limits = { memoryBytes, maxBytes };
  }

  get size(): number {
    return this.#size;
  }

  /** Whether the bytes have gone to a file. */
  get isOnDisk(): boolean {
    return this.#descriptor !== undefined;
  }

  /** @throws {@link OutputTooLarge} when there is more than there may be. */
  write(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size > this.#limits.maxBytes) throw new OutputTooLarge();
    if (this.#size > this.#limits.memoryBytes) this.#descriptor ??= openNameless();
    if (this.#descriptor === undefined || bytes.length < blockBytes / 4) {
      this.#gather(bytes);
    } else {
      this.#flush();
      writeAll(this.#descriptor, bytes);
    }
  }

  #gather(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#filled === this.#block.length) {
        this.#flush();
        this.#block = Buffer.allocUnsafeSlow(blockBytes);
      }
      const part = bytes.subarray(at, at + this.#block.length - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
    }
  }

  /** Puts the block where it is to stay. */
  #flush(): void {
    if (this.#filled > 0) this.#chunks.push(this.#block.subarray(0, this.#filled));
    this.#block = Buffer.alloc(0);
    this.#filled = 0;
    if (this.#descriptor === undefined) return;
    for (const chunk of this.#chunks) writeAll(this.#descriptor, chunk);
    this.#chunks = [];
  }

  /**
   * The bytes, once; what was read is given up, and at the end everything is. Each chunk is good until the next one is
   * asked for.
   */
  async *read(): AsyncGenerator<Uint8Array, void> {
    this.#flush();
    try {
      if (this.#descriptor !== undefined) {
        for (const chunk of chunksOf(this.#descriptor)) {
          yield chunk;
          await nextTurn();
        }
        return;
      }
      for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) yield chunk;
    } finally {
      this.dispose();
    }
  }

  /** All bytes at once, and nothing is given up; undefined when they are more than `most`. */
  peek(most: number): Buffer | undefined {
    if (this.#size > most || this.isOnDisk) return undefined;
    this.#flush();
    return Buffer.concat(this.#chunks);
  }

  /** Gives up the bytes. May be called again. */
  dispose(): void {
    this.#chunks = [];
    this.#block = Buffer.alloc(0);
    this.#filled = 0;
    // To take back what a large file held takes the system a while, for which nobody has to wait.
    if (this.#descriptor !== undefined) close(this.#descriptor, () => undefined);
    this.#descriptor = undefined;
  }
}

/** A new file that has lost its name: the system removes it when it is closed, also when the process dies. */
function openNameless(): number {
  const path = join(tmpdir(), `roboz-pipe-${randomBytes(12).toString("hex")}`);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  unlinkSync(path);
  return descriptor;
}

/** Lets timers and others have a turn: reading from a file blocks. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Spools that wait for the next stage, by a name that nobody can guess. */
export class SpoolStore {
  readonly #spools = new Map<string, Spool>();
  readonly #most: number;

  /** @param most - How many wait at most; the one that has waited longest is given up for a further one. */
  constructor(most = 32) {
    this.#most = most;
  }

  /** Keeps a spool under a name; one that had the name is given up. */
  put(id: string, spool: Spool): void {
    this.take(id)?.dispose();
    this.#spools.set(id, spool);
    for (const [oldest, waiting] of this.#spools) {
      if (this.#spools.size <= this.#most) break;
      this.#spools.delete(oldest);
      waiting.dispose();
    }
  }

  /** Takes a spool out; undefined when it was given up, or belongs to another process. */
  take(id: string): Spool | undefined {
    const spool = this.#spools.get(id);
    this.#spools.delete(id);
    return spool;
  }
}
