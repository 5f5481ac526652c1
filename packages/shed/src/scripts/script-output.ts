/** Takes a script's bytes as they come, gives them as text, and stops at the limit. */
export class ScriptOutput {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #pieces: string[] = [];
  #bytes = 0;
  #isOver = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether there was more than the limit. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get text(): string {
    return this.#pieces.join("");
  }

  /** The text of more bytes; empty for those beyond the limit, and while a character is not complete. */
  add(bytes: Uint8Array): string {
    if (this.#isOver) return "";
    const room = this.#maxBytes - this.#bytes;
    this.#bytes += bytes.length;
    if (bytes.length <= room) return this.#keep(this.#decoder.decode(bytes, { stream: true }));
    this.#isOver = true;
    return this.#keep(this.#decoder.decode(bytes.subarray(0, room)));
  }

  /** The rest, when no more bytes come: what stands for a character that was cut off. */
  end(): string {
    return this.#isOver ? "" : this.#keep(this.#decoder.decode());
  }

  #keep(text: string): string {
    if (text !== "") this.#pieces.push(text);
    return text;
  }
}
