import { JournalWriteError, RunLockedError, UnknownRunError } from "./errors.ts";
import { checkRunId } from "./run-id.ts";
import type { JournalStore } from "./store.ts";

/** A store in memory: for tests, and for runs that need no more than a snapshot's safety. Lost with the process. */
export function memoryJournalStore(): JournalStore {
  const journals = new Map<string, string[]>();
  const held = new Set<string>();
  return {
    open: async (runId, { mustExist = false } = {}) => {
      checkRunId(runId);
      if (mustExist && !journals.has(runId)) throw new UnknownRunError({ runId });
      if (held.has(runId)) throw new RunLockedError({ runId });
      held.add(runId);
      const records = journals.get(runId) ?? [];
      journals.set(runId, records);
      let isClosed = false;
      return Promise.resolve({
        runId,
        lines: [...records],
        append: async (record) => {
          if (isClosed) throw new JournalWriteError({ runId, cause: new Error("The journal was closed") });
          records.push(record);
          return Promise.resolve();
        },
        close: async () => {
          if (!isClosed) held.delete(runId);
          isClosed = true;
          return Promise.resolve();
        },
      });
    },
    read: async (runId) => {
      const records = journals.get(checkRunId(runId));
      return Promise.resolve(records === undefined ? undefined : [...records]);
    },
    list: async () => Promise.resolve([...journals.keys()]),
  };
}
