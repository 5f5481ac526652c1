import type { ThreadTransaction } from "../store/thread-store.ts";
import type { ThreadWriter } from "../store/thread-writer.ts";

/** Something done to a turn's thread, in a transaction of its own. */
export type TurnWork<T> = (transaction: ThreadTransaction, thread: ThreadWriter) => Promise<T>;

/** How the text of an answer is handed on. */
export interface FlushSettings {
  /** How long a piece may wait, in milliseconds. */
  readonly everyMs: number;
  /** How many characters are written at once without waiting. */
  readonly chars: number;
}

/** The message that an answer is written to, piece by piece while it comes. */
export class AnswerText {
  readonly #write: <T>(work: TurnWork<T>) => Promise<T>;
  readonly #turnId: string;
  readonly #flush: FlushSettings;
  #seq: number | undefined;
  #pending = "";
  #written = "";
  #timer: NodeJS.Timeout | undefined;
  /** What is being written. A failure is the next one's to tell. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(write: <T>(work: TurnWork<T>) => Promise<T>, turnId: string, flush: FlushSettings) {
    this.#write = write;
    this.#turnId = turnId;
    this.#flush = flush;
  }

  /** Goes on in a message that is there, and empty. */
  reuse(seq: number | undefined): void {
    this.#seq = seq;
  }

  /** Opens the message, unless it is open. */
  open(): void {
    this.#queue(async (_transaction, thread) => {
      await this.#opened(thread);
    });
  }

  /** Takes a piece of text. */
  take(piece: string): void {
    if (piece === "") return;
    this.#pending += piece;
    if (this.#pending.length >= this.#flush.chars) this.#send();
    else
      this.#timer ??= setTimeout(() => {
        this.#send();
      }, this.#flush.everyMs);
  }

  /** The reply is replaced by another one: what was read of it cannot be taken back, so that message has failed. */
  restart(): void {
    this.#drop();
    this.#queue(async (_transaction, thread) => {
      if (this.#seq === undefined || this.#written === "") return;
      await fail(thread, this.#seq);
      this.#seq = undefined;
      this.#written = "";
    });
  }

  /** Waits for what is being written; what was taken since is left to `complete`, or to `settle`. */
  async pause(): Promise<void> {
    this.#stopTimer();
    await this.#last;
  }

  /** Waits until what was taken is written. */
  async settle(): Promise<void> {
    this.#send();
    await this.#last;
  }

  /** Writes nothing more. */
  drop(): void {
    this.#drop();
  }

  /** Brings the message to this text, within a transaction; gives its index. */
  async complete(thread: ThreadWriter, text: string): Promise<number> {
    this.#drop();
    let seq = await this.#opened(thread);
    if (!text.startsWith(this.#written)) {
      await fail(thread, seq);
      seq = await thread.addMessage("assistant", "generating", { turnId: this.#turnId });
      this.#written = "";
    }
    await thread.appendText(seq, text.slice(this.#written.length));
    return seq;
  }

  /** Gives what brings it back to where it is now. */
  mark(): () => void {
    const [seq, written] = [this.#seq, this.#written];
    return () => {
      this.#seq = seq;
      this.#written = written;
    };
  }

  /** The message is done; the next text is for another one. Called when the transaction is. */
  close(): void {
    this.#seq = undefined;
    this.#written = "";
  }

  async #opened(thread: ThreadWriter): Promise<number> {
    this.#seq ??= await thread.addMessage("assistant", "generating", { turnId: this.#turnId });
    return this.#seq;
  }

  #send(): void {
    this.#stopTimer();
    const piece = this.#pending;
    this.#pending = "";
    if (piece === "") return;
    this.#queue(async (_transaction, thread) => {
      const seq = await this.#opened(thread);
      await thread.appendText(seq, piece);
      this.#written += piece;
    });
  }

  #drop(): void {
    this.#stopTimer();
    this.#pending = "";
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #queue(work: TurnWork<void>): void {
    this.#last = this.#last.then(() => this.#write(work));
    // Who waits for it is told.
    this.#last.catch(() => undefined);
  }
}

async function fail(thread: ThreadWriter, seq: number): Promise<void> {
  await thread.addBlock(seq, {
    content_type: "error",
    error_message: "The answer was not usable; it begins anew.",
    error_code: "turn_interrupted",
  });
  await thread.setMessageStatus(seq, "failed");
}
