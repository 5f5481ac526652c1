import { CoreError } from "../errors.ts";
import type { CancelledRun, SuspendedRun } from "./outcome.ts";

/** A snapshot is not one, or is damaged. */
export class SnapshotError extends CoreError {
  readonly code = "core/snapshot";

  constructor(problem: string, options?: ErrorOptions) {
    super(`The run cannot be restored: ${problem}`, options);
  }
}

/** A stored value is of a kind that no tool of the agent declares. */
export class UnknownKindError extends CoreError {
  readonly code = "core/unknown-kind";
  readonly kind: string;

  constructor({ kind }: { kind: string }) {
    super(
      `The run cannot be restored: it holds a \`${kind}\`, a kind that no tool of this agent takes or returns`,
    );
    this.kind = kind;
  }
}

/** The agent's graph is not the one the snapshot was taken of. */
export class AgentChangedError extends CoreError {
  readonly code = "core/agent-changed";
  /** Tools by key, with what happened to them. */
  readonly differences: readonly {
    readonly tool: string;
    readonly change: "added" | "removed" | "changed";
  }[];

  constructor({
    agentName,
    differences,
  }: {
    agentName: string;
    differences: AgentChangedError["differences"];
  }) {
    super(
      `\`${agentName}\` is not what it was when the snapshot was taken: ` +
        `${differences.map(({ tool, change }) => `\`${tool}\` was ${change}`).join(", ")}; pass { allowChanged: true } to go on all the same`,
    );
    this.differences = differences;
  }
}

/** A run was resumed with a reply that it does not wait for, or cannot take. */
export class ReplyError extends CoreError {
  readonly code = "core/reply";
}

/** `complete` was called on a run that waits for a reply. */
export class SuspendedError extends CoreError {
  readonly code = "core/suspended";
  readonly result: SuspendedRun;

  constructor({ agentName, result }: { agentName: string; result: SuspendedRun }) {
    super(
      `The run of \`${agentName}\` waits for a reply to \`${result.toolName}\`; use invoke, and resume with the reply`,
    );
    this.result = result;
  }
}

/** `complete` was called on a run that was cancelled; the reason is the `cause`. */
export class CancelledError extends CoreError {
  readonly code = "core/cancelled";
  readonly result: CancelledRun;

  constructor({ agentName, result }: { agentName: string; result: CancelledRun }) {
    super(`The run of \`${agentName}\` was cancelled`, { cause: result.reason });
    this.result = result;
  }
}

/** A run was stepped while a step of it was under way. */
export class RunBusyError extends CoreError {
  readonly code = "core/run-busy";

  constructor() {
    super("A step of this run is under way; await it before the next one");
  }
}

/** Agents call agents more deeply than is allowed: most likely one calls itself. */
export class NestingError extends CoreError {
  readonly code = "core/nesting";
  readonly maxDepth: number;

  constructor({ agentName, maxDepth }: { agentName: string; maxDepth: number }) {
    super(
      `\`${agentName}\` is ${maxDepth} agents deep and may call no further one; let a tool do the work, or flatten the agents`,
    );
    this.maxDepth = maxDepth;
  }
}

/** A background agent did not report in time that it runs. It was left alone, and may still start. */
export class BackgroundStartError extends CoreError {
  readonly code = "core/background-start";
  readonly agentName: string;
  readonly timeoutMs: number;

  constructor({ agentName, timeoutMs }: { agentName: string; timeoutMs: number }) {
    super(
      `The background agent \`${agentName}\` did not start within ${timeoutMs} ms; see whether its journal can be opened`,
    );
    this.agentName = agentName;
    this.timeoutMs = timeoutMs;
  }
}
