import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { CommandIo } from "./command.ts";
import { stdinChunks } from "./inputs.ts";

/** How a process ended, as a shell would say it. */
export interface Ended {
  readonly status: number;
  readonly stderr: string;
}

const longestComplaint = 64 * 1024;

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

  constructor(
    program: string,
    programArguments: readonly string[],
    { descriptors, readsStdin, io }: { descriptors: readonly number[]; readsStdin: boolean; io: CommandIo },
  ) {
    this.#signal = io.signal;
    this.#child = spawn(program, programArguments, {
      cwd: "/",
      env: environment,
      detached: true,
      stdio: [readsStdin ? "pipe" : "ignore", "pipe", "pipe", ...descriptors],
    });
    const stop = () => {
      this.stop();
    };
    io.signal.addEventListener("abort", stop);
    this.#ended = this.#end().finally(() => {
      io.signal.removeEventListener("abort", stop);
    });
    // Whoever awaits the end sees the failure; until then it must not count as unhandled.
    this.#ended.catch(() => undefined);
    if (readsStdin) void this.#feed(io);
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
        const isMissing = "code" in error && error.code === "ENOENT";
        resolve({ status: isMissing ? 127 : 126, stderr: `${isMissing ? "Not found" : "Cannot be run"}\n` });
      });
      this.#child.once("close", (code, signal) => {
        const status = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
        resolve({ status, stderr: Buffer.concat(complaints).toString("utf8") });
      });
    });
  }

  /** What the program writes; nothing is read ahead, so a program that writes much has to wait. */
  get stdout(): Readable | null {
    return this.#child.stdout;
  }

  /** @throws The signal's reason when it has fired. */
  async ended(): Promise<Ended> {
    const ended = await this.#ended;
    this.#signal.throwIfAborted();
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

  async #feed(io: CommandIo): Promise<void> {
    const { stdin } = this.#child;
    if (stdin === null) return;
    // A program that has seen enough closes its input early.
    stdin.on("error", () => undefined);
    try {
      for await (const chunk of stdinChunks(io)) {
        if (stdin.destroyed) return;
        if (!stdin.write(chunk)) await Promise.race([once(stdin, "drain"), once(stdin, "close")]);
      }
      stdin.end();
    } catch {
      stdin.destroy();
    }
  }
}
