import { stringifyJson } from "../wire/json.ts";
import { threadHeaders } from "../wire/envelope.ts";
import type { AgentThreadDelta } from "../wire/thread.ts";
import type { Caller } from "../store/caller.ts";
import { readDelta } from "../store/delta.ts";
import { threadFor } from "../store/threads.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { failureAnswer, tooMany } from "./answer.ts";
import type { Call } from "./call.ts";
import type { ServerLimits } from "./limits.ts";

/** What streams work with. */
export interface StreamParts {
  readonly store: ThreadStore;
  readonly limits: ServerLimits;
  /** Who reads, asked anew. Throws when the token is none any more. */
  readonly again: () => Promise<Caller>;
  /** Fires when the server is about to end. */
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** How often a reader hears that the stream is still there, in milliseconds. */
const heartbeatMs = 15_000;
/** How often a store that others share is looked at though nothing was heard of it: words of other processes may be lost. */
const sharedLookMs = 5000;
/** How long a reader may leave what was sent to it unread. */
const lagMs = 30_000;

/** Streams that are open, by their principals. */
export class OpenStreams {
  readonly #open = new Map<string, number>();

  /** Counts a stream in; gives what counts it out again. */
  enter(principal: string, most: number): () => void {
    const open = this.#open.get(principal) ?? 0;
    if (open >= most) throw tooMany("streams", most, 5);
    this.#open.set(principal, open + 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      const left = (this.#open.get(principal) ?? 1) - 1;
      if (left === 0) this.#open.delete(principal);
      else this.#open.set(principal, left);
    };
  }
}

/**
 * Follows a thread from a position on, as server-sent events, until it pauses.
 *
 * @returns undefined when it is paused already and there is nothing new.
 */
export async function openStream(
  call: Call,
  parts: StreamParts,
  leave: () => void,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const threadId = call.parameter("thread_id");
  const token = call.headers.get(threadHeaders.lastEventId) ?? call.query.get("next_token") ?? "";
  const follower = new Follower(threadId, token, parts, leave);
  const first = await follower.read(call.caller);
  if (isPaused(first) && isNothing(first, token)) {
    leave();
    return undefined;
  }
  return follower.stream(first);
}

function isPaused({ status, has_more }: AgentThreadDelta): boolean {
  return !has_more && status !== null && status !== "roboto_turn";
}

function isNothing({ continuation_token }: AgentThreadDelta, token: string): boolean {
  return continuation_token === token;
}

/** One reader of a thread. It is asked for each piece, so that nothing piles up for one that does not read. */
class Follower {
  readonly #threadId: string;
  readonly #parts: StreamParts;
  readonly #leave: () => void;
  readonly #stopListening: () => void;
  #token: string;
  #isDone = false;
  #isChanged = true;
  #wake = (): void => undefined;
  #lag: NodeJS.Timeout | undefined;

  constructor(threadId: string, token: string, parts: StreamParts, leave: () => void) {
    this.#threadId = threadId;
    this.#token = token;
    this.#parts = parts;
    this.#leave = leave;
    this.#stopListening = parts.store.onThread((changed) => {
      if (changed !== threadId) return;
      this.#isChanged = true;
      this.#wake();
    });
    parts.stopping.addEventListener("abort", this.#onStop, { once: true });
  }

  read(caller: Caller): Promise<AgentThreadDelta> {
    const { store, limits } = this.#parts;
    return store
      .read(async (view) => {
        const row = await threadFor(view, this.#threadId, caller, "read");
        return readDelta(view, row, this.#token, limits.delta);
      })
      .catch((error: unknown) => {
        this.#end();
        throw error;
      });
  }

  stream(first: AgentThreadDelta): ReadableStream<Uint8Array> {
    let next: AgentThreadDelta | undefined = first;
    const encoder = new TextEncoder();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          clearTimeout(this.#lag);
          const piece = await this.#next(next);
          next = undefined;
          if (this.#isDone && piece === "") return;
          controller.enqueue(encoder.encode(piece));
          if (this.#isDone) {
            this.#end();
            controller.close();
            return;
          }
          this.#lag = setTimeout(() => {
            this.#end();
            controller.error(new Error("the reader does not read"));
          }, lagMs);
        },
        cancel: () => {
          this.#end();
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** The next piece to send: waits until there is one. */
  async #next(given: AgentThreadDelta | undefined): Promise<string> {
    let delta = given;
    const beatAt = performance.now() + heartbeatMs;
    try {
      for (;;) {
        if (delta === undefined) {
          const lookMs = this.#parts.store.database.isShared ? sharedLookMs : heartbeatMs;
          await this.#changed(Math.min(lookMs, Math.max(1, beatAt - performance.now())));
          if (this.#parts.stopping.aborted) return this.#done("");
          this.#isChanged = false;
          delta = await this.read(await this.#parts.again());
        }
        if (!isNothing(delta, this.#token) || isPaused(delta)) return this.#sent(delta);
        if (performance.now() >= beatAt) return ": still here\n\n";
        delta = undefined;
      }
    } catch (error) {
      const { body, isOurs } = failureAnswer(error);
      if (isOurs) this.#parts.onError(error);
      return this.#done(`event: error\ndata: ${body}\n\n`);
    }
  }

  #sent(delta: AgentThreadDelta): string {
    const isNew = !isNothing(delta, this.#token);
    this.#token = delta.continuation_token;
    if (delta.has_more) this.#isChanged = true;
    const event = isNew ? `event: delta\nid: ${this.#token}\ndata: ${stringifyJson(delta)}\n\n` : "";
    if (!isPaused(delta)) return event;
    return this.#done(`${event}event: done\ndata: ${stringifyJson({ status: delta.status })}\n\n`);
  }

  #done(piece: string): string {
    this.#isDone = true;
    return piece;
  }

  async #changed(atMostMs: number): Promise<void> {
    if (this.#isChanged) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, atMostMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  readonly #onStop = (): void => {
    this.#wake();
  };

  #end(): void {
    this.#isDone = true;
    clearTimeout(this.#lag);
    this.#stopListening();
    this.#parts.stopping.removeEventListener("abort", this.#onStop);
    this.#wake();
    this.#leave();
  }
}
