import { RobotoThreadStateError, RobotoTimeoutError } from "../errors/client-errors.ts";
import { threadDeltaSchema, type AgentThreadDelta } from "../wire/thread.ts";
import { EventFeed } from "./event-feed.ts";
import type { AgentEvent } from "./events.ts";
import type { HeldThread } from "./held-thread.ts";
import type { ThreadsClient } from "./http/threads-client.ts";
import { wait } from "./http/wait.ts";
import { ThreadStream } from "./thread-stream.ts";

/** How a thread is followed. */
export interface FollowOptions {
  /** The pause between two polls in milliseconds; 200 by default. */
  readonly tickMs?: number | undefined;
  /** How long to follow in milliseconds; without it as long as the agent works. */
  readonly timeoutMs?: number | undefined;
  /** Ends following; the agent goes on. */
  readonly signal?: AbortSignal | undefined;
  /** How news come in: asked for again and again, or over one open stream, which falls back to asking. `poll` by default. */
  readonly transport?: "poll" | "sse" | undefined;
}

/** Gets what happens in a thread, applies it, and gives it out as events to one reader at a time. */
export class Follower {
  readonly #client: ThreadsClient;
  readonly #held: HeldThread;
  readonly #feed = new EventFeed();
  /** Events of what has been applied and that nobody has taken. */
  readonly #pending: AgentEvent[] = [];
  #isFollowed = false;
  /** Polls go one after the other: two of the same position would apply the same text twice. */
  #polls: Promise<unknown> = Promise.resolve();

  constructor(client: ThreadsClient, held: HeldThread) {
    this.#client = client;
    this.#held = held;
  }

  /** Takes the place of the one reader until the function returned is called. */
  claim(): () => void {
    if (this.#isFollowed) {
      const { thread_id: threadId, status } = this.#held.record;
      const message = `Thread \`${threadId}\` is being followed already; end that \`events()\` or \`run()\` first`;
      throw new RobotoThreadStateError({ message, threadId, status });
    }
    this.#isFollowed = true;
    return () => {
      this.#isFollowed = false;
    };
  }

  /** The events of a thread until the agent pauses; whoever takes the first one takes the place of the reader. */
  async *follow(options: FollowOptions): AsyncGenerator<AgentEvent, void> {
    const release = this.claim();
    try {
      yield* this.events(options);
    } finally {
      release();
    }
  }

  /** The same where the place of the reader has been claimed. */
  async *events(options: FollowOptions): AsyncGenerator<AgentEvent, void> {
    const { tickMs = 200, timeoutMs, signal, transport = "poll" } = options;
    const { clock } = this.#client;
    const started = clock.now();
    const leftMs = (): number => (timeoutMs ?? Infinity) - (clock.now() - started);
    const retryUntil = timeoutMs === undefined ? undefined : started + timeoutMs;
    const stream = transport === "sse" ? new ThreadStream(this.#client, this.#held.record) : undefined;
    for (;;) {
      yield* this.#takePending();
      const before = this.#held.record.continuation_token;
      const { has_more } = await this.poll(signal, retryUntil);
      yield* this.#takePending();
      // A page that leads nowhere is no reason to ask again at once.
      const isPage = has_more && before !== this.#held.record.continuation_token;
      if (!isPage && this.#held.record.status !== "roboto_turn") return;
      if (timeoutMs !== undefined && leftMs() <= 0) {
        throw new RobotoTimeoutError({ what: `Thread \`${this.#held.record.thread_id}\``, timeoutMs });
      }
      if (isPage) continue;
      if (stream?.isUsable === true) yield* this.#streamed(stream, signal, leftMs);
      else await wait(clock, Math.min(tickMs, Math.max(0, leftMs())), signal);
    }
  }

  /** The events that a stream brings, until it ends for whatever reason; polling says how things are then. */
  async *#streamed(
    stream: ThreadStream,
    signal: AbortSignal | undefined,
    leftMs: () => number,
  ): AsyncGenerator<AgentEvent, void> {
    const { record, sends } = this.#held;
    let position = record.continuation_token;
    for await (const delta of stream.deltas(signal, leftMs())) {
      // A poll in between has brought what the stream is about to bring again.
      if (record.continuation_token !== position) return;
      this.#apply(delta, sends);
      position = delta.continuation_token;
      yield* this.#takePending();
      // Not every server ends its stream when the agent pauses.
      if (leftMs() <= 0 || (!delta.has_more && record.status !== "roboto_turn")) return;
    }
  }

  /** Asks once for what is new, and applies it. */
  poll(signal?: AbortSignal, retryUntil?: number): Promise<AgentThreadDelta> {
    const polled = this.#polls.then(() => this.#poll(signal, retryUntil));
    this.#polls = polled.catch(() => undefined);
    return polled;
  }

  async #poll(signal: AbortSignal | undefined, retryUntil: number | undefined): Promise<AgentThreadDelta> {
    const { record } = this.#held;
    const { thread_id, continuation_token } = record;
    const sendsBefore = this.#held.sends;
    const delta = await this.#client.call({
      method: "GET",
      path: `/v1/ai/threads/${encodeURIComponent(thread_id)}/delta`,
      query: { next_token: continuation_token },
      schema: threadDeltaSchema,
      signal,
      retryUntil,
    });
    // What a stream has brought in the meantime is not applied again.
    if (record.continuation_token === continuation_token) this.#apply(delta, sendsBefore);
    return delta;
  }

  #apply(delta: AgentThreadDelta, sendsBefore: number): void {
    const changes = this.#held.apply(delta, sendsBefore);
    this.#pending.push(...(this.#isFollowed ? this.#feed.of(changes) : this.#feed.passedOver(changes)));
  }

  *#takePending(): Generator<AgentEvent, void> {
    for (let event = this.#pending.shift(); event !== undefined; event = this.#pending.shift()) yield event;
  }
}
