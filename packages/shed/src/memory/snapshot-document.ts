import { coverageMarker, coverageOf, onOneLine, withoutMarkers } from "./librarian-markers.ts";

const heading = /^# Conversation Snapshot: (.+)$/;

/** The text of a snapshot file. */
export function snapshotText({
  agentName,
  summary,
  sequence,
}: {
  readonly agentName: string;
  readonly summary: string;
  readonly sequence: number;
}): string {
  const title = `# Conversation Snapshot: ${onOneLine(agentName)}`;
  return `${title}\n\n${withoutMarkers(summary).trim()}\n\n${coverageMarker(sequence)}\n`;
}

/** What a snapshot file says. */
export interface SnapshotDocument {
  /** Undefined when the heading is none of a snapshot. */
  readonly agentName: string | undefined;
  /** With its heading, without any marker. */
  readonly text: string;
  /** Undefined when it cannot be told: everything counts as new then. */
  readonly sequence: number | undefined;
}

/** Reads a snapshot's text, whoever wrote it. */
export function parseSnapshot(given: string): SnapshotDocument {
  const [first = ""] = given.split("\n", 1);
  const [, agentName] = heading.exec(first.trimEnd()) ?? [];
  return { agentName, text: withoutMarkers(given).trim(), sequence: coverageOf(given) };
}
