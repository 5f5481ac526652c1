import { bytesFromName } from "../files/file-name.ts";
import { systemSentence } from "../files/system-error.ts";
import { Pace } from "../language/pace.ts";
import type { CommandIo, CommandName } from "./command.ts";

const bufferedBytes = 64 * 1024;

/** What a running command writes, and the pauses it makes. */
export class Output {
  readonly #name: CommandName;
  readonly #io: CommandIo;
  readonly #pace = new Pace();
  #parts: Buffer[] = [];
  #size = 0;
  /** 0, or what the last complaint asked for. */
  status = 0;

  constructor(name: CommandName, io: CommandIo) {
    this.#name = name;
    this.#io = io;
  }

  /**
   * Adds to the output; small pieces are joined. Buffers must not change until they are handed on; names and texts are
   * written as the bytes they stand for.
   */
  add(piece: string | Buffer): void {
    const bytes = typeof piece === "string" ? bytesFromName(piece) : piece;
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }

  /** Adds bytes that may change afterwards, hands all on, and lets others work. */
  async pass(bytes: Buffer): Promise<void> {
    this.add(bytes);
    await this.flush();
    if (this.isDue) await this.flow();
  }

  /** Hands on what was added once it is worth it, and lets others work. To be awaited in every loop. */
  async flow(): Promise<void> {
    if (this.#size >= bufferedBytes) await this.flush();
    if (this.#pace.isDue) await this.pause();
  }

  /** Whether {@link flow} has something to do; saves a loop the waiting. */
  get isDue(): boolean {
    return this.#size >= bufferedBytes || this.#pace.isDue;
  }

  /** @throws The signal's reason once it has fired. */
  async pause(): Promise<void> {
    await this.#pace.pause(this.#io.signal);
  }

  async flush(): Promise<void> {
    if (this.#size === 0) return;
    const [only] = this.#parts;
    const bytes =
      this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    await this.#io.stdout.write(bytes);
  }

  /** Says on standard error what went wrong with one operand; the command goes on and ends with `status`. */
  async complain(text: string, status = 1): Promise<void> {
    this.status = Math.max(this.status, status);
    await this.#io.stderr.write(bytesFromName(`${this.#name}: ${text}\n`));
  }

  /** Says what the system refused; anything else than a refusal of the system is thrown on. */
  async complainAbout(subject: string, error: unknown, status = 1): Promise<void> {
    const sentence = systemSentence(error);
    if (sentence === undefined) throw error;
    await this.complain(`${subject}: ${sentence}`, status);
  }
}
