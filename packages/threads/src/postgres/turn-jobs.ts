import type PgBoss from "pg-boss";

import type { Queries } from "../store/database.ts";
import { ThreadDriverError } from "../store/errors.ts";
import type { PostgresDatabase } from "./postgres-database.ts";
import { connectionOf } from "./postgres-queries.ts";

/** A turn that is to be worked on, as it stands in the queue. */
export interface TurnJob {
  readonly jobId: string;
  readonly turnId: string;
}

/** Queued turns as jobs of pg-boss: each time that a turn is queued there is one more. */
export interface TurnJobs {
  /** Adds turns in the transaction that queues them. */
  readonly add: (queries: Queries, turnIds: readonly string[]) => Promise<void>;
  /** Takes some, the oldest first; nobody else is given them for a while. None when the database is away. */
  readonly take: (limit: number) => Promise<readonly TurnJob[]>;
  /** Takes them from the queue for good. */
  readonly drop: (jobs: readonly TurnJob[]) => Promise<void>;
  /** Puts them back for a moment. */
  readonly postpone: (jobs: readonly TurnJob[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

const queue = "turns";

/** How long a job is nobody else's, in seconds; a worker that is gone by then left it, or works on the turn by its lease. */
const heldSeconds = 120;

/** How long a job waits that was put back. */
const postponed = "1 second";

/**
 * Opens the queue in a schema of its own beside that of the tables, and makes it if it is not there.
 *
 * @throws {@link ThreadDriverError} (`threads/driver`)
 */
export async function openTurnJobs(database: PostgresDatabase): Promise<TurnJobs> {
  const Boss = await loadBoss();
  const boss = new Boss({
    db: { executeSql: (sql, parameters) => database.execute(sql, parameters) },
    schema: `${database.schema}_queue`,
    schedule: false,
    maintenanceIntervalSeconds: 60,
  });
  boss.on("error", () => {
    // Its upkeep is tried again a minute later.
  });
  await boss.start();
  await makeQueue(boss);
  const within = (queries: Queries): PgBoss.Db => {
    const client = connectionOf(queries);
    return { executeSql: (sql, parameters) => client.query(sql, parameters) };
  };
  const insert = (queries: Queries, jobs: readonly Omit<PgBoss.JobInsert, "name">[]): Promise<void> =>
    boss.insert(
      jobs.map((job) => ({ ...job, name: queue })),
      { db: within(queries) },
    );
  const idsOf = (jobs: readonly TurnJob[]): string[] => jobs.map(({ jobId }) => jobId);
  return {
    add: (queries, turnIds) =>
      insert(
        queries,
        turnIds.map((turnId) => ({ data: { turnId } })),
      ),
    take: async (limit) => {
      const jobs = await boss.fetch<Partial<TurnJob>>(queue, { batchSize: limit });
      return jobs.map(({ id, data: { turnId = "" } }) => ({ jobId: id, turnId }));
    },
    drop: async (jobs) => {
      if (jobs.length > 0) await boss.deleteJob(queue, idsOf(jobs));
    },
    postpone: async (jobs) => {
      if (jobs.length === 0) return;
      await database.transaction(async (queries) => {
        await insert(
          queries,
          jobs.map(({ turnId }) => ({ data: { turnId }, startAfter: postponed })),
        );
        await boss.deleteJob(queue, idsOf(jobs), { db: within(queries) });
      });
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/** Two processes may make it at once. */
async function makeQueue(boss: PgBoss): Promise<void> {
  for (let tries = 1; (await boss.getQueue(queue)) === null; tries += 1) {
    try {
      await boss.createQueue(queue, {
        name: queue,
        policy: "standard",
        expireInSeconds: heldSeconds,
        retryLimit: 1000,
      });
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

/** The last release for Node 20 is named, since a later one would be installed otherwise. */
async function loadBoss(): Promise<typeof PgBoss> {
  try {
    return (await import("pg-boss")).default;
  } catch (cause) {
    throw new ThreadDriverError({ driver: "pg-boss@10.4.2", cause });
  }
}
