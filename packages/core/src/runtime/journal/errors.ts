import { CoreError } from "../../errors.ts";

/** The system's name for what went wrong, in parentheses. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
}

/** A run id that could name something outside of a store. */
export class RunIdError extends CoreError {
  readonly code = "core/run-id";

  constructor() {
    super(
      "A run id is made of letters, digits, `.`, `_` and `-`, starts with none but a letter or digit, and has at most 200 characters",
    );
  }
}

/** Another writer holds the run. */
export class RunLockedError extends CoreError {
  readonly code = "core/run-locked";
  readonly runId: string;

  constructor({ runId }: { runId: string }) {
    super(
      `The run \`${runId}\` is under way elsewhere; wait until it ends, or stop it, before you go on with it here`,
    );
    this.runId = runId;
  }
}

/** A record could not be written, so the run stopped; the origin is the `cause`. The run can be resumed when the store can be written again. */
export class JournalWriteError extends CoreError {
  readonly code = "core/journal-write";
  readonly runId: string;

  constructor({ runId, cause }: { runId: string; cause: unknown }) {
    super(
      `The journal of the run \`${runId}\` cannot be written${reasonOf(cause)}; make room for it, or make it writable, and resume the run`,
      { cause },
    );
    this.runId = runId;
  }
}

/** A journal, or the store it is in, could not be read; the origin is the `cause`. */
export class JournalReadError extends CoreError {
  readonly code = "core/journal-read";
  /** Null when the list of runs could not be read. */
  readonly runId: string | null;

  constructor({ runId, cause }: { runId: string | null; cause: unknown }) {
    const what = runId === null ? "The journals" : `The journal of the run \`${runId}\``;
    super(`${what} cannot be read${reasonOf(cause)}; make it a readable file of the store's own`, { cause });
    this.runId = runId;
  }
}

/** A journal lacks records that come before others, so the run cannot be rebuilt from it. */
export class JournalDamagedError extends CoreError {
  readonly code = "core/journal-damaged";
  readonly runId: string;

  constructor({ runId, problem }: { runId: string; problem: string }) {
    super(`The run \`${runId}\` cannot be rebuilt: ${problem}`);
    this.runId = runId;
  }
}

/** No journal of this run is in the store. */
export class UnknownRunError extends CoreError {
  readonly code = "core/unknown-run";
  readonly runId: string;

  constructor({ runId }: { runId: string }) {
    super(`There is no run \`${runId}\` in this store`);
    this.runId = runId;
  }
}

/** A run was resumed in the middle of an effect of which nobody knows whether it happened. */
export class OnceUncertainError extends CoreError {
  readonly code = "core/once-uncertain";
  readonly key: string;
  readonly idempotencyKey: string;

  constructor({ key, idempotencyKey }: { key: string; idempotencyKey: string }) {
    super(
      `The effect \`${key}\` was begun and its end was not recorded, so it may or may not have happened; ` +
        'pass `verify` to find out, or `onUncertain: "repeat"` where doing it again under the same key is harmless',
    );
    this.key = key;
    this.idempotencyKey = idempotencyKey;
  }
}

/** A new run was given the id of one that is in the store already. */
export class RunExistsError extends CoreError {
  readonly code = "core/run-exists";
  readonly runId: string;

  constructor({ runId }: { runId: string }) {
    super(
      `The run \`${runId}\` is in this store already; go on with it by resumeRun, or give the new run another id`,
    );
    this.runId = runId;
  }
}

/** A step was asked for that the run has not taken. */
export class UnknownStepError extends CoreError {
  readonly code = "core/unknown-step";
  readonly runId: string;
  readonly step: number;
  /** How many the run has taken. */
  readonly steps: number;

  constructor({ runId, step, steps }: { runId: string; step: number; steps: number }) {
    super(`The run \`${runId}\` has no step ${step}; it has taken ${steps}, and 0 is its beginning`);
    this.runId = runId;
    this.step = step;
    this.steps = steps;
  }
}

/** The errors of journals and of the runs in them. */
export type AnyJournalError =
  | JournalDamagedError
  | JournalReadError
  | JournalWriteError
  | OnceUncertainError
  | RunExistsError
  | RunIdError
  | RunLockedError
  | UnknownRunError
  | UnknownStepError;
