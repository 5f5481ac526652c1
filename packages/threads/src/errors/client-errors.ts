import { ThreadsError } from "./thread-error.ts";

/** A thread is in a state in which this cannot go on. */
export class RobotoThreadStateError extends ThreadsError {
  readonly code: "threads/state" | "threads/goals-failed" = "threads/state";
  readonly threadId: string;
  readonly status: string;

  constructor(
    { message, threadId, status }: { message: string; threadId: string; status: string },
    name = "RobotoThreadStateError",
  ) {
    super(name, message);
    this.threadId = threadId;
    this.status = status;
  }
}

/** The agent gave up with goals unachieved; `goals` of the thread says which. A message lets it go on. */
export class RobotoAgentGoalsFailedException extends RobotoThreadStateError {
  override readonly code = "threads/goals-failed";

  constructor({ threadId }: { threadId: string }) {
    const message = `The agent of thread \`${threadId}\` gave up with goals unachieved; look at \`goals\`, or send a message`;
    super({ message, threadId, status: "goals_failed" }, "RobotoAgentGoalsFailedException");
  }
}

/** The time given was used up. The server goes on working; call again to go on waiting. */
export class RobotoTimeoutError extends ThreadsError {
  readonly code = "threads/timeout";
  readonly timeoutMs: number;
  /** The key of a request that was not answered, with which it can be made again without being done twice. */
  readonly idempotencyKey: string | undefined;

  constructor(facts: {
    readonly what: string;
    readonly timeoutMs: number;
    readonly idempotencyKey?: string | undefined;
  }) {
    super("TimeoutError", `${facts.what} took longer than ${facts.timeoutMs} ms`);
    this.timeoutMs = facts.timeoutMs;
    this.idempotencyKey = facts.idempotencyKey;
  }
}

/** A client tool that cannot be built as it is described. */
export class ClientToolDefinitionError extends ThreadsError {
  readonly code = "threads/client-tool-definition";
  readonly toolName: string | undefined;

  constructor({
    toolName,
    problem,
    cause,
  }: {
    toolName?: string | undefined;
    problem: string;
    cause?: unknown;
  }) {
    super(
      "ClientToolDefinitionError",
      `${toolName === undefined ? "A client tool" : `Client tool \`${toolName}\``} ${problem}`,
      { cause },
    );
    this.toolName = toolName;
  }
}

/** Thrown by a client tool whose user says no; the model is told so, with the reason. */
export class ClientToolDeclined extends ThreadsError {
  readonly code = "threads/client-tool-declined";
  readonly reason: string | undefined;

  constructor(reason?: string) {
    super("ClientToolDeclined", reason ?? "The user declined");
    this.reason = reason;
  }
}
