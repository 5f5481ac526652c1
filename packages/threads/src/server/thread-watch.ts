import type { Caller } from "../store/caller.ts";
import { integer, text } from "../store/database.ts";
import { readDelta, type DeltaLimits } from "../store/delta.ts";
import { Parameters } from "../store/listing.ts";
import { repeatLook, type RepeatedLook } from "../store/repeated-look.ts";
import { readThread, threadFor } from "../store/threads.ts";
import type { ThreadRow } from "../store/thread-row.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { stringifyJson } from "../wire/json.ts";
import type { AgentThreadDelta } from "../wire/thread.ts";

/** How often watched threads are looked at though nothing was heard of them, in milliseconds. */
const everyMs = { own: 15_000, shared: 5000 };
/** How long what was found is kept for others who are at the same place, in milliseconds. */
const keptMs = 1000;
/** Threads that are looked at with one statement. */
const threadsAtOnce = 100;

/** What happened in a thread after a place, all of one moment. */
export interface Look {
  /** Who may see it is for the one who asks to find out. */
  readonly row: ThreadRow;
  readonly delta: AgentThreadDelta;
  /** The event that says it; undefined when nothing is new. */
  readonly event: Uint8Array | undefined;
}

/** A reader's place among those who watch a thread. */
export interface WatchSeat {
  /** Looks for this reader alone, if it may read the thread, so that it sees all that was done before it asked. */
  readonly lookAlone: (token: string, caller: Caller) => Promise<Look>;
  /** What there is since the last change that was heard of: one look for all who are at the same place. */
  readonly look: (token: string) => Promise<Look>;
  readonly leave: () => void;
}

/** Watches the threads that have readers: once each, however many readers there are. */
export class ThreadWatches {
  readonly #store: ThreadStore;
  readonly #limits: DeltaLimits;
  readonly #watches = new Map<string, ThreadWatch>();
  #stopListening = (): void => undefined;
  #rounds: RepeatedLook | undefined;

  /** @param stopping - Wakes all readers when it fires. */
  constructor(store: ThreadStore, limits: DeltaLimits, stopping: AbortSignal) {
    this.#store = store;
    this.#limits = limits;
    stopping.addEventListener("abort", () => {
      for (const watch of this.#watches.values()) watch.wake();
    });
  }

  /** Joins the readers of a thread. `wake` is called with each change. */
  join(threadId: string, wake: () => void): WatchSeat {
    if (this.#watches.size === 0) this.#begin();
    const watch =
      this.#watches.get(threadId) ?? new ThreadWatch((token, caller) => this.#read(threadId, token, caller));
    this.#watches.set(threadId, watch);
    watch.readers.add(wake);
    return {
      lookAlone: (token, caller) => watch.lookAlone(token, caller),
      look: (token) => watch.look(token),
      leave: () => {
        if (!watch.readers.delete(wake) || watch.readers.size > 0) return;
        this.#watches.delete(threadId);
        if (this.#watches.size === 0) this.#end();
      },
    };
  }

  #begin(): void {
    const { own, shared } = everyMs;
    const rounds = repeatLook(() => this.#lookAround(), this.#store.database.isShared ? shared : own);
    this.#rounds = rounds;
    this.#stopListening = this.#store.onThread((threadId) => {
      if (threadId === "") rounds.now();
      else this.#watches.get(threadId)?.changed();
    });
  }

  #end(): void {
    this.#stopListening();
    void this.#rounds?.end();
  }

  #read(threadId: string, token: string, caller: Caller | undefined): Promise<Look> {
    return this.#store.read(async (view) => {
      const row = await (caller === undefined
        ? readThread(view, threadId)
        : threadFor(view, threadId, caller, "read"));
      const delta = await readDelta(view, row, token, this.#limits);
      return { row, delta, event: eventOf(delta, token) };
    });
  }

  /** Words are lost now and then: finds the threads of which a change was not heard. */
  async #lookAround(): Promise<void> {
    const threadIds = [...this.#watches.keys()];
    for (let from = 0; from < threadIds.length; from += threadsAtOnce) {
      const some = threadIds.slice(from, from + threadsAtOnce);
      const parameters = new Parameters();
      // Always as many, so that it is one statement.
      const list = parameters.list(Array.from({ length: threadsAtOnce }, (_, index) => some[index] ?? ""));
      const rows = await this.#store.read(({ queries }) =>
        queries.rows(
          `SELECT thread_id, log_head FROM threads WHERE deleted_at IS NULL AND thread_id IN ${list}`,
          ...parameters.values,
        ),
      );
      const heads = new Map(rows.map((row) => [text(row, "thread_id"), integer(row, "log_head")]));
      for (const threadId of some) this.#watches.get(threadId)?.found(heads.get(threadId) ?? Infinity);
    }
  }
}

/** A thread and all its readers. */
class ThreadWatch {
  readonly readers = new Set<() => void>();
  readonly #read: (token: string, caller?: Caller) => Promise<Look>;
  /** What was found since the last change, by the place it was looked from. */
  #looks = new Map<string, Promise<Look>>();
  /** The end of the log, as far as it is known. */
  #head = 0;

  constructor(read: (token: string, caller?: Caller) => Promise<Look>) {
    this.#read = read;
  }

  wake(): void {
    for (const wake of this.readers) wake();
  }

  changed(): void {
    this.#looks = new Map();
    this.wake();
  }

  /** @param head - The end of the log; Infinity when the thread is not there any more. */
  found(head: number): void {
    if (head <= this.#head) return;
    this.#head = head;
    this.changed();
  }

  async lookAlone(token: string, caller?: Caller): Promise<Look> {
    const look = await this.#read(token, caller);
    this.#head = Math.max(this.#head, look.row.logHead);
    return look;
  }

  look(token: string): Promise<Look> {
    const looks = this.#looks;
    const found = looks.get(token) ?? this.lookAlone(token);
    if (looks.has(token)) return found;
    looks.set(token, found);
    const forget = (): void => {
      looks.delete(token);
    };
    found.then(() => setTimeout(forget, keptMs).unref(), forget);
    return found;
  }
}

const encoder = new TextEncoder();

function eventOf(delta: AgentThreadDelta, token: string): Uint8Array | undefined {
  const { continuation_token: id } = delta;
  if (id === token) return undefined;
  return encoder.encode(`event: delta\nid: ${id}\ndata: ${stringifyJson(delta)}\n\n`);
}
