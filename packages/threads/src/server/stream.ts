import { stringifyJson } from "../wire/json.ts";
import { threadHeaders } from "../wire/envelope.ts";
import type { AgentThreadDelta } from "../wire/thread.ts";
import { refusalOf, type Caller } from "../store/caller.ts";
import type { ThreadRow } from "../store/thread-row.ts";
import { failureAnswer, tooMany } from "./answer.ts";
import type { Call } from "./call.ts";
import type { Look, ThreadWatches, WatchSeat } from "./thread-watch.ts";

/** What streams work with. */
export interface StreamParts {
  readonly watches: ThreadWatches;
  /** Who reads, asked anew. Throws when the token is none any more. */
  readonly again: () => Promise<Caller>;
  /** Fires when the server is about to end. */
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** How often a reader hears that the stream is still there, in milliseconds. */
const heartbeatMs = 15_000;
/** After how many of these it is looked at whether the reader may still be there. */
const beatsOfTrust = 4;
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
  const first = await follower.open(call.caller);
  if (isPaused(first.delta) && first.event === undefined) {
    follower.end();
    return undefined;
  }
  return follower.stream(first);
}

function isPaused({ status, has_more }: AgentThreadDelta): boolean {
  return !has_more && status !== null && status !== "roboto_turn";
}

const encoder = new TextEncoder();
const stillHere = encoder.encode(": still here\n\n");

/** What is sent next. */
interface Sending {
  readonly pieces: readonly Uint8Array[];
  readonly isLast: boolean;
}

/** One reader of a thread. It is asked for each piece, so that nothing piles up for one that does not read. */
class Follower {
  readonly #parts: StreamParts;
  readonly #leave: () => void;
  readonly #seat: WatchSeat;
  /** Where the reader is. */
  #token: string;
  /** The thread as this reader saw it last. */
  #row: ThreadRow | undefined;
  #beats = 0;
  #isChanged = false;
  #isOver = false;
  #wake = (): void => undefined;
  #lag: NodeJS.Timeout | undefined;

  constructor(threadId: string, token: string, parts: StreamParts, leave: () => void) {
    this.#token = token;
    this.#parts = parts;
    this.#leave = leave;
    this.#seat = parts.watches.join(threadId, () => {
      this.#isChanged = true;
      this.#wake();
    });
  }

  /** What the stream begins with. */
  async open(caller: Caller): Promise<Look> {
    try {
      const look = await this.#seat.lookAlone(this.#token, caller);
      this.#row = look.row;
      return look;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  stream(first: Look): ReadableStream<Uint8Array> {
    let given: Look | undefined = first;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          clearTimeout(this.#lag);
          const { pieces, isLast } = await this.#next(given);
          given = undefined;
          // The reader went away meanwhile.
          if (this.#isOver) return;
          for (const piece of pieces) controller.enqueue(piece);
          if (isLast) {
            this.end();
            controller.close();
            return;
          }
          this.#lag = setTimeout(() => {
            this.end();
            controller.error(new Error("the reader does not read"));
          }, lagMs);
        },
        cancel: () => {
          this.end();
        },
      },
      { highWaterMark: 0 },
    );
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#lag);
    this.#seat.leave();
    this.#wake();
    this.#leave();
  }

  /** Waits until there is something to send. */
  async #next(given: Look | undefined): Promise<Sending> {
    const beatAt = performance.now() + heartbeatMs;
    try {
      for (let look = given; ; look = await this.#look()) {
        const sending = look === undefined ? undefined : this.#sent(look);
        if (sending !== undefined) return sending;
        const isChanged = await this.#changed(beatAt - performance.now());
        if (this.#isOver || this.#parts.stopping.aborted) return { pieces: [], isLast: true };
        if (!isChanged) return await this.#beat();
      }
    } catch (error) {
      const { body, isOurs } = failureAnswer(error);
      if (isOurs) this.#parts.onError(error);
      return { pieces: [encoder.encode(`event: error\ndata: ${body}\n\n`)], isLast: true };
    }
  }

  /** What a look brings; undefined for nothing new. */
  #sent({ delta, event }: Look): Sending | undefined {
    this.#token = delta.continuation_token;
    if (delta.has_more) this.#isChanged = true;
    const pieces = event === undefined ? [] : [event];
    if (isPaused(delta)) {
      const done = encoder.encode(`event: done\ndata: ${stringifyJson({ status: delta.status })}\n\n`);
      return { pieces: [...pieces, done], isLast: true };
    }
    return event === undefined ? undefined : { pieces, isLast: false };
  }

  async #look(): Promise<Look> {
    // Before it is asked: what happens from now on is not part of the answer.
    this.#isChanged = false;
    const [look, caller] = await Promise.all([this.#seat.look(this.#token), this.#parts.again()]);
    this.#check(look.row, caller);
    this.#row = look.row;
    return look;
  }

  async #beat(): Promise<Sending> {
    this.#beats += 1;
    if (this.#row !== undefined && this.#beats % beatsOfTrust === 0)
      this.#check(this.#row, await this.#parts.again());
    return { pieces: [stillHere], isLast: false };
  }

  #check(row: ThreadRow, caller: Caller): void {
    const refusal = refusalOf(row, caller, "read");
    if (refusal !== undefined) throw refusal;
  }

  /** Whether the thread has changed since the last look, or does within a time. */
  async #changed(withinMs: number): Promise<boolean> {
    if (this.#isChanged) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, withinMs));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
    return this.#isChanged;
  }
}
