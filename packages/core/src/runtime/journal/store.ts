/** A run's journal, held by one writer. */
export interface JournalHandle {
  readonly runId: string;
  /** The records' texts when it was opened, in the order of writing; the last of a store that crashed may be torn. */
  readonly lines: readonly string[];
  /**
   * Adds a record. When it resolves, the record is as durable as the store promises, and stands behind every earlier one.
   *
   * @param record - JSON text of one object, without line ends.
   * @throws {@link JournalWriteError} (`core/journal-write`) when it cannot be written, or the run was let go of. What was
   * written before stands; a part of this record may, and counts as a torn tail. Nothing is written after it: every later
   * call fails as well, until the run is opened again.
   */
  readonly append: (record: string) => Promise<void>;
  /** Lets go of the run when all that was given is written; another writer may then hold it. May be called twice. */
  readonly close: () => Promise<void>;
}

/**
 * Where runs keep their journals. A store passes `testJournalStore` of `@roboz/core/testing`.
 *
 * Run ids are one safe path component: letters, digits, `.`, `_` and `-`, at most 200 characters, not starting with a dot
 * ({@link RunIdError}, `core/run-id`).
 */
export interface JournalStore {
  /**
   * Holds a run for writing, and makes its journal if there is none; with `mustExist` it makes none.
   *
   * @throws {@link RunLockedError} (`core/run-locked`) while another writer, in this process or another, holds the run.
   * A writer whose process is gone holds nothing. {@link UnknownRunError} (`core/unknown-run`) for a run that must exist;
   * {@link JournalReadError} (`core/journal-read`) and {@link JournalWriteError} (`core/journal-write`).
   */
  readonly open: (runId: string, options?: { readonly mustExist?: boolean }) => Promise<JournalHandle>;
  /** A run's lines, held or not; undefined when there is none. */
  readonly read: (runId: string) => Promise<readonly string[] | undefined>;
  /** The ids of all runs, in no particular order. */
  readonly list: () => Promise<readonly string[]>;
}
