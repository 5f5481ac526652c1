/** What a backslash and a letter stand for in JSON; `u` and four digits apart. */
const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Where in a reply the reader is: before it, in a text that is no object, at a name, a value, or behind the object. */
type Place = "start" | "text" | "name" | "value" | "string" | "other" | "end";

/**
 * Turns a model's reply, an object of JSON that arrives in pieces, into lines for a person: each field on its own, texts as they come.
 * A reply that is no object is passed on as it is. Nothing is checked; what is no JSON is shown somehow.
 */
export class ReadableReply {
  #place: Place = "start";
  #name = "";
  #isInName = false;
  /** What of an escape sequence was seen, without the backslash; undefined outside of one. */
  #escape: string | undefined;
  /** How many brackets are open inside a value that is no text, and whether a text in it is. */
  #depth = 0;
  #isQuoted = false;

  /** What a piece adds to the lines. */
  push(piece: string): string {
    let shown = "";
    for (const character of piece) shown += this.#read(character);
    return shown;
  }

  #read(character: string): string {
    switch (this.#place) {
      case "start":
        if (/\s/.test(character)) return "";
        this.#place = character === "{" ? "name" : "text";
        return character === "{" ? "" : character;
      case "text":
        return character;
      case "name":
        this.#readName(character);
        return "";
      case "value":
        return this.#beginValue(character);
      case "string":
        return this.#readString(character);
      case "other":
        return this.#readOther(character);
      case "end":
        return character.trim();
    }
  }

  #readName(character: string): void {
    if (this.#isInName) {
      const read = this.#unescaped(character);
      if (read === undefined) this.#isInName = false;
      else this.#name += read;
    } else if (character === '"') {
      this.#isInName = true;
      this.#name = "";
    } else if (character === ":") this.#place = "value";
    else if (character === "}") this.#place = "end";
  }

  #beginValue(character: string): string {
    if (/\s/.test(character)) return "";
    const label = `  ${this.#name}: `;
    if (character === '"') {
      this.#place = "string";
      return label;
    }
    this.#place = "other";
    this.#depth = 0;
    this.#isQuoted = false;
    return label + this.#readOther(character);
  }

  #readString(character: string): string {
    const read = this.#unescaped(character);
    if (read !== undefined) return read.replace("\n", "\n    ");
    this.#place = "name";
    return "\n";
  }

  /** A number, a list or the like is shown as it is written. */
  #readOther(character: string): string {
    if (this.#isQuoted) {
      this.#isQuoted = this.#unescaped(character) !== undefined;
      return character;
    }
    if (this.#depth === 0 && (character === "," || character === "}")) {
      this.#place = character === "}" ? "end" : "name";
      return "\n";
    }
    if (character === '"') this.#isQuoted = true;
    else if (character === "{" || character === "[") this.#depth += 1;
    else if (character === "}" || character === "]") this.#depth -= 1;
    return character;
  }

  /** What a character of a text adds to it; undefined for the quote that ends it. */
  #unescaped(character: string): string | undefined {
    if (this.#escape === undefined) {
      if (character === '"') return undefined;
      if (character !== "\\") return character;
      this.#escape = "";
      return "";
    }
    this.#escape += character;
    const sequence = this.#escape;
    if (sequence.startsWith("u") && sequence.length < 5) return "";
    this.#escape = undefined;
    if (sequence.startsWith("u")) {
      const code = Number.parseInt(sequence.slice(1), 16);
      return String.fromCharCode(Number.isNaN(code) ? 0xfffd : code);
    }
    return escapes[sequence] ?? sequence;
  }
}
