import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** A program of the bench in a process of its own, read line by line. */
export class Child {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterableIterator<string>;

  constructor(name: string, args: readonly string[]) {
    const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
    const words = ["--expose-gc", "--conditions=@roboz/source", "--import", loader, file, ...args];
    this.#process = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
    if (this.#process.stdout === null) throw new Error("The output of a child is not read");
    const lines: Interface = createInterface({ input: this.#process.stdout });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** The next line that it prints. */
  async line(): Promise<string> {
    const next = await this.#lines.next();
    if (next.done === true) throw new Error("A child ended early");
    return next.value;
  }

  /** Says a line to it, and gives the one that it answers. */
  async ask(line: string): Promise<string> {
    this.#process.stdin?.write(`${line}\n`);
    return this.line();
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}
