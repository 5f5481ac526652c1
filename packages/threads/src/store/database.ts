/** What a statement may be given. */
export type SqlParameter = string | number | null;

/** A parameter as every database takes it: some hold no NUL in texts, and some end a text there. */
export function storable(parameter: SqlParameter): SqlParameter {
  return typeof parameter === "string" ? parameter.replaceAll("\0", "\uFFFD") : parameter;
}

/** A row, by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Statements of one transaction, or of one consistent look at the database. Parameters are numbered: `$1`, `$2`. */
export interface Queries {
  /** Runs one statement and gives its rows, those of `RETURNING` too. */
  readonly rows: (sql: string, ...parameters: readonly SqlParameter[]) => Promise<readonly SqlRow[]>;
  /** Runs one statement; how many rows it changed. */
  readonly run: (sql: string, ...parameters: readonly SqlParameter[]) => Promise<number>;
}

/** What the store needs of a database. SQL is the part that SQLite and PostgreSQL have in common. */
export interface ThreadDatabase {
  /** Whether several servers share the database; turns that run when the only one starts are nobody's. */
  readonly isShared: boolean;
  /** What a row that is about to be changed is locked with: ` FOR UPDATE`, or nothing where writers take turns anyway. */
  readonly rowLock: string;
  /** The condition that an expression holds a part, in any case; `add` takes a parameter and gives what stands for it. */
  readonly containing: (expression: string, part: string, add: (parameter: string) => string) => string;
  /**
   * Does all of the work, or none of it when it throws. Work must wait for nothing but the statements it is given, and may
   * be begun again by a driver that meets a conflict.
   */
  readonly transaction: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;
  /** Reads what all belongs to one moment. */
  readonly read: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;
  /** As `transaction`, with everybody else who calls it kept waiting, those in other processes too. */
  readonly exclusive: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;
  /**
   * Hears what `notify` says in a channel, in other processes too; words may be lost, so that listeners also look by
   * themselves from time to time. An empty word says that some may have been lost just now.
   *
   * @returns What ends it.
   */
  readonly listen: (channel: string, listener: (word: string) => void) => () => void;
  /** Tells all who listen. Never fails. */
  readonly notify: (channel: string, word: string) => void;
  /**
   * Hands queued turns to what gives them to workers, in the transaction that queues them; left out where workers look for
   * them themselves.
   */
  readonly handOver?: ((queries: Queries, turnIds: readonly string[]) => Promise<void>) | undefined;
  /** Ends all connections. */
  readonly close: () => Promise<void>;
}

/** A text of a row. */
export function text(row: SqlRow, column: string): string {
  const found = row[column];
  if (typeof found === "string") return found;
  throw new Error(`The column \`${column}\` holds no text`);
}

/** A text of a row, or null. */
export function textOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

/** A whole number of a row. */
export function integer(row: SqlRow, column: string): number {
  const found = row[column];
  if (typeof found === "number") return found;
  throw new Error(`The column \`${column}\` holds no number`);
}

/** A whole number of a row, or null. */
export function integerOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

/** A switch of a row, which is kept as 0 or 1. */
export function flag(row: SqlRow, column: string): boolean {
  return integer(row, column) !== 0;
}
