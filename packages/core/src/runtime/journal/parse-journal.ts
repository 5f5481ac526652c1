import type { JournalRecord } from "./record.ts";

/** What could not be read of a journal. */
export interface JournalDamage {
  /** Lines, or parts of lines, that are no whole record. */
  readonly broken: number;
  /** Whether the last line is one of them: a record whose writing was cut off, as after a crash. */
  readonly isTornTail: boolean;
}

/** A journal's records, in the order of writing, and what could not be read. */
export interface ParsedJournal {
  readonly records: readonly JournalRecord[];
  /** Null when every line is a whole record. */
  readonly damage: JournalDamage | null;
}

/** What every record begins with, so that one glued to a torn one can be told. */
const recordStart = '{"sequence":';

/**
 * Reads a journal's lines. One that is no record is dropped and counted; a whole record glued to a torn one is kept.
 */
export function parseJournal(lines: readonly string[]): ParsedJournal {
  const records: JournalRecord[] = [];
  let broken = 0;
  let isTornTail = false;
  for (const line of lines) {
    if (line === "") continue;
    const record = parseRecord(line);
    isTornTail = false;
    if (record !== undefined) {
      records.push(record);
      continue;
    }
    const glued = gluedRecords(line);
    records.push(...glued);
    broken += 1;
    isTornTail = glued.length === 0;
  }
  return { records, damage: broken === 0 ? null : { broken, isTornTail } };
}

/** The whole records at the end of a line that does not begin with one. */
function gluedRecords(line: string): readonly JournalRecord[] {
  for (let start = line.indexOf(recordStart, 1); start > 0; start = line.indexOf(recordStart, start + 1)) {
    const record = parseRecord(line.slice(start));
    if (record === undefined) continue;
    const head = line.slice(0, start);
    const first = parseRecord(head);
    return first === undefined ? [...gluedRecords(head), record] : [first, record];
  }
  return [];
}

function parseRecord(text: string): JournalRecord | undefined {
  if (!text.startsWith(recordStart) || !text.endsWith("}")) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the seam: a whole line is what this package wrote; `rebuild` checks each part it uses
    return record as JournalRecord;
  } catch {
    return undefined;
  }
}
