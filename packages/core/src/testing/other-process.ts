import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

import type { JournalStore } from "../runtime/journal/store.ts";

/** A program that calls {@link serveJournalStore} for the same data as the store under test. */
export interface StoreProgram {
  readonly file: string | URL;
  /** What the program is given, such as the folder; nothing by default. */
  readonly arguments?: readonly string[] | undefined;
  /** What Node is given before the file, such as a loader; nothing by default. */
  readonly nodeArguments?: readonly string[] | undefined;
}

type Order =
  | { readonly type: "open"; readonly runId: string }
  | { readonly type: "append"; readonly record: string }
  | { readonly type: "close" };

/** What an order came to: `code` is null when it was carried out, else the error's. */
interface Outcome {
  readonly code: string | null;
}

/**
 * The other half of a check with two processes: lets the process that started this one, by `testJournalStore`, open runs
 * of a store here. It ends when that process ends.
 */
export function serveJournalStore(store: JournalStore): void {
  let handle: Awaited<ReturnType<JournalStore["open"]>> | undefined;
  const carryOut = async (order: Order): Promise<void> => {
    if (order.type === "open") handle = await store.open(order.runId);
    else if (order.type === "append") await handle?.append(order.record);
    else await handle?.close();
  };
  process.on("message", (order: Order) => {
    void carryOut(order).then(
      () => process.send?.({ code: null }),
      (error: unknown) => process.send?.({ code: codeOf(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ code: null });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** A process in which runs of the store under test can be opened. */
export class OtherProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start({
    file,
    arguments: given = [],
    nodeArguments = [],
  }: StoreProgram): Promise<OtherProcess> {
    const child = fork(file, given, {
      execArgv: [...nodeArguments],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const other = new OtherProcess(child);
    await other.#answer();
    return other;
  }

  /** @returns The code of the error it failed with; null when it did not. */
  async order(order: Order): Promise<string | null> {
    const answer = this.#answer();
    this.#child.send(order);
    return (await answer).code;
  }

  /** Ends the process as a crash would, and waits until it is gone. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }

  #answer(): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const ended = (): void => {
        reject(new Error("The other process ended before it answered; does it call serveJournalStore?"));
      };
      this.#child.once("exit", ended);
      this.#child.once("message", (outcome: Outcome) => {
        this.#child.off("exit", ended);
        resolve(outcome);
      });
    });
  }
}
