import { CoreError } from "../../errors.ts";

/** A file that should hold a run's document holds something else, or cannot be read; the origin is the `cause`. It is left as it is. */
export class RunDocumentError extends CoreError {
  readonly code = "core/run-document";
  readonly path: string;

  /** @param refused.problem - Goes on from the file's name. */
  constructor({ path, problem, cause }: { path: string; problem: string; cause?: unknown }) {
    super(`The run document \`${path}\` ${problem}`, { cause });
    this.path = path;
  }
}

/** A folder for documents was given that is no folder. */
export class DataFolderError extends CoreError {
  readonly code = "core/data-folder";
  readonly path: string;

  constructor({ path }: { path: string }) {
    super(
      `\`${path}\` is no folder, so no run documents can be kept in it; name a folder, or a path where none is yet`,
    );
    this.path = path;
  }
}

/** The errors of run documents. */
export type AnyDocumentError = DataFolderError | RunDocumentError;
