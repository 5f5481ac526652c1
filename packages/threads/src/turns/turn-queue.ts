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

/** How often the store is looked at, in milliseconds, when nothing was heard of a new turn. */
const pollMs = 250;

/** Hands out what stands in the store: at once what is queued in this process, and by a look now and then the rest. */
export function storeTurnQueue(store: ThreadStore): TurnQueue {
  const busy = new Set<string>();
  let isStopped = true;
  let isLooking = false;
  let isWanted = false;
  let timer: NodeJS.Timeout | undefined;
  let stopListening = (): void => undefined;
  let look = (): void => undefined;

  return {
    start: (work, { concurrency, perOrg }) => {
      isStopped = false;
      const handOut = async (): Promise<void> => {
        const free = concurrency - busy.size;
        if (free <= 0) return;
        const found = await store.read((view) => queuedTurns(view, { limit: free + busy.size, perOrg }));
        for (const turnId of found.filter((one) => !busy.has(one)).slice(0, free)) {
          if (isStopped) return;
          busy.add(turnId);
          void work(turnId).finally(() => {
            busy.delete(turnId);
            look();
          });
        }
      };
      look = () => {
        if (isStopped) return;
        if (isLooking) {
          isWanted = true;
          return;
        }
        isLooking = true;
        isWanted = false;
        // A database that is away is looked at again with the next beat.
        void handOut()
          .catch(() => undefined)
          .finally(() => {
            isLooking = false;
            if (isWanted) look();
          });
      };
      stopListening = store.onQueued(look);
      timer = setInterval(look, pollMs);
      look();
      return Promise.resolve();
    },
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      stopListening();
      return Promise.resolve();
    },
  };
}
