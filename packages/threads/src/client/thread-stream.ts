import { RobotoTimeoutError } from "../errors/client-errors.ts";
import { RobotoHttpException } from "../errors/http-exception.ts";
import { RobotoConnectionError, RobotoResponseError } from "../errors/http-exceptions.ts";
import { threadHeaders } from "../wire/envelope.ts";
import { parseJson } from "../wire/json.ts";
import { problemsOf } from "../wire/problems.ts";
import { threadDeltaSchema, type AgentThreadDelta, type AgentThreadRecord } from "../wire/thread.ts";
import { readAnswer, refusalOf } from "./http/answer.ts";
import { chunksOf } from "./http/chunks.ts";
import { eventsOf } from "./http/event-stream.ts";
import type { ThreadsClient } from "./http/threads-client.ts";
import { wait } from "./http/wait.ts";

/** How long a stream may say nothing, not even that it is alive; servers do so every 15 seconds. */
const silenceMs = 45_000;
/** How often in a row a stream may bring nothing before it is given up. */
const maxFruitless = 3;

/** What a thread's events come over while they come over a stream. */
export class ThreadStream {
  readonly #client: ThreadsClient;
  readonly #record: AgentThreadRecord;
  #fruitless = 0;

  constructor(client: ThreadsClient, record: AgentThreadRecord) {
    this.#client = client;
    this.#record = record;
  }

  /** Whether it is worth opening another stream. */
  get isUsable(): boolean {
    return this.#fruitless < maxFruitless;
  }

  /**
   * What one stream brings after the thread's present position. It ends when the server says that all was sent, when the
   * connection breaks, and after the time given; what comes then is asked for.
   */
  async *deltas(signal: AbortSignal | undefined, forMs: number): AsyncGenerator<AgentThreadDelta, void> {
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort(signal?.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    const { clock } = this.#client;
    const end = (): void => {
      controller.abort();
    };
    const callOff = Number.isFinite(forMs) ? clock.after(Math.max(0, forMs), end) : () => undefined;
    let failure: unknown;
    let count = 0;
    try {
      for await (const delta of this.#read(controller, end)) {
        count += 1;
        yield delta;
      }
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (!controller.signal.aborted && !isBroken(error)) throw error;
      failure = error;
    } finally {
      // Leaving the loop early leaves the connection, too.
      end();
      callOff();
      signal?.removeEventListener("abort", abort);
    }
    this.#fruitless = count > 0 ? 0 : this.#fruitless + 1;
    if (this.#fruitless > 0 && this.isUsable) {
      const delayMs = this.#client.reconnectDelayMs(this.#fruitless, failure);
      await wait(clock, Math.min(delayMs, Math.max(0, forMs)), signal);
    }
  }

  async *#read(controller: AbortController, end: () => void): AsyncGenerator<AgentThreadDelta, void> {
    const { thread_id, continuation_token } = this.#record;
    const { signal } = controller;
    const response = await this.#client.open(
      {
        path: `/v1/ai/threads/${encodeURIComponent(thread_id)}/stream`,
        query: { next_token: continuation_token },
        signal,
      },
      { Accept: "text/event-stream", [threadHeaders.lastEventId]: continuation_token },
    );
    if (response.status === 204) return;
    if (!response.ok) throw refusalOf(await readAnswer(response));
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!isStream || response.body === null) {
      await response.body?.cancel();
      throw new RobotoResponseError({ message: "The server's stream is none", status: response.status });
    }
    const watch = (): (() => void) => this.#client.clock.after(silenceMs, end);
    for await (const { event, data } of eventsOf(chunksOf(response.body, watch))) {
      if (event === "done") return;
      if (event === "error") throw new RobotoConnectionError({ message: "The server ended the stream" });
      if (event === "delta") yield deltaOf(data);
    }
  }
}

function deltaOf(data: string): AgentThreadDelta {
  let given: unknown;
  try {
    given = parseJson(data);
  } catch (cause) {
    throw new RobotoResponseError({ message: "An event of the stream is no JSON", cause });
  }
  const parsed = threadDeltaSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const message = `An event of the stream is no delta: ${problemsOf(parsed.error)}`;
  throw new RobotoResponseError({ message, cause: parsed.error });
}

/** Whether a failure is one of the connection or of streaming, so that asking may still work. */
function isBroken(error: unknown): boolean {
  if (error instanceof RobotoTimeoutError || !(error instanceof RobotoHttpException)) return true;
  return error.code !== "threads/unauthorized" && error.code !== "threads/authentication-failure";
}
