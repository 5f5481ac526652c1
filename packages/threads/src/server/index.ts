export { openThreadStore } from "../store/thread-store.ts";
export type {
  ThreadStore,
  ThreadStoreOptions,
  ThreadTransaction,
  ThreadView,
} from "../store/thread-store.ts";
export type { Queries, SqlParameter, SqlRow, ThreadDatabase } from "../store/database.ts";
export { LeaseLostError, SchemaTooNewError, ThreadDriverError, ThreadFileError } from "../store/errors.ts";
