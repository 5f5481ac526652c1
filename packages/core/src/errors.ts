import type {
  AgentChangedError,
  BackgroundStartError,
  CancelledError,
  NestingError,
  ReplyError,
  RunBusyError,
  SnapshotError,
  SuspendedError,
  UnknownKindError,
} from "./agent/errors.ts";
import type { FailedRun } from "./agent/outcome.ts";
import type { DependencyError, ExecutableNotFoundError } from "./dependencies/errors.ts";
import type { AnyExternalCallError, AnyLLMError } from "./llm/errors.ts";
import type { AnyJournalError } from "./runtime/journal/errors.ts";
import type { AnyDocumentError } from "./runtime/persistence/errors.ts";
import type { ReplayDivergedError } from "./replay/errors.ts";
import type { MockScriptError } from "./llm/mock.ts";
import type { AnySkillError } from "./skills/errors.ts";

const marker = Symbol.for("@roboz/core/error");

/** The base of every error this package throws. */
export abstract class CoreError extends Error {
  /** Stable, for programs; the message is for people and may change in a patch. */
  abstract readonly code: CoreErrorCode;
  /** What the run had reached, when this error ended one. */
  declare readonly run?: FailedRun;
  readonly [marker] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Like `instanceof`, and also true for an error of another installed copy of this package. */
  static is(error: unknown): error is AnyCoreError {
    return error instanceof Error && marker in error;
  }
}

/** Every error this package throws, told apart by `code`. */
export type AnyCoreError =
  | AgentChangedError
  | AgentDefinitionError
  | AmbiguousLinkError
  | AnyDocumentError
  | AnyExternalCallError
  | AnyJournalError
  | AnyLLMError
  | BackgroundStartError
  | AnySkillError
  | CancelledError
  | DependencyError
  | ExecutableNotFoundError
  | HistoryChangeError
  | LimitReachedError
  | LinkInputError
  | MessageError
  | MockScriptError
  | NameError
  | NestingError
  | ReplayDivergedError
  | ReplyError
  | RunBusyError
  | RunFailedError
  | SnapshotError
  | StopAgent
  | SuspendedError
  | ToolDefinitionError
  | ToolInputError
  | ToolOutputError
  | ToolTimeoutError
  | UnknownKindError
  | UnknownToolError
  | UserInputUnavailableError
  | ValueError
  | ValueTypeError;

/** The codes of {@link AnyCoreError}. */
export type CoreErrorCode = AnyCoreError["code"];

const longestName = 80;

/** A name that somebody gave, as a message shows it: on one line, and never at length. */
function named(given: string): string {
  const line = given.replace(/\s+/g, " ");
  return `\`${line.length > longestName ? `${line.slice(0, longestName)}…` : line}\``;
}

/** A name of a tool, factory, skill, value kind or agent breaks the naming rules. */
export class NameError extends CoreError {
  readonly code = "core/name";
  readonly given: unknown;

  constructor({ what, given, rule }: { what: string; given: unknown; rule: string }) {
    super(`${what} must be named ${rule}; got ${typeof given === "string" ? named(given) : typeof given}`);
    this.given = given;
  }
}

/** A value type is declared wrongly: a reserved field, or a schema whose output is not plain JSON. */
export class ValueTypeError extends CoreError {
  readonly code = "core/value-type";
  readonly kind: string;

  constructor({ kind, problem, cause }: { kind: string; problem: string; cause?: unknown }) {
    super(`The value type \`${kind}\` ${problem}`, { cause });
    this.kind = kind;
  }
}

/** A value was created from fields or metadata that its type rejects. `cause` is the `ZodError`, where there is one. */
export class ValueError extends CoreError {
  readonly code = "core/value";
  readonly kind: string;

  constructor({ kind, problem, cause }: { kind: string; problem: string; cause?: unknown }) {
    super(`\`${kind}\` was given ${problem}`, { cause });
    this.kind = kind;
  }
}

/** A message was built from parts that do not make one. */
export class MessageError extends CoreError {
  readonly code = "core/message";

  constructor(problem: string, options?: ErrorOptions) {
    super(`A message ${problem}`, options);
  }
}

/** A tool, factory or link is declared wrongly. */
export class ToolDefinitionError extends CoreError {
  readonly code = "core/tool-definition";
  readonly toolName: string;

  constructor({ toolName, problem, cause }: { toolName: string; problem: string; cause?: unknown }) {
    super(`\`${toolName}\` ${problem}`, { cause });
    this.toolName = toolName;
  }
}

/** What is wrong with an agent's definition: `code` is stable, the tools are named. */
export interface AgentProblem {
  readonly code:
    | "settings"
    | "duplicate-name"
    | "duplicate-id"
    | "unknown-parent"
    | "misfit"
    | "uncovered-output"
    | "always-stops"
    | "invoke-parent"
    | "default-with-parents"
    | "default-returns-invoke"
    | "ambiguous-fork"
    | "endless-cycle"
    | "stop-type"
    | "kind-clash"
    | "skill-prerequisite";
  readonly message: string;
  readonly toolNames: readonly string[];
}

/** An agent is declared wrongly; `problems` has every mistake that was found, not only the first. */
export class AgentDefinitionError extends CoreError {
  readonly code = "core/agent-definition";
  readonly agentName: string;
  readonly problems: readonly AgentProblem[];

