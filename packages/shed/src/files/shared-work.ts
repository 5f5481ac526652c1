import { setImmediate } from "node:timers/promises";
import { FileThread } from "./file-thread.ts";

/** With fewer jobs the second thread is not worth its start. */
const manyJobs = 4;
/** It has its next job at hand when it has done one. */
const mostAway = 2;

/**
 * Does jobs, here and in the second thread at once, and gives the results as they come. Whoever takes them may add jobs.
 * Jobs that were not done stay in `jobs` when nobody takes more results.
 *
 * @param options.here - Does one in this thread.
 * @param options.there - Has the thread do one; undefined when it could not, and the job is done here.
 */
export async function* sharedWork<Job, Result>(
  jobs: Job[],
  {
    here,
    there,
  }: {
    readonly here: (job: Job) => Result;
    readonly there: (thread: FileThread, job: Job) => Promise<Result | undefined>;
  },
): AsyncGenerator<Result, void> {
  const away = new Map<Job, Promise<void>>();
  const arrived: Result[] = [];
  const send = (thread: FileThread, job: Job) => {
    const done = there(thread, job).then((result) => {
      // Nobody takes the results any more.
      if (!away.delete(job)) return;
      if (result === undefined) jobs.push(job);
      else arrived.push(result);
    });
    away.set(job, done);
  };
  try {
    while (jobs.length + away.size + arrived.length > 0) {
      const thread = jobs.length < manyJobs ? undefined : FileThread.shared();
      while (thread?.isReady === true && away.size < mostAway) {
        const job = jobs.shift();
        if (job === undefined) break;
        send(thread, job);
      }
      const job = jobs.pop();
      if (job !== undefined) yield here(job);
      else if (arrived.length === 0) await Promise.race(away.values());
      for (let result = arrived.shift(); result !== undefined; result = arrived.shift()) yield result;
      // Lets others have their turn, and answers come in.
      await setImmediate();
    }
  } finally {
    jobs.push(...away.keys());
    away.clear();
  }
}
