import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * A pipe that a script writes both of its streams to, so that they come in their order. It is a named pipe whose name is taken
 * away at once: what Node makes itself is a socket, which scripts cannot open as `/dev/stderr`.
 */
export class OutputPipe {
  readonly reader: Socket;
  /** For the script; `closeWriter` once it has it. */
  readonly writer: number;
  #isWriterOpen = true;

  private constructor(reader: Socket, writer: number) {
    this.reader = reader;
    this.writer = writer;
  }

  static async open(): Promise<OutputPipe> {
    const folder = await mkdtemp(join(tmpdir(), "roboz-script-"));
    try {
      const path = join(folder, "output");
      await promisify(execFile)("mkfifo", ["-m", "600", path]);
      const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const reader = new Socket({ fd: descriptor, readable: true, writable: false });
      try {
        return new OutputPipe(reader, openSync(path, constants.O_WRONLY));
      } catch (error) {
        reader.destroy();
        throw error;
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  closeWriter(): void {
    if (this.#isWriterOpen) closeSync(this.writer);
    this.#isWriterOpen = false;
  }
}
