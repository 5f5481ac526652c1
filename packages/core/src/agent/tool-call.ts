import { StopAgent, ToolTimeoutError } from "../errors.ts";
import type { GraphNode } from "../chains/graph.ts";
import { isExternalCallCancelled, isExternalCallInterrupted, isProviderRequestError } from "../llm/errors.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import { runBody } from "../tools/call.ts";
import type { ToolContext } from "../tools/context.ts";
import type { AnyValue } from "../values/value.ts";
import { parentOf, withParent } from "./nesting.ts";

/** The run is over because somebody gave it up. */
export class Cancellation extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("cancelled");
    this.reason = reason;
  }
}

/** What a tool's body threw; told apart from what the framework throws around it. */
export class BodyFailure extends Error {
  readonly node: GraphNode;

  constructor(node: GraphNode, cause: unknown) {
    super("a tool failed", { cause });
    this.node = node;
  }
}

/** Calls tools for one run, and stops waiting for them the moment it is cancelled. */
export class ToolCaller {
  readonly #pipe: EventPipe;
  readonly #context: ToolContext;
  #abandon: ((reason: Error) => void) | undefined;

  constructor(pipe: EventPipe, context: ToolContext) {
    this.#pipe = pipe;
    this.#context = context;
    pipe.onCancel = (reason) => this.#abandon?.(new Cancellation(reason));
  }

  /**
   * Runs a tool's body on an input made for it, again after a failure as often as the tool allows.
   *
   * @returns What it returned, unchecked; a promise only when the body works asynchronously.
   * @throws {@link BodyFailure} with what the body threw; {@link Cancellation} when the run was cancelled meanwhile.
   */
  call(node: GraphNode, input: AnyValue): unknown {
    const { tool } = node;
    if (tool.retries > 0 || tool.timeoutMs !== undefined) return this.#callPatiently(node, input);
    try {
      const returned = runBody(tool, input, this.#context);
      return isPromise(returned) ? this.#settled(node, returned) : returned;
    } catch (error) {
      throw this.#failure(node, error);
    }
  }

  /** Lets a tool that suspended work the reply into an output; throws as `call` does. */
  resume(node: GraphNode, reply: unknown, state: unknown): unknown {
    try {
      const returned = node.tool.suspends?.resume?.(reply, state, this.#context);
      return isPromise(returned) ? this.#settled(node, returned) : returned;
    } catch (error) {
      throw this.#failure(node, error);
    }
  }

  async #callPatiently(node: GraphNode, input: AnyValue): Promise<unknown> {
    const { retries } = node.tool;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#settled(node, this.#timed(node, input));
      } catch (error) {
        const cause = error instanceof BodyFailure ? error.cause : undefined;
        if (
          attempt >= retries ||
          cause === undefined ||
          isProviderRequestError(cause) ||
          isExternalCallInterrupted(cause)
        )
          throw error;
        this.#pipe.runtime("tool", "retrying", "warning", `Tool \`${node.name}\` failed and is tried again`, {
          tool: node.name,
          attempt: attempt + 2,
          max_attempts: retries + 1,
          error_type: errorType(cause),
        });
      }
    }
  }

  /** One attempt, within the tool's time. */
  async #timed({ name, tool }: GraphNode, input: AnyValue): Promise<unknown> {
    const { timeoutMs } = tool;
    if (timeoutMs === undefined) return runBody(tool, input, this.#context);
    const time = new AbortController();
    const timeUp = new ToolTimeoutError({ toolName: name, timeoutMs });
    const context = withSignal(this.#context, AbortSignal.any([this.#context.signal, time.signal]));
    const timer = setTimeout(() => {
      time.abort(timeUp);
    }, timeoutMs);
    try {
      return await Promise.race([
        runBody(tool, input, context),
        new Promise((_resolve, reject) => {
          time.signal.addEventListener("abort", () => {
            reject(timeUp);
          });
        }),
      ]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What the promise gives, unless the run is cancelled first; what comes later is ignored. */
  async #settled(node: GraphNode, promise: PromiseLike<unknown>): Promise<unknown> {
    try {
      return await new Promise((resolve, reject) => {
        this.#abandon = reject;
        promise.then(resolve, reject);
        if (this.#pipe.isCancelled) reject(new Cancellation(this.#pipe.cancelReason));
      });
    } catch (error) {
      throw this.#failure(node, error);
    } finally {
      this.#abandon = undefined;
    }
  }

  #failure(node: GraphNode, error: unknown): Error {
    if (error instanceof Cancellation) return error;
    if (this.#pipe.isCancelled) return new Cancellation(this.#pipe.cancelReason);
    if (error instanceof StopAgent || isExternalCallCancelled(error)) return new Cancellation(error);
    return new BodyFailure(node, error);
  }
}

/** The same context with another signal. */
function withSignal(context: ToolContext, signal: AbortSignal): ToolContext {
  const { messages, io, runId, once, emit, replaceMessages } = context;
  const changed: ToolContext = { messages, signal, io, runId, once, emit, replaceMessages };
  const parent = parentOf(context);
  return parent === undefined ? changed : withParent(changed, parent);
}

function isPromise(returned: unknown): returned is PromiseLike<unknown> {
  return (
    typeof returned === "object" &&
    returned !== null &&
    "then" in returned &&
    typeof returned.then === "function"
  );
}

/** What kind of error something thrown is; never its text, which may hold a secret. */
function errorType(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
