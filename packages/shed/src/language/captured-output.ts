import type { ByteSink } from "../commands/command.ts";
import { nameFromBytes } from "../files/file-name.ts";
import { OutputTooLarge } from "./spool.ts";

/** The most characters that one command may show, both streams together. */
const mostCharacters = 100_000;

/** What one command shows: its streams, kept whole up to the limit. */
export class CapturedOutput {
  readonly #streams: Record<"stdout" | "stderr", Uint8Array[]> = { stdout: [], stderr: [] };
  readonly #runsToEnd: boolean;
  #bytes = 0;

  /** @param options.runsToEnd - What is over the limit is dropped in silence, and only {@link texts} says so. */
  constructor({ runsToEnd = false }: { readonly runsToEnd?: boolean } = {}) {
    this.#runsToEnd = runsToEnd;
  }

  sink(stream: "stdout" | "stderr"): ByteSink {
    return {
      write: (bytes) => {
        this.#bytes += bytes.length;
        if (this.#isOver) {
          this.#streams.stdout.length = this.#streams.stderr.length = 0;
          if (this.#runsToEnd) return;
          throw new OutputTooLarge();
        }
        if (bytes.length > 0) this.#streams[stream].push(Buffer.from(bytes));
      },
    };
  }

  /** No character has more than four bytes. */
  get #isOver(): boolean {
    return this.#bytes > 4 * mostCharacters;
  }

  /** @throws {@link OutputTooLarge} when both texts together are over the limit. */
  texts(): { readonly stdout: string; readonly stderr: string } {
    if (this.#isOver) throw new OutputTooLarge();
    const stdout = shownText(this.#streams.stdout);
    const stderr = shownText(this.#streams.stderr);
    if (characters(stdout) + characters(stderr) > mostCharacters) throw new OutputTooLarge();
    return { stdout, stderr };
  }
}

/** Bytes as text; those that are no UTF-8 as `\xNN`. */
function shownText(parts: readonly Uint8Array[]): string {
  if (parts.length === 0) return "";
  return nameFromBytes(Buffer.concat(parts)).replace(
    /[\u{dc80}-\u{dcff}]/gu,
    (byte) => `\\x${(byte.charCodeAt(0) - 0xdc00).toString(16)}`,
  );
}

/** How many characters, not UTF-16 units, a text has. */
function characters(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) count -= 1;
  }
  return count;
}
