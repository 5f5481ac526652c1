import { ToolTimeoutError } from "../errors.ts";
import type { GraphNode } from "../chains/graph.ts";
import { isCancelled } from "../llm/errors.ts";
import { systemClock } from "../runtime/clock.ts";
import type { EventPipe } from "../runtime/pipe.ts";
import { runBody } from "../tools/call.ts";
import type { ToolContext } from "../tools/context.ts";
import type { AnyValue } from "../values/value.ts";
import { ToolCall, type Replacement } from "./call-context.ts";
import { recoveryReason } from "./recovery.ts";
import type { StepContext } from "./step-context.ts";

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
  constructor(cause: unknown) {
    super("a tool failed", { cause });
  }
}

/** Calls tools for one run, one at a time, and stops waiting for them the moment it is cancelled. */
export class ToolCaller {
  readonly #pipe: EventPipe;
  readonly #shared: StepContext;
  #call: ToolCall | undefined;
  #abandon: ((reason: Error) => void) | undefined;

  constructor(pipe: EventPipe, shared: StepContext) {
    this.#pipe = pipe;
    this.#shared = shared;
    pipe.onCancel = (reason) => this.#abandon?.(new Cancellation(reason));
  }

  /**
   * Runs a tool's body on an input made for it, again after a failure as often as the tool allows. `close` ends the call.
   *
   * @returns What it returned, unchecked; a promise only when the body works asynchronously.
   * @throws {@link BodyFailure} with what the body threw; {@link Cancellation} when the run was cancelled meanwhile.
   */
  call(node: GraphNode, input: AnyValue): unknown {
    const { tool } = node;
    if (tool.retries > 0 || tool.timeoutMs !== undefined) return this.#callPatiently(node, input);
    try {
      const returned = runBody(tool, input, this.#context());
      return isPromise(returned) ? this.#settled(returned) : returned;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Lets a tool that suspended work the reply into an output; otherwise as `call`. */
  resume(node: GraphNode, reply: unknown, state: unknown): unknown {
    try {
      const returned = node.tool.suspends?.resume?.(reply, state, this.#context());
      return isPromise(returned) ? this.#settled(returned) : returned;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Ends the call under way: its tool has no hold on history any more. Gives the changes it asked for. */
  close(): readonly Replacement[] {
    const call = this.#call;
    this.#call = undefined;
    return call?.close() ?? [];
  }

  #context(signal?: AbortSignal): ToolContext {
    this.#call = new ToolCall(this.#shared, signal);
    return this.#call.context;
  }

  async #callPatiently(node: GraphNode, input: AnyValue): Promise<unknown> {
    const { retries } = node.tool;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#settled(this.#timed(node, input));
      } catch (error) {
        if (
          !(error instanceof BodyFailure) ||
          attempt >= retries ||
          recoveryReason(error.cause) !== undefined
        )
          throw error;
        this.close();
        this.#pipe.runtime("tool", "retrying", "warning", `Tool \`${node.name}\` failed and is tried again`, {
          tool: node.name,
          attempt: attempt + 2,
          max_attempts: retries + 1,
          error_type: errorType(error.cause),
        });
      }
    }
  }

  /** One attempt, within the tool's time. */
  async #timed({ name, tool }: GraphNode, input: AnyValue): Promise<unknown> {
    const { timeoutMs } = tool;
    if (timeoutMs === undefined) return runBody(tool, input, this.#context());
    const time = new AbortController();
    const timeUp = new ToolTimeoutError({ toolName: name, timeoutMs });
    const signal = AbortSignal.any([this.#shared.signal, time.signal]);
    const stopClock = systemClock.after(timeoutMs, () => {
      time.abort(timeUp);
    });
    try {
      return await new Promise((resolve, reject) => {
        const giveUp = (): void => {
          reject(time.signal.aborted ? timeUp : new Cancellation(signal.reason));
        };
        signal.addEventListener("abort", giveUp, { once: true });
        Promise.resolve(runBody(tool, input, this.#context(signal))).then(resolve, reject);
      });
    } finally {
      stopClock();
    }
  }

  /** What the promise gives, unless the run is cancelled first; what comes later is ignored. */
  async #settled(promise: PromiseLike<unknown>): Promise<unknown> {
    try {
      return await new Promise((resolve, reject) => {
        this.#abandon = reject;
        promise.then(resolve, reject);
        if (this.#pipe.isCancelled) reject(new Cancellation(this.#pipe.cancelReason));
      });
    } catch (error) {
      throw this.#failure(error);
    } finally {
      this.#abandon = undefined;
    }
  }

  #failure(error: unknown): Error {
    if (error instanceof Cancellation) return error;
    if (this.#pipe.isCancelled) return new Cancellation(this.#pipe.cancelReason);
    return isCancelled(error) ? new Cancellation(error) : new BodyFailure(error);
  }
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
