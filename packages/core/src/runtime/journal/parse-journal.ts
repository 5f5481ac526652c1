import type { JournalRecord } from "./record.ts";
import { isJournalRecord } from "./record-form.ts";

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
  /** How many of the broken lines are whole and yet no records of this release: what no crash leaves. */
  readonly misfits: number;
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
  let misfits = 0;
  for (const line of lines) {
    if (line === "") continue;
    const record = parseRecord(line);
    isTornTail = false;
    if (isRecord(record)) {
      records.push(record);
      continue;
    }
    broken += 1;
    if (record === misfit) {
      misfits += 1;
      continue;
    }
    const glued = gluedRecords(line);
    records.push(...glued);
    isTornTail = glued.length === 0;
  }
  return { records, damage: broken === 0 ? null : { broken, isTornTail }, misfits };
}

/** Whether lines without a whole record are what a crash at a run's first record leaves: nothing else may be written behind. */
export function isUnbegun(lines: readonly string[]): boolean {
  return lines
    .map((line) => line.replaceAll("\0", ""))
    .every(
      (line) =>
        recordStart.startsWith(line) || (line.startsWith(recordStart) && parseRecord(line) === undefined),
    );
}

/**
 * The whole records at the end of a line that does not begin with one. What stands where the torn record may have a part
 * of its own, such as an effect's result that looks like a record, is none.
 */
function gluedRecords(line: string): readonly JournalRecord[] {
  for (let start = line.indexOf(recordStart, 1); start > 0; start = line.indexOf(recordStart, start + 1)) {
    const head = line.slice(0, start);
    if (/[:[,]$/.test(head)) continue;
    const record = parseRecord(line.slice(start));
    if (!isRecord(record)) continue;
    const first = parseRecord(head);
    return isRecord(first) ? [first, record] : [...gluedRecords(head), record];
  }
  return [];
}

const misfit = Symbol("a whole line that is no record");

function isRecord(parsed: ReturnType<typeof parseRecord>): parsed is JournalRecord {
  return typeof parsed === "object";
}

/** @returns undefined for what is not whole. */
function parseRecord(text: string): JournalRecord | typeof misfit | undefined {
  if (!text.startsWith(recordStart) || !text.endsWith("}")) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    return isJournalRecord(record) ? record : misfit;
  } catch {
    return undefined;
  }
}
