import { StringDecoder } from "node:string_decoder";

import { waitForAnswer } from "./wait-for-answer.ts";

/** Where lines come from, such as `process.stdin`. */
export interface LineSource {
  readonly isTTY?: boolean | undefined;
  readonly readableEnded?: boolean | undefined;
  readonly destroyed?: boolean | undefined;
  on(event: "data" | "end" | "close" | "error", listener: (chunk: unknown) => void): unknown;
  off(event: "data" | "end" | "close" | "error", listener: (chunk: unknown) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

const endings = ["end", "close", "error"] as const;
const readers = new WeakMap<LineSource, LineReader>();

/** The one reader of a stream, so that what it read ahead is not lost to the next who asks. */
export function lineReaderOf(source: LineSource): LineReader {
  let reader = readers.get(source);
  if (reader === undefined) readers.set(source, (reader = new LineReader(source)));
  return reader;
}

/** Reads a stream line by line, and only while somebody waits for a line: a paused stream lets the process end. */
export class LineReader {
  readonly #source: LineSource;
  readonly #decoder = new StringDecoder("utf8");
  #text = "";
  #hasEnded = false;
  #lastTurn: Promise<void> = Promise.resolve();
  #isOpen = false;
  #closing: NodeJS.Immediate | undefined;
  #whenChanged: (() => void) | undefined;

  constructor(source: LineSource) {
    this.#source = source;
  }

  /** Whether there is nothing left to read; known only once reading came to the end. */
  get isAtEnd(): boolean {
    const { readableEnded, destroyed } = this.#source;
    return this.#text === "" && (this.#hasEnded || readableEnded === true || destroyed === true);
  }

  /**
   * Waits until it is this caller's turn to read.
   *
   * @returns Ends the turn.
   * @throws The signal's reason, when it fires before.
   */
  async turn(signal?: AbortSignal): Promise<() => void> {
    const before = this.#lastTurn;
    let done: () => void = () => undefined;
    const own = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#lastTurn = before.then(() => own);
    try {
      await waitForAnswer(() => before, { signal });
    } catch (reason) {
      done();
      throw reason;
    }
    return done;
  }

  /**
   * The next line, without its line break; a last one may lack it. Null at the end of the stream, and when the signal
   * fires first; what was read so far is then kept.
   */
  async next(signal: AbortSignal): Promise<string | null> {
    const isOver = (): boolean => this.isAtEnd || signal.aborted;
    let line = this.#take();
    if (line !== undefined || isOver()) return line ?? null;
    signal.addEventListener("abort", this.#wake, { once: true });
    this.#open();
    while (line === undefined && !isOver()) {
      await new Promise<void>((resolve) => {
        this.#whenChanged = resolve;
      });
      line = this.#take();
    }
    signal.removeEventListener("abort", this.#wake);
    this.#close();
    return line ?? null;
  }

  #open(): void {
    clearImmediate(this.#closing);
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#source.on("data", this.#read);
      for (const event of endings) this.#source.on(event, this.#end);
    }
    this.#source.resume();
  }

  /** A socket that is paused while it hands on a chunk starts to read again, and keeps the process; so later. */
  #close(): void {
    this.#closing = setImmediate(() => {
      this.#isOpen = false;
      this.#source.off("data", this.#read);
      for (const event of endings) this.#source.off(event, this.#end);
      this.#source.pause();
    });
  }

  readonly #read = (chunk: unknown): void => {
    this.#text += chunk instanceof Uint8Array ? this.#decoder.write(Buffer.from(chunk)) : String(chunk);
    this.#wake();
  };

  /** A stream that broke gives no more lines either. */
  readonly #end = (): void => {
    if (!this.#hasEnded) this.#text += this.#decoder.end();
    this.#hasEnded = true;
    this.#wake();
  };

  readonly #wake = (): void => {
    this.#whenChanged?.();
  };

  /** A line that was read already. */
  #take(): string | undefined {
    const end = this.#text.indexOf("\n");
    if (end < 0 && (!this.#hasEnded || this.#text === "")) return undefined;
    const line = end < 0 ? this.#text : this.#text.slice(0, end);
    this.#text = end < 0 ? "" : this.#text.slice(end + 1);
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}
