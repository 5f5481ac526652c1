import type { HttpErrorCode } from "./http-exception.ts";

const marker = Symbol.for("@roboz/threads/error");

/** The base of every error this package throws; `code` tells them apart. */
export abstract class ThreadsError extends Error {
  /** Stable, for programs; the message is for people and may change in a patch. */
  abstract readonly code: ThreadsErrorCode;
  readonly [marker] = true;

  /** @param name - Given, since a bundler may rename the class. */
  constructor(name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }

  /** Like `instanceof`, and also true for an error of another installed copy of this package. */
  static is(error: unknown): error is ThreadsError {
    return error instanceof Error && marker in error;
  }
}

/** The codes of this package's errors; a later release may add some, so a `switch` keeps a default. */
export type ThreadsErrorCode =
  | HttpErrorCode
  | "threads/state"
  | "threads/goals-failed"
  | "threads/timeout"
  | "threads/client-tool-definition"
  | "threads/client-tool-declined"
  | (string & Record<never, never>);
