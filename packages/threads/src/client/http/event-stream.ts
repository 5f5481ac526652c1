import { RobotoResponseError } from "../../errors/http-exceptions.ts";

/** One event of a stream, see "Server-sent events" in the HTML standard. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** The longest event that is read, in characters. */
const maxEventCharacters = 64 * 2 ** 20;

/**
 * Cuts a stream of text into events. Pieces may end anywhere, also within a character, a line break or a field; a piece of an
 * event that never ends is left out.
 */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  const lines = new LineReader();
  const event = new EventReader();
  for await (const bytes of body) {
    for (const line of lines.take(decoder.decode(bytes, { stream: true }))) {
      const finished = event.take(line);
      if (finished !== undefined) yield finished;
    }
  }
}

/** Puts lines together: each ends with CR LF, CR or LF. */
class LineReader {
  readonly #open: string[] = [];
  #length = 0;
  #endedWithReturn = false;

  take(text: string): readonly string[] {
    if (text === "") return [];
    // The line feed of a pair whose first half ended the last piece ends nothing.
    const rest = this.#endedWithReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endedWithReturn = text.endsWith("\r");
    const pieces = rest.split(/\r\n|\r|\n/);
    const last = pieces.pop() ?? "";
    const [first, ...others] = pieces;
    if (first === undefined) {
      this.#keep(last);
      return [];
    }
    const lines = [this.#open.splice(0).join("") + first, ...others];
    this.#length = 0;
    this.#keep(last);
    return lines;
  }

  #keep(piece: string): void {
    this.#length += piece.length;
    if (this.#length > maxEventCharacters) throw tooLong();
    if (piece !== "") this.#open.push(piece);
  }
}

/** Puts the fields of an event together. */
class EventReader {
  #event = "";
  #length = 0;
  readonly #data: string[] = [];

  take(line: string): StreamEvent | undefined {
    if (line === "") return this.#finished();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#event = value;
    if (field !== "data") return undefined;
    this.#length += value.length;
    if (this.#length > maxEventCharacters) throw tooLong();
    this.#data.push(value);
    return undefined;
  }

  #finished(): StreamEvent | undefined {
    const event = this.#event === "" ? "message" : this.#event;
    const data = this.#data.splice(0);
    this.#event = "";
    this.#length = 0;
    return data.length === 0 ? undefined : { event, data: data.join("\n") };
  }
}

function tooLong(): RobotoResponseError {
  return new RobotoResponseError({ message: `An event has more than ${maxEventCharacters} characters` });
}
