/** What a doc text says of a function. */
export interface DocComment {
  /** The text before the first section; empty when it begins with one. */
  readonly summary: string;
  /** What the section `Args:` says of each parameter. */
  readonly descriptions: Readonly<Record<string, string>>;
}

const headers = [
  "Args",
  "Arguments",
  "Attributes",
  "Example",
  "Examples",
  "Hint",
  "Important",
  "Keyword Args",
  "Keyword Arguments",
  "Note",
  "Notes",
  "Other Parameters",
  "Parameters",
  "Raises",
  "References",
  "Returns",
  "See Also",
  "Tip",
  "Todo",
  "Warning",
  "Warnings",
  "Warns",
  "Yields",
];
const headerLines: ReadonlySet<string> = new Set(headers.map((header) => `${header}:`));
const entry = /^(\w+)(?:\s*\([^)]*\))?\s*:\s*(.*)$/;

/**
 * Reads a doc text in the style of Google's Python guide: a summary, then sections whose headers stand at the left edge. Of the
 * sections only `Args:` is read; each entry is `name: text` or `name (type): text`, and deeper lines go on with it.
 */
export function parseDocComment(text: string): DocComment {
  const lines = withoutIndentation(text.split(/\r?\n/).map((line) => line.trimEnd()));
  const isHeader = (line: string): boolean => headerLines.has(line);
  const firstHeader = lines.findIndex(isHeader);
  const summary = (firstHeader === -1 ? lines : lines.slice(0, firstHeader)).join("\n").trim();
  const args = lines.indexOf("Args:");
  return { summary, descriptions: args === -1 ? {} : entriesOf(lines.slice(args + 1)) };
}

/** The lines without what all but the first are indented by; the first one follows the opening quotes. */
function withoutIndentation(lines: readonly string[]): readonly string[] {
  const [first = "", ...others] = lines;
  // What follows a header is indented below it.
  if (headerLines.has(first.trim())) return [first.trim(), ...others];
  const depths = others.filter((line) => line !== "").map(indentationOf);
  const depth = depths.length === 0 ? 0 : Math.min(...depths);
  return [first.trimStart(), ...others.map((line) => line.slice(depth))];
}

function indentationOf(line: string): number {
  return line.length - line.trimStart().length;
}

function entriesOf(lines: readonly string[]): Record<string, string> {
  const pieces = new Map<string, string[]>();
  let depth: number | undefined;
  let current: string[] | undefined;
  for (const line of lines) {
    if (line === "") continue;
    const indentation = indentationOf(line);
    if (indentation === 0) break;
    depth ??= indentation;
    const content = line.trim();
    if (indentation > depth) {
      current?.push(content);
      continue;
    }
    const [, name, description] = indentation === depth ? (entry.exec(content) ?? []) : [];
    if (name === undefined) break;
    current = [description ?? ""];
    pieces.set(name, current);
  }
  return Object.fromEntries([...pieces].map(([name, parts]) => [name, parts.join(" ").trim()]));
}
