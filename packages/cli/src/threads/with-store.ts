import type { ThreadStore } from "@roboz/threads/server";

import { loadThreadsServer, type ThreadsServer } from "./load-threads.ts";

/** The variable that names a store, for an address that should not be seen among the processes of a machine. */
const databaseVariable = "ROBOZ_THREADS_DB";

/** The store that a command works with. */
export function databaseAddress(given: string | undefined): string {
  const { [databaseVariable]: fromEnvironment = "" } = process.env;
  return given ?? (fromEnvironment === "" ? "sqlite:threads.db" : fromEnvironment);
}

/** Opens a store, uses it and closes it. */
export async function withThreadStore<T>(
  given: string | undefined,
  use: (store: ThreadStore, server: ThreadsServer) => Promise<T>,
): Promise<T> {
  const server = await loadThreadsServer();
  const { store } = await server.openStoreAt(databaseAddress(given));
  try {
    return await use(store, server);
  } finally {
    await store.close();
  }
}
