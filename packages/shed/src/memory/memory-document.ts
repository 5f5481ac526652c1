import { onOneLine, provenanceMarker, withoutMarkers, withoutProvenance } from "./librarian-markers.ts";

/** A snapshot that a memory was made of. */
export interface MemorySource {
  /** From the parent of the snapshots folder. */
  readonly path: string;
  readonly agentName: string | undefined;
  readonly conversationId: string;
}

/** The text of a memory file. */
export function memoryText({
  summary,
  sources,
  previous,
}: {
  readonly summary: string;
  readonly sources: readonly MemorySource[];
  /** The file name of the memory before. */
  readonly previous: string | undefined;
}): string {
  const bullets = sources.map(({ path, agentName, conversationId }) => {
    const agent = agentName === undefined ? "" : `agent: ${onOneLine(agentName)}, `;
    return `- \`${onOneLine(path)}\` (${agent}conversation: ${onOneLine(conversationId)})`;
  });
  return [
    "# Persistent Memory",
    withoutTitle(withoutMarkers(summary)),
    provenanceMarker,
    "## Sources",
    bullets.join("\n"),
    ...(previous === undefined ? [] : [`Previous memory: \`${previous}\``]),
  ]
    .join("\n\n")
    .concat("\n");
}

/** What a memory says, without where it came from. */
export function memoryContent(given: string): string {
  return withoutMarkers(withoutProvenance(given)).trim();
}

/** The document has one title, and that is not the model's. */
function withoutTitle(summary: string): string {
  const text = summary.trim();
  const rest = text.replace(/^# [^\n]*(\n|$)/, "").trim();
  return rest === "" ? text : rest;
}
