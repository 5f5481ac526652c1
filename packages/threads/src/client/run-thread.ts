import {
  RobotoAgentGoalsFailedException,
  RobotoThreadStateError,
  RobotoTimeoutError,
} from "../errors/client-errors.ts";
import type { ClientToolResult } from "../wire/client-tools.ts";
import type { Follower } from "./follower.ts";
import type { HeldThread } from "./held-thread.ts";
import type { ThreadsClient } from "./http/threads-client.ts";
import { reasonOf } from "./http/wait.ts";
import type { RunOptions } from "./thread-options.ts";
import { answerCalls, waitingCalls } from "./tools/dispatch.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";

/** What running a thread takes of it. */
export interface ThreadParts {
  readonly client: ThreadsClient;
  readonly held: HeldThread;
  readonly follower: Follower;
  readonly tools: ToolRegistry;
  readonly submit: (results: readonly ClientToolResult[], signal: AbortSignal | undefined) => Promise<void>;
}

/** Follows the agent and answers its client tools until it is the user's turn. */
export async function runThread(parts: ThreadParts, options: RunOptions): Promise<void> {
  const { client, held, follower } = parts;
  const { onEvent, timeoutMs, signal } = options;
  const { clock } = client;
  const { thread_id: threadId } = held.record;
  const started = clock.now();
  const leftMs = (): number | undefined =>
    timeoutMs === undefined ? undefined : timeoutMs - (clock.now() - started);
  for (;;) {
    const left = leftMs();
    if (timeoutMs !== undefined && left !== undefined && left <= 0) {
      throw new RobotoTimeoutError({ what: `Running thread \`${threadId}\``, timeoutMs });
    }
    for await (const event of follower.events({ ...options, timeoutMs: left })) await onEvent?.(event);
    const { status } = held.record;
    switch (status) {
      case "user_turn":
        return;
      case "client_tool_turn":
        await answerTools(parts, options, leftMs());
        break;
      case "goals_failed":
        throw new RobotoAgentGoalsFailedException({ threadId });
      default: {
        const message = `Thread \`${threadId}\` has the status \`${status}\`, in which it cannot be run`;
        throw new RobotoThreadStateError({ message, threadId, status });
      }
    }
    if (signal?.aborted === true) throw reasonOf(signal);
  }
}

/** Runs the tools that the thread waits for, and submits what they answer in one request, whatever time it took. */
async function answerTools(
  { client, held, tools, submit }: ThreadParts,
  { signal, parallelClientTools = false }: RunOptions,
  leftMs: number | undefined,
): Promise<void> {
  const calls = waitingCalls(held.record, tools);
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(signal?.reason);
  };
  const callOff =
    leftMs === undefined
      ? () => undefined
      : client.clock.after(Math.max(0, leftMs), () => {
          controller.abort(new DOMException("The time of the run is used up", "TimeoutError"));
        });
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const results = await answerCalls(calls, {
      threadId: held.record.thread_id,
      registry: tools,
      clock: client.clock,
      masked: (text) => client.masked(text),
      signal,
      toolSignal: controller.signal,
      isParallel: parallelClientTools,
    });
    await submit(results, signal);
  } finally {
    callOff();
    signal?.removeEventListener("abort", abort);
  }
}
