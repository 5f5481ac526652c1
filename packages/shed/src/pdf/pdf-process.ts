import { spawn, type ChildProcess } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { messageSchema, type ReaderMessage, type ReadOutcome, type ReadRequest } from "./protocol.ts";

/** How a reading ended; the last three with the process. */
export type Reading =
  | ReadOutcome
  | { readonly status: "too-slow" }
  | { readonly status: "too-much-memory" }
  /** Neither limit was reached. */
  | { readonly status: "crashed" };

/** The time the process has until it can take a document, on a machine that is busy. */
const mostStartingMs = 30_000;
/** A process that keeps more than this between documents makes room for a new one. */
const mostKeptBytes = 200 * 1024 * 1024;

/** What a reading is waited for with. */
export interface ReadingOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onPage?: ((page: number, last: number) => void) | undefined;
}

const isSource = import.meta.url.endsWith(".ts");
const program = fileURLToPath(new URL(`./reading-process.${isSource ? "ts" : "js"}`, import.meta.url));
// Nothing that a document holds is code. The limit of the heap stands behind that of resident memory.
const engineLimits = ["--disallow-code-generation-from-strings", "--max-old-space-size=448"];

/** A process that reads documents, one at a time, and stays for the next one. While it has none, the host may end. */
export class PdfProcess {
  readonly #child: ChildProcess;
  /** Resolves when it can take a document, or is gone. */
  readonly #started: Promise<void>;
  readonly #gone: Promise<Reading>;
  #isUsable = true;
  /** Why this side ended it; null when it ended by itself. */
  #stoppedFor: "too-slow" | "crashed" | null = null;
  #hear: (message: ReaderMessage) => void = () => undefined;

  readonly #mostReadingMs: number;

  /** @param options.mostReadingMs - The time one document has; 10 s by default. */
  constructor({ mostReadingMs = 10_000 }: { readonly mostReadingMs?: number | undefined } = {}) {
    this.#mostReadingMs = mostReadingMs;
    this.#child = spawn(
      process.execPath,
      [...engineLimits, ...(isSource ? ["--import", "tsx"] : []), program],
      {
        cwd: dirname(program),
        env: environment(),
        stdio: ["ignore", "ignore", "ignore", "ipc"],
        serialization: "advanced",
        windowsHide: true,
      },
    );
    this.#gone = new Promise((resolve) => {
      const end = (signal: NodeJS.Signals | null): void => {
        this.#isUsable = false;
        const isKilled = signal === "SIGKILL" || signal === "SIGABRT";
        resolve({ status: this.#stoppedFor ?? (isKilled ? "too-much-memory" : "crashed") });
      };
      this.#child.once("error", () => {
        end(null);
      });
      this.#child.once("exit", (_code, signal) => {
        end(signal);
      });
    });
    const ready = new Promise<void>((resolve) => {
      this.#hear = ({ kind }) => {
        if (kind === "ready") resolve();
      };
    });
    this.#started = Promise.race([ready, this.#gone.then(() => undefined)]);
    this.#child.on("message", (message) => {
      const { data } = messageSchema.safeParse(message);
      if (data === undefined) this.stop();
      else this.#hear(data);
    });
    this.#holdHost(false);
  }

  /** Whether it can be given another document. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Reads a document. A process that reached a limit, or whose reading was given up, is gone.
   *
   * @throws The signal's reason, at once.
   */
  async read(request: ReadRequest, { signal, onPage }: ReadingOptions = {}): Promise<Reading> {
    signal?.throwIfAborted();
    this.#holdHost(true);
    let timer: NodeJS.Timeout | undefined;
    const stopAfter = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        this.stop("too-slow");
      }, ms);
    };
    const giveUp = (): void => {
      this.stop();
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      stopAfter(mostStartingMs);
      await this.#started;
      const done = new Promise<Reading>((resolve) => {
        this.#hear = (message) => {
          if (message.kind === "page") onPage?.(message.page, message.last);
          if (message.kind !== "done") return;
          if (message.resident > mostKeptBytes) this.stop();
          resolve(message.outcome);
        };
      });
      stopAfter(this.#mostReadingMs);
      if (this.#isUsable) this.#child.send(request, () => undefined);
      const reading = await Promise.race([done, this.#gone]);
      signal?.throwIfAborted();
      return reading;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      this.#holdHost(false);
    }
  }

  /** Ends the process, whatever it does. */
  stop(reason: "too-slow" | "crashed" = "crashed"): void {
    this.#isUsable = false;
    this.#stoppedFor ??= reason;
    this.#child.kill("SIGKILL");
  }

  /** Decides whether the host has to stay for it. */
  #holdHost(holds: boolean): void {
    const { channel } = this.#child;
    if (holds) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }
}

/** Nothing of the host's own, but for what a process cannot start without on Windows. */
function environment(): NodeJS.ProcessEnv {
  const { SystemRoot: systemRoot } = process.env;
  return systemRoot === undefined ? {} : { SystemRoot: systemRoot };
}
