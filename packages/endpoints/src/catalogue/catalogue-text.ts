/** The names and indexes that lead from the root of a document to a value. */
export type FieldPath = readonly (string | number)[];

/** Where in a catalogue's JSON something was found. */
export interface CatalogueLocation {
  /** The file as the caller named it; `undefined` for text that came from no file. */
  readonly file: string | undefined;
  /** The field, such as `providers.groq.models.chat.max_context_tokens`; the root is `inventory`. */
  readonly path: string;
  /** Counts from 1. */
  readonly line: number;
  /** Counts from 1, in UTF-16 units, as editors do. */
  readonly column: number;
}

/** The text of a catalogue, able to say where an offset stands. */
export class CatalogueText {
  readonly text: string;
  readonly file: string | undefined;

  constructor(text: string, file?: string) {
    this.text = text;
    this.file = file;
  }

  locate(path: FieldPath, at: number): CatalogueLocation {
    const lines = this.text.slice(0, at).split(/\r\n|\r|\n/);
    const column = (lines.at(-1) ?? "").length + 1;
    return { file: this.file, path: formatPath(path), line: lines.length, column };
  }
}

/** A name that can be shown as it is: short, and of letters, digits and underscores. */
const plainName = /^[\p{L}_][\p{L}\p{M}\p{N}_]{0,59}$/u;

function formatPath(path: FieldPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!plainName.test(step)) text += `[${quoteName(step)}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text === "" ? "inventory" : text;
}

/** A name from a file, made fit for one line of a message: escaped, and cut when it is long. */
export function quoteName(name: string): string {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  return JSON.stringify(shown).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (character) =>
    character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}
