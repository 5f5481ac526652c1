const marker = Symbol.for("@roboz/sqlite/error");

/** The base of every error this package throws of its own; runs and journals have those of `@roboz/core`. */
export abstract class SqliteError extends Error {
  /** Stable, for programs; the message is for people and may change in a patch. */
  abstract readonly code: SqliteErrorCode;
  readonly [marker] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Like `instanceof`, and also true for an error of another installed copy of this package. */
  static is(error: unknown): error is AnySqliteError {
    return error instanceof Error && marker in error;
  }
}

/** Every error this package throws, told apart by `code`. */
export type AnySqliteError = SqliteDriverError | SqliteFileError;

/** The codes of {@link AnySqliteError}; a later release may add some, so a `switch` keeps a default. */
export type SqliteErrorCode = AnySqliteError["code"];

/** The driver is not installed, or has no binary for this system; the origin is the `cause`. */
export class SqliteDriverError extends SqliteError {
  readonly code = "sqlite/driver";

  constructor({ cause }: { cause: unknown }) {
    super("The SQLite driver cannot be loaded; install it with `npm install libsql`", { cause });
  }
}

/** What should be a database is none, or may not be opened; it was not changed. */
export class SqliteFileError extends SqliteError {
  readonly code = "sqlite/file";
  readonly path: string;

  /** @param problem - Goes on from the name of the file. */
  constructor({ path, problem, cause }: { path: string; problem: string; cause?: unknown }) {
    super(`\`${path}\` ${problem}`, { cause });
    this.path = path;
  }
}
