import { integer, text } from "../store/database.ts";
import { Parameters } from "../store/listing.ts";
import { repeatLook } from "../store/repeated-look.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import { pollMs, type TurnQueue } from "../turns/turn-queue.ts";
import type { TurnJob, TurnJobs } from "./turn-jobs.ts";

/** How often turns are looked for that are queued and have no job, in milliseconds. There should be none. */
const sweepMs = 15_000;

/** Hands out the turns that pg-boss has jobs for. */
export function bossTurnQueue(store: ThreadStore, jobs: TurnJobs): TurnQueue {
  let end = (): Promise<void> => Promise.resolve();
  return {
    start: (work, { concurrency, perOrg }) => {
      let busy = 0;
      let done: TurnJob[] = [];
      let isOver = false;
      const looks = repeatLook(async () => {
        const dropped = jobs.drop(done).catch(() => undefined);
        done = [];
        const free = concurrency - busy;
        const [taken] = await Promise.all([free > 0 ? jobs.take(free) : [], dropped]);
        const { ready, early, stray } = await sortJobs(store, taken, perOrg);
        await Promise.all([jobs.drop(stray), jobs.postpone(early)]);
        for (const job of ready) {
          busy += 1;
          // A job that stays behind is handed out again, to somebody who finds its turn taken.
          void work(job.turnId)
            .then(async () => {
              // With the next look, together with others.
              if (!isOver) done.push(job);
              else await jobs.drop([job]);
            })
            .catch(() => undefined)
            .finally(() => {
              busy -= 1;
              looks.now();
            });
        }
      }, pollMs);
      const sweeps = repeatLook(() => addMissing(store, jobs), sweepMs);
      const stopListening = store.onQueued(looks.now);
      end = async () => {
        isOver = true;
        stopListening();
        await Promise.all([looks.end(), sweeps.end()]);
        await jobs.drop(done).catch(() => undefined);
      };
      looks.now();
      // What the workers before took with them; they may all end before it is time to look.
      sweeps.now();
      return Promise.resolve();
    },
    stop: async () => {
      await end();
    },
  };
}

interface SortedJobs {
  readonly ready: readonly TurnJob[];
  /** Of an organisation that has enough at work. */
  readonly early: readonly TurnJob[];
  /** Of no turn that is queued. */
  readonly stray: readonly TurnJob[];
}

/** Which jobs can be worked on now. */
async function sortJobs(store: ThreadStore, jobs: readonly TurnJob[], perOrg: number): Promise<SortedJobs> {
  const sorted: { [Kind in keyof SortedJobs]: TurnJob[] } = { ready: [], early: [], stray: [] };
  if (jobs.length === 0) return sorted;
  const parameters = new Parameters();
  const list = parameters.list(jobs.map(({ turnId }) => turnId));
  const rows = await store.read(({ queries }) =>
    queries.rows(
      `SELECT t.turn_id, t.org_id,
        (SELECT COUNT(*) FROM turns r WHERE r.org_id = t.org_id AND r.state = 'running') AS at_work
        FROM turns t WHERE t.state = 'queued' AND t.turn_id IN ${list}`,
      ...parameters.values,
    ),
  );
  const queued = new Map(rows.map((row) => [text(row, "turn_id"), row]));
  const begun = new Map<string, number>();
  for (const job of jobs) {
    const row = queued.get(job.turnId);
    // Of two jobs of one turn, one is enough.
    queued.delete(job.turnId);
    if (row === undefined) {
      sorted.stray.push(job);
      continue;
    }
    const org = text(row, "org_id");
    const atWork = integer(row, "at_work") + (begun.get(org) ?? 0);
    if (atWork >= perOrg) {
      sorted.early.push(job);
      continue;
    }
    begun.set(org, (begun.get(org) ?? 0) + 1);
    sorted.ready.push(job);
  }
  return sorted;
}

/** Adds jobs for turns that have waited for a while. One job too many does no harm. */
async function addMissing(store: ThreadStore, jobs: TurnJobs): Promise<void> {
  const before = new Date(Date.parse(store.now()) - sweepMs).toISOString();
  await store.write(async ({ queries }) => {
    const rows = await queries.rows(
      "SELECT turn_id FROM turns WHERE state = 'queued' AND queued_at < $1 ORDER BY queued_at LIMIT 100",
      before,
    );
    if (rows.length > 0)
      await jobs.add(
        queries,
        rows.map((row) => text(row, "turn_id")),
      );
  });
}
