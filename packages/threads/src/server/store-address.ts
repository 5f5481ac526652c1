import { StoreAddressError } from "../store/errors.ts";
import type { ThreadStore } from "../store/thread-store.ts";
import type { TurnQueue } from "../turns/turn-queue.ts";

/** A store that was opened by its address. */
export interface AddressedStore {
  readonly store: ThreadStore;
  /** What hands out its turns, where that is not the store itself. */
  readonly queue: TurnQueue | undefined;
}

/**
 * Opens a store by its address, and brings its tables to this release's version.
 *
 * @param address - `sqlite:` and a path, for one server, or the `postgres://` address of a database, for any number.
 * @throws {@link StoreAddressError} (`threads/store-address`), and what the opening of either store throws.
 */
export async function openStoreAt(address: string): Promise<AddressedStore> {
  if (/^postgres(?:ql)?:\/\//.test(address)) {
    const { postgresThreadStore } = await import("../postgres/postgres-store.ts");
    const store = await postgresThreadStore(address);
    return { store, queue: store.turnQueue };
  }
  const [, path] = /^sqlite:(?:\/\/)?(.+)$/.exec(address) ?? [];
  if (path === undefined) throw new StoreAddressError();
  const { sqliteThreadStore } = await import("../sqlite/sqlite-store.ts");
  return { store: await sqliteThreadStore(path), queue: undefined };
}
