import { CatalogueDuplicateKeyError, CatalogueSyntaxError } from "./errors.ts";
import { type CatalogueText, type FieldPath } from "./catalogue-text.ts";

/** A JSON value that knows where it stands; `at` is an offset into the text. */
export type JsonNode = JsonObject | JsonArray | JsonString | JsonNumber | JsonLiteral;

export interface JsonObject {
  readonly type: "object";
  readonly at: number;
  /** In the order of the text; no name comes twice. */
  readonly members: readonly JsonMember[];
}

export interface JsonMember {
  readonly name: string;
  readonly nameAt: number;
  readonly value: JsonNode;
}

export interface JsonArray {
  readonly type: "array";
  readonly at: number;
  readonly items: readonly JsonNode[];
}

export interface JsonString {
  readonly type: "string";
  readonly at: number;
  readonly value: string;
}

/** A number as it was written: `1`, `1.0` and `1e0` are three spellings. */
export interface JsonNumber {
  readonly type: "number";
  readonly at: number;
  readonly spelling: string;
}

export interface JsonLiteral {
  readonly type: "literal";
  readonly at: number;
  readonly value: true | false | null;
}

/** Far above what a catalogue needs (5), far below what a call stack holds. */
const deepest = 100;

const numberSpelling = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const fourHexDigits = /[0-9a-fA-F]{4}/y;

const literals: readonly (readonly [string, true | false | null])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/**
 * Reads a JSON text (RFC 8259) without losing what `JSON.parse` loses: order, repeated names, the spelling of
 * numbers, and positions. No extension is accepted: no comment, trailing comma, `NaN` or byte-order mark.
 *
 * @throws CatalogueSyntaxError for text that is no JSON or is nested more than 100 deep;
 * CatalogueDuplicateKeyError for a name that stands twice in one object.
 */
export function parseJson(source: CatalogueText): JsonNode {
  return new JsonReader(source).document();
}

class JsonReader {
  readonly #source: CatalogueText;
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(source: CatalogueText) {
    this.#source = source;
    this.#text = source.text;
  }

  document(): JsonNode {
    if (this.#text.startsWith("\uFEFF")) {
      this.#fail("starts with a byte-order mark; save the file as UTF-8 without one");
    }
    const root = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("is complete, but more text follows");
    return root;
  }

  #value(): JsonNode {
    this.#skipSpace();
    const at = this.#at;
    switch (this.#text[at]) {
      case "{":
        return this.#nested(() => ({ type: "object", at, members: this.#members() }));
      case "[":
        return this.#nested(() => ({ type: "array", at, items: this.#items() }));
      case '"':
        return { type: "string", at, value: this.#string() };
      case undefined:
        return this.#fail("has no value: the text ends too early");
      default:
        return this.#number() ?? this.#literal() ?? this.#fail("has no JSON value here");
    }
  }

  #nested<Node>(read: () => Node): Node {
    if (this.#path.length >= deepest) this.#fail(`is nested more than ${deepest} deep`);
    this.#at += 1;
    return read();
  }

  #members(): JsonMember[] {
    const members: JsonMember[] = [];
    const names = new Set<string>();
    if (this.#skipped("}")) return members;
    do {
      this.#skipSpace();
      const nameAt = this.#at;
      if (this.#text[nameAt] !== '"') this.#fail("has no field name in double quotes here");
      const name = this.#string();
      this.#path.push(name);
      if (names.has(name)) {
        throw new CatalogueDuplicateKeyError(this.#source.locate(this.#path, nameAt));
      }
      names.add(name);
      if (!this.#skipped(":")) this.#fail("has no `:` after its name");
      members.push({ name, nameAt, value: this.#value() });
      this.#path.pop();
    } while (this.#skipped(","));
    if (!this.#skipped("}")) this.#fail("has no `,` or `}` here");
    return members;
  }

  #items(): JsonNode[] {
    const items: JsonNode[] = [];
    if (this.#skipped("]")) return items;
    do {
      this.#path.push(items.length);
      items.push(this.#value());
      this.#path.pop();
    } while (this.#skipped(","));
    if (!this.#skipped("]")) this.#fail("has no `,` or `]` here");
    return items;
  }

  #string(): string {
    let value = "";
    this.#at += 1;
    let from = this.#at;
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) return this.#fail("holds a string that does not end");
      if (character < " ") return this.#fail("holds a string with a raw control character; escape it");
      if (character === '"') {
        value += this.#text.slice(from, this.#at);
        this.#at += 1;
        return value;
      }
      if (character !== "\\") {
        this.#at += 1;
        continue;
      }
      value += this.#text.slice(from, this.#at) + this.#escape();
      from = this.#at;
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? "";
    if (letter === "u") {
      const digits = this.#match(fourHexDigits, this.#at + 2);
      if (digits === undefined) return this.#fail("holds a string with a broken `\\u` escape");
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const meant = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (meant === undefined) return this.#fail("holds a string with an unknown escape");
    this.#at += 2;
    return meant;
  }

  #number(): JsonNumber | undefined {
    const at = this.#at;
    const spelling = this.#match(numberSpelling, at);
    if (spelling === undefined) return undefined;
    this.#at += spelling.length;
    return { type: "number", at, spelling };
  }

  #literal(): JsonLiteral | undefined {
    const at = this.#at;
    for (const [word, value] of literals) {
      if (!this.#text.startsWith(word, at)) continue;
      this.#at += word.length;
      return { type: "literal", at, value };
    }
    return undefined;
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0];
  }

  /** Steps over the mark if it comes next, white space aside. */
  #skipped(mark: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== mark) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    for (;;) {
      const character = this.#text[this.#at];
      if (character !== " " && character !== "\n" && character !== "\r" && character !== "\t") return;
      this.#at += 1;
    }
  }

  #fail(problem: string): never {
    const path: FieldPath = this.#path;
    throw new CatalogueSyntaxError(this.#source.locate(path, this.#at), problem);
  }
}
