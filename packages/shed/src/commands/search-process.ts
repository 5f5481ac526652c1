import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { PassThrough } from "node:stream";
import type { Readable, Writable } from "node:stream";
import { systemCode, systemSentence } from "../files/system-error.ts";

/** How a process ended, as a shell would say it. */
export interface Ended {
  readonly status: number;
  readonly stderr: string;
}

const longestComplaint = 64 * 1024;
/** Input is read ahead of the program up to here, so that both work at once. */
const mostQueuedBytes = 8 * 1024 * 1024;

/** What every program sees: nothing of the host's own environment, and a locale in which all text is UTF-8. */
const environment = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8", TERM: "dumb" };

/**
 * Runs a program in its own process group, with descriptors that were opened for it from number 3 on. When the signal
 * fires, the whole group is killed.
 */
export class SearchProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;
  readonly #signal: AbortSignal;
  /** What the program writes; little is read ahead, so a program that writes much has to wait. */
  readonly stdout: Readable;
  #failure: Error | undefined;

  constructor(
    program: string,
    programArguments: readonly string[],
    {
      descriptors,
      input,
      signal,
    }: {
      descriptors: readonly number[];
      /** What it reads; null when it reads nothing. */
      input: AsyncIterable<Uint8Array> | null;
      signal: AbortSignal;
    },
  ) {
    this.#signal = signal;
    this.#child = spawn(program, programArguments, {
      cwd: "/",
      env: environment,
      detached: true,
      stdio: [input === null ? "ignore" : "pipe", "pipe", "pipe", ...descriptors],
    });
    this.stdout = relayOf(this.#child.stdout);
    const stop = () => {
      this.stop();
    };
    signal.addEventListener("abort", stop);
    this.#ended = this.#end().finally(() => {
      signal.removeEventListener("abort", stop);
    });
    // Whoever awaits the end sees the failure; until then it must not count as unhandled.
    this.#ended.catch(() => undefined);
    if (input !== null) void this.#feed(input, this.#child.stdin);
  }

  async #end(): Promise<Ended> {
    const complaints: Buffer[] = [];
    let size = 0;
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      if (size < longestComplaint) complaints.push(chunk);
      size += chunk.length;
    });
    return new Promise((resolve) => {
      this.#child.once("error", (error) => {
        const isMissing = systemCode(error) === "ENOENT";
        const why = isMissing ? "Not found" : `Cannot be run: ${systemSentence(error) ?? error.message}`;
        resolve({ status: isMissing ? 127 : 126, stderr: `${why}\n` });
      });
      this.#child.once("close", (code, signal) => {
        const status = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
        resolve({ status, stderr: Buffer.concat(complaints).toString("utf8") });
      });
    });
  }

  /** @throws The signal's reason when it has fired; what came of reading its input when that failed. */
  async ended(): Promise<Ended> {
    const ended = await this.#ended;
    this.#signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
    return ended;
  }

  stop(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }

  async #feed(input: AsyncIterable<Uint8Array>, stdin: Writable | null | undefined): Promise<void> {
    if (stdin === null || stdin === undefined) return;
    // A program that has seen enough closes its input early.
    stdin.on("error", () => undefined);
    try {
      for await (const chunk of input) {
        if (stdin.destroyed) return;
        stdin.write(chunk);
        if (stdin.writableLength > mostQueuedBytes) await drained(stdin);
      }
      stdin.end();
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error("No input could be read", { cause: error });
      this.stop();
    }
  }
}

/**
 * The same bytes for whoever reads them later. Node throws away what nobody reads by the time that a program ends, and
 * the next program of a search may end while the one before is still listened to.
 */
function relayOf(stream: Readable | null | undefined): Readable {
  const relay = new PassThrough();
  stream?.pipe(relay);
  stream?.once("close", () => relay.end());
  // A process for which there were no descriptors left has no streams at all.
  if (stream === null || stream === undefined) relay.end();
  return relay;
}

/** Waits until everything is written, or nothing more can be. */
async function drained(stream: Writable): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(stream, "drain", { signal }), once(stream, "close", { signal })]);
  } catch {
    // The program has closed its input.
  } finally {
    over.abort();
  }
}
