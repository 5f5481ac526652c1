import { type CatalogueText, type FieldPath } from "./catalogue-text.ts";
import {
  CatalogueMissingFieldError,
  CatalogueNameError,
  CatalogueUnknownFieldError,
  CatalogueValueError,
  type NameFault,
} from "./errors.ts";
import { type JsonNode, type JsonObject } from "./json-document.ts";

/** What a record of schema 1 must have and may have. */
export interface RecordFields {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
}

/** One object of a catalogue's JSON, read field by field; each refusal names the field and where it stands. */
export class InventoryRecord {
  readonly #source: CatalogueText;
  readonly #path: FieldPath;
  readonly #object: JsonObject;
  readonly #fields: ReadonlyMap<string, JsonNode>;

  private constructor(source: CatalogueText, path: FieldPath, object: JsonObject) {
    this.#source = source;
    this.#path = path;
    this.#object = object;
    this.#fields = new Map(object.members.map(({ name, value }) => [name, value]));
  }

  static of(source: CatalogueText, path: FieldPath, node: JsonNode): InventoryRecord {
    if (node.type === "object") return new InventoryRecord(source, path, node);
    throw new CatalogueValueError(source.locate(path, node.at), "must be an object");
  }

  /** Refuses missing fields first, then unknown ones. */
  allow({ required, optional = [] }: RecordFields): void {
    const missing = required.filter((name) => !this.#fields.has(name)).sort();
    if (missing.length > 0) this.#refuseMissing(missing);
    const known = [...required, ...optional].sort();
    const unknown = this.#object.members.filter(({ name }) => !known.includes(name));
    const first = unknown[0];
    if (first === undefined) return;
    const names = unknown.map(({ name }) => name).sort();
    throw new CatalogueUnknownFieldError(this.#source.locate(this.#path, first.nameAt), names, known);
  }

  /** The integer 1, and nothing that merely equals it. */
  schemaVersion(name: string): void {
    const node = this.#required(name);
    if (node.type !== "number" || node.spelling !== "1") this.refuse(name, "must be the integer 1");
  }

  text(name: string): string {
    const node = this.#required(name);
    if (node.type === "string" && node.value.trim() !== "") return node.value;
    return this.refuse(name, "must be text that is not blank");
  }

  count(name: string): number {
    const node = this.#required(name);
    const count = node.type === "number" && /^[0-9]+$/.test(node.spelling) ? Number(node.spelling) : 0;
    if (count > 0 && Number.isSafeInteger(count)) return count;
    return this.refuse(name, "must be a whole number above 0, without fraction and exponent");
  }

  seconds(name: string): number | undefined {
    const node = this.#fields.get(name);
    if (node === undefined) return undefined;
    const seconds = node.type === "number" ? Number(node.spelling) : 0;
    if (seconds > 0 && Number.isFinite(seconds)) return seconds;
    return this.refuse(name, "must be a finite number of seconds above 0");
  }

  boolean(name: string): boolean | undefined {
    const node = this.#fields.get(name);
    if (node === undefined) return undefined;
    if (node.type === "literal" && node.value !== null) return node.value;
    return this.refuse(name, "must be true or false");
  }

  /** A field that is one of the given words. */
  oneOf<Word extends string>(name: string, words: readonly Word[]): Word {
    const node = this.#required(name);
    const word = words.find((candidate) => node.type === "string" && node.value === candidate);
    return word ?? this.refuse(name, `must be ${words.map((choice) => `\`"${choice}"\``).join(" or ")}`);
  }

  object(name: string): InventoryRecord {
    return InventoryRecord.of(this.#source, [...this.#path, name], this.#required(name));
  }

  /** Reads each field of an object whose names are free; the value is read when its turn comes. */
  entries<Value>(
    read: (name: string, record: () => InventoryRecord) => Value,
  ): Readonly<Record<string, Value>> {
    const entries = this.#object.members.map(
      ({ name }) => [name, read(name, () => this.object(name))] as const,
    );
    return Object.freeze(Object.fromEntries(entries));
  }

  refuse(name: string, problem: string): never {
    const at = (this.#fields.get(name) ?? this.#object).at;
    throw new CatalogueValueError(this.#source.locate([...this.#path, name], at), problem);
  }

  #required(name: string): JsonNode {
    return this.#fields.get(name) ?? this.#refuseMissing([name]);
  }

  #refuseMissing(names: readonly string[]): never {
    throw new CatalogueMissingFieldError(this.#source.locate(this.#path, this.#object.at), names);
  }

  /** Refuses the name of a field of this object. */
  refuseName(name: string, kind: "provider" | "model", fault: NameFault): never {
    const at = this.#object.members.find((member) => member.name === name)?.nameAt ?? this.#object.at;
    throw new CatalogueNameError(this.#source.locate(this.#path, at), { kind, name, fault });
  }
}
