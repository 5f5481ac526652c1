/** Comments that maintenance writes into its files; they are nobody's to read, or to make up. */
const anyMarker = /<!--\s*librarian:[^\n<]*?-->/gi;
const coverage = /^<!-- librarian:snapshot-coverage v1 sequence=(\d+) -->$/;

/** A text without any marker, also an unfinished one: what a model reads, or wrote. */
export function withoutMarkers(text: string): string {
  return text.replace(anyMarker, "").replace(/<!--\s*librarian:/gi, "");
}

/** The last line of a snapshot: up to which row of its conversation it goes. */
export function coverageMarker(sequence: number): string {
  return `<!-- librarian:snapshot-coverage v1 sequence=${sequence} -->`;
}

/** What the last line of a snapshot says; undefined when it says nothing that is known. */
export function coverageOf(snapshot: string): number | undefined {
  const [, digits] = coverage.exec(snapshot.trimEnd().split("\n").at(-1) ?? "") ?? [];
  const sequence = digits === undefined ? undefined : Number(digits);
  return sequence !== undefined && Number.isSafeInteger(sequence) ? sequence : undefined;
}

export const provenanceMarker = "<!-- librarian:provenance v1 -->";

/** A memory document without the list of its sources. */
export function withoutProvenance(memory: string): string {
  const start = [...memory.matchAll(/^<!-- librarian:provenance\b.*-->\s*$/gm)].at(-1)?.index;
  return start === undefined ? memory : memory.slice(0, start);
}

/** A name as it may stand in a line of a document. */
export function onOneLine(text: string): string {
  return withoutMarkers(text.replace(/\s+/g, " ")).trim();
}
