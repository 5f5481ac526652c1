import { repeatLook } from "../store/repeated-look.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { queuedTurns } from "../store/turns.ts";

/** How turns are handed out. */
export interface TurnQueueOptions {
  /** How many turns are worked on at once. */
  readonly concurrency: number;
  /** How many turns of one organisation run at once, over all workers. */
  readonly perOrg: number;
}

/** Hands out queued turns. What it hands out twice, or too late, is claimed once: the store sees to that. */
export interface TurnQueue {
  /** Begins to call `work` with queued turns. */
  readonly start: (work: (turnId: string) => Promise<void>, options: TurnQueueOptions) => Promise<void>;
  /** Hands out nothing more; what was handed out is not waited for. */
  readonly stop: () => Promise<void>;
}

/** How often a queue looks for turns, in milliseconds, when it heard of none. */
export const pollMs = 250;

/** Hands out what stands in the store: at once what is queued in this process, and by a look now and then the rest. */
export function storeTurnQueue(store: ThreadStore): TurnQueue {
  let end = (): Promise<void> => Promise.resolve();
  return {
    start: (work, { concurrency, perOrg }) => {
      const busy = new Set<string>();
      const looks = repeatLook(async () => {
        const free = concurrency - busy.size;
        if (free <= 0) return;
        const found = await store.read((view) => queuedTurns(view, { limit: free + busy.size, perOrg }));
        for (const turnId of found.filter((one) => !busy.has(one)).slice(0, free)) {
          busy.add(turnId);
          void work(turnId).finally(() => {
            busy.delete(turnId);
            looks.now();
          });
        }
      }, pollMs);
      const stopListening = store.onQueued(looks.now);
      end = () => {
        stopListening();
        return looks.end();
      };
      looks.now();
      return Promise.resolve();
    },
    stop: async () => {
      await end();
    },
  };
}
