import type { BigIntStats } from "node:fs";

import type { FileAccess } from "../files/access.ts";
import type { Needs } from "../permissions/guard.ts";
import type { RequiredPermission } from "../permissions/operation.ts";

/** The names a `CMD` token may have. */
export const commandNames = Object.freeze([
  "cp",
  "mv",
  "pwd",
  "cat",
  "head",
  "tail",
  "wc",
  "tee",
  "touch",
  "mkdir",
  "grep",
  "rg",
  "ls",
  "find",
  "diff",
  "gio",
  "rm",
] as const);
export type CommandName = (typeof commandNames)[number];

/** The commands that change files: when a run is resumed, they must not happen a second time. */
export const changingCommands: ReadonlySet<CommandName> = new Set([
  "cp",
  "mv",
  "tee",
  "touch",
  "mkdir",
  "gio",
  "rm",
] as const);

/** A token of one command after its `CMD`. */
export interface CommandToken {
  readonly text: string;
  /** An option, a plain argument, or a path. */
  readonly tag: "FLG" | "ARG" | "PTH";
}

/** An option under all its spellings. */
export interface OptionSpec {
  /** What the parsed options are asked for; the long name without its dashes, such as `"lines"`. */
  readonly key: string;
  /** Exact tokens, such as `["-n", "--lines"]`. */
  readonly forms: readonly string[];
  /** The tag that the next token must carry, for an option with a value. */
  readonly value?: "ARG" | "PTH";
  /** Whether the value must be an unsigned decimal of ASCII digits. */
  readonly isCount?: boolean;
}

/** What a command takes before its operands. `--` is always taken, except when `hasNoEnd` says otherwise. */
export interface OptionTable {
  readonly options: readonly OptionSpec[];
  /** Keys that exclude each other. */
  readonly conflicts?: readonly (readonly [string, string])[];
  /** For `gio` and `pwd`, which take no `--`. */
  readonly hasNoEnd?: boolean;
}

/** A command whose options were parsed with its table. */
export interface GivenCommand {
  /** Values by key; `true` for an option without one. */
  readonly options: ReadonlyMap<string, string | true>;
  /** In order, each an `ARG` or a `PTH`. */
  readonly operands: readonly CommandToken[];
  /** All tokens as they came, for a command that has no table. */
  readonly tokens: readonly CommandToken[];
}

/** A path that a token stands for. No component on the way to it is a link. */
export interface PathOperand {
  /** What the command shows and says: the token, or the match in its spelling. */
  readonly spelled: string;
  /** Absolute and canonical; bytes that are no UTF-8 stand as lone surrogates U+DC80 to U+DCFF. */
  readonly location: string;
  /** What stands there, not followed; undefined when nothing does. */
  readonly stats: BigIntStats | undefined;
  /** Whether a directory holds, or could hold, this name. */
  readonly hasParent: boolean;
  /** Whether the spelling ends in `/`, `/.` or `/..`. */
  readonly asksForDirectory: boolean;
}

/** How a path token is read. */
export interface PathOptions {
  /** Lets the last component be a symbolic link, for commands that remove the link itself. */
  readonly mayEndInLink?: boolean;
}

/** Reads path tokens. Everything that cannot be used is a {@link CommandRefusal}. */
export interface PathTokens {
  /** One path; a `*` in it is refused. */
  readonly literal: (text: string, options?: PathOptions) => Promise<PathOperand>;
  /** What a source pattern matches, in byte order, or the one path of a text without `*`. Never empty. */
  readonly source: (text: string, options?: PathOptions) => Promise<readonly PathOperand[]>;
}

/** What a command is prepared with: it may look, but change nothing. */
export interface PrepareContext {
  readonly access: FileAccess;
  readonly paths: PathTokens;
  /**
   * Whether a person may have to be asked. What was looked at is compared then after the reply, so that looks cannot be
   * put off until the command runs.
   */
  readonly mayAsk: boolean;
  /** Fires when the run is cancelled. */
  readonly signal: AbortSignal;
  /**
   * Fails with a {@link CommandRefusal} once 60 s of walking are over, for all operands and patterns of one command
   * together; to be called between looks at the file system.
   *
   * @param work - What the message names, such as "Search" or "Deletion".
   */
  readonly checkBudget: (work: string) => void;
}

/** A command that is ready to run, and what that needs. */
export interface PreparedCommand extends Needs {
  /** The arguments as the report shows them, after the name; never inline text. */
  readonly shown: readonly string[];
  /**
   * What was looked at, as text that differs when something else stands there. It is compared with that of a second
   * preparation when a person was asked in between, and a difference voids the approval.
   */
  readonly fingerprint: () => string;
  /**
   * Does the effect and gives the exit status. Failures that the program itself would report are written to `stderr`; an
   * exception ends the whole sequence as an execution error. `PreparedCommand` must not be run twice.
   *
   * @throws {@link CommandRefusal} for what only a look at each file shows, as long as nothing was changed or written.
   */
  readonly run: (io: CommandIo) => Promise<number>;
}

/** The streams of a running command, and what limits it. */
export interface CommandIo {
  /**
   * The bytes of the step before; null when there is none. Each chunk is good until the next one is asked for. Nothing
   * ever comes from the host's own input.
   */
  readonly stdin: AsyncIterable<Uint8Array> | null;
  readonly stdout: ByteSink;
  readonly stderr: ByteSink;
  /** Fires when the run is cancelled or 60 s are over; `run` then rejects with its reason. */
  readonly signal: AbortSignal;
  /** Whether the policy lets this be read without asking, for `ls` and `find`, which leave out the other entries. */
  readonly mayRead: (location: string) => boolean;
  /** Notes that entries were left out; the report gives the sum. */
  readonly leftOut: (count: number) => void;
}

/** Where a command's output goes. */
export interface ByteSink {
  /**
   * Takes bytes. They may change once this has returned, or its promise has resolved, which is to be awaited before more
   * is written: what is kept is a copy. Throws, or rejects, when the output has become too large, which `run` must let
   * through.
   */
  readonly write: (bytes: Uint8Array) => void | Promise<void>;
}

/** One of the file commands. */
export interface CommandDefinition {
  readonly name: CommandName;
  /** Null for `ls` and `find`, which read their tokens themselves. */
  readonly options: OptionTable | null;
  /**
   * Works out what the command would do, without doing it.
   *
   * @throws {@link CommandRefusal} for what cannot or must not be done; other exceptions are bugs.
   */
  readonly prepare: (given: GivenCommand, context: PrepareContext) => Promise<PreparedCommand>;
}

/** A command cannot be prepared: it ends with status 1 and this message, and nothing was done. */
export class CommandRefusal extends Error {
  /**
   * What the message gives away something about. When the policy denies one of these, that denial is reported instead,
   * without asking anybody: a refusal must not tell what stands, or does not stand, where nobody may look.
   */
  readonly needs: readonly RequiredPermission[];

  constructor(message: string, needs: readonly RequiredPermission[] = []) {
    super(message);
    this.name = "CommandRefusal";
    this.needs = needs;
  }
}
