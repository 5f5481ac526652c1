/** Where text for people goes, such as `process.stdout`. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

const outputs = new WeakMap<TextStream, TextOutput>();

/** The one output of a stream, so that all who print on it know how its last line stands. */
export function textOutputOf(stream: TextStream): TextOutput {
  let output = outputs.get(stream);
  if (output === undefined) outputs.set(stream, (output = new TextOutput(stream)));
  return output;
}

/** How a stream says that nobody reads it any more: the reader of a pipe has left, a terminal was closed. */
const goneCodes: ReadonlySet<unknown> = new Set([
  "EIO",
  "EPIPE",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);

/** Writes blocks of lines, and pieces that may end in the middle of one. Once nobody reads the stream, it writes nothing. */
export class TextOutput {
  readonly #stream: TextStream;
  #isWatched = false;
  #isGone = false;
  /** What else went wrong with the stream after a write had returned; the next write fails with it. */
  #failure: { readonly error: unknown } | undefined;
  #isAtLineStart = true;
  #shown: string | undefined;

  constructor(stream: TextStream) {
    this.#stream = stream;
  }

  /** Whether nobody reads it any more; known only once something was written in vain. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Writes whole lines; a line that was left open is ended before. */
  lines(text: string): void {
    this.#write(`${this.#isAtLineStart ? "" : "\n"}${text}\n`);
    this.#isAtLineStart = true;
  }

  /** Writes text as it is. */
  piece(text: string, painted = text): void {
    if (text === "") return;
    this.#write(painted);
    this.#isAtLineStart = text.endsWith("\n");
  }

  /** Ends a line that was left open. */
  endLine(): void {
    if (!this.#isAtLineStart) this.piece("\n");
  }

  /** The person at the terminal ended the line. */
  typed(): void {
    this.#isAtLineStart = true;
  }

  /** Says that what was written last is this text, laid out for people. */
  hasShown(text: string): void {
    this.#shown = text;
  }

  /** Whether this text was written last, so that nobody needs to write it again. */
  justShowed(text: string): boolean {
    return this.#shown === text;
  }

  #write(text: string): void {
    this.#shown = undefined;
    if (this.#isGone) return;
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#watch();
    try {
      this.#stream.write(text);
    } catch (error) {
      if (!isGone(error)) throw error;
      this.#isGone = true;
    }
  }

  /** A stream tells of a lost reader by an event, which ends the process when nobody hears it. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    if (!("on" in this.#stream) || typeof this.#stream.on !== "function") return;
    const hear = (error: unknown): void => {
      if (isGone(error)) this.#isGone = true;
      else this.#failure = { error };
    };
    Reflect.apply(this.#stream.on, this.#stream, ["error", hear]);
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && goneCodes.has(error.code);
}