  constructor({ agentName, problems }: { agentName: string; problems: readonly AgentProblem[] }) {
    const [only] = problems;
    super(
      problems.length === 1 && only !== undefined
        ? `Agent \`${agentName}\`: ${only.message}`
        : `Agent \`${agentName}\` has ${problems.length} problems:\n${problems.map((problem) => `- ${problem.message}`).join("\n")}`,
    );
    this.agentName = agentName;
    this.problems = problems;
  }
}

/** A tool was given a value its input schema rejects. `cause` is the `ZodError`. */
export class ToolInputError extends CoreError {
  readonly code = "core/tool-input";
  readonly toolName: string;

  constructor({ toolName, cause }: { toolName: string; cause: unknown }) {
    super(`\`${toolName}\` was given a value its input schema rejects`, { cause });
    this.toolName = toolName;
  }
}

/** A tool returned something it does not declare in `output`. */
export class ToolOutputError extends CoreError {
  readonly code = "core/tool-output";
  readonly toolName: string;

  constructor({
    toolName,
    returned,
    declared,
  }: {
    toolName: string;
    returned: string;
    declared: readonly string[];
  }) {
    super(
      `\`${toolName}\` returned ${returned}; it declares ${declared.map((kind) => `\`${kind}\``).join(" or ")}. ` +
        "Return a value made by one of these types, or declare the type in `output`",
    );
    this.toolName = toolName;
  }
}

/** A link was followed for a value that its child does not accept. */
export class LinkInputError extends CoreError {
  readonly code = "core/link-input";
  readonly parentName: string;
  readonly childName: string;

  constructor({
    parentName,
    childName,
    kind,
    cause,
  }: {
    parentName: string;
    childName: string;
    kind: string;
    cause: unknown;
  }) {
    super(
      `\`${parentName}\` returned \`${kind}\`, the link to \`${childName}\` was followed, and \`${childName}\` does not accept it; ` +
        "let the condition of the link test the type, for example with `Type.is`",
      { cause },
    );
    this.parentName = parentName;
    this.childName = childName;
  }
}

/** More than one link of a tool was true for its output. */
export class AmbiguousLinkError extends CoreError {
  readonly code = "core/ambiguous-link";
  readonly parentName: string;
  readonly candidates: readonly string[];

  constructor({ parentName, candidates }: { parentName: string; candidates: readonly string[] }) {
    super(
      `More than one link of \`${parentName}\` is true for its output: ${candidates.map((name) => `\`${name}\``).join(", ")}; ` +
        "give them conditions of which at most one is true",
    );
    this.parentName = parentName;
    this.candidates = candidates;
  }
}

/** A tool asked for an action that is no active tool of the agent. */
export class UnknownToolError extends CoreError {
  readonly code = "core/unknown-tool";
  readonly action: string;
  readonly known: readonly string[];

  constructor({ caller, action, known }: { caller: string; action: string; known: readonly string[] }) {
    super(
      `${caller} called ${named(action)}; it may call ${known.length === 0 ? "no tool" : known.map((name) => `\`${name}\``).join(", ")}`,
    );
    this.action = action;
    this.known = known;
  }
}

/** A tool asked for a change of history that cannot be made; nothing was changed. */
export class HistoryChangeError extends CoreError {
  readonly code = "core/history-change";

  /** @param problem - Goes on from "The change of history". */
  constructor(problem: string) {
    super(`The change of history ${problem}`);
  }
}

/** A tool did not finish within its `timeoutMs`. */
export class ToolTimeoutError extends CoreError {
  readonly code = "core/tool-timeout";
  readonly toolName: string;
  readonly timeoutMs: number;

  constructor({ toolName, timeoutMs }: { toolName: string; timeoutMs: number }) {
    super(`\`${toolName}\` did not finish within ${timeoutMs} ms`);
    this.toolName = toolName;
    this.timeoutMs = timeoutMs;
  }
}

export type LimitName = "llmCalls" | "steps" | "toolFailures" | "repeats" | "tokens" | "costUsd" | "wallMs";

/** A run passed one of its limits. Its messages are on `run`; a higher limit, or `null`, lets it go further. */
export class LimitReachedError extends CoreError {
  readonly code = "core/limit-reached";
  readonly limit: LimitName;
  readonly allowed: number;

  constructor({ limit, allowed, detail }: { limit: LimitName; allowed: number; detail?: string }) {
    super(`The run reached its limit \`${limit}\` of ${allowed}${detail === undefined ? "" : `: ${detail}`}`);
    this.limit = limit;
    this.allowed = allowed;
  }
}

/** Thrown by a tool to end its run as cancelled. */
export class StopAgent extends CoreError {
  readonly code = "core/stop-agent";

  constructor(message = "A tool ended the run") {
    super(message);
  }
}

/** Nobody can be asked: no user channel is bound, or its input has ended. */
export class UserInputUnavailableError extends CoreError {
  readonly code = "core/user-input-unavailable";

  constructor(message = "No user channel is bound, so nobody can be asked; pass one as `io` to the run") {
    super(message);
  }
}

/** A non-error was thrown, or an error that could not carry the run's state; the origin is the `cause`. */
export class RunFailedError extends CoreError {
  readonly code = "core/run-failed";

  constructor({ agentName, cause }: { agentName: string; cause: unknown }) {
    super(`The run of \`${agentName}\` failed`, { cause });
  }
}
