export { openThreadStore } from "../store/thread-store.ts";
export type {
  ThreadStore,
  ThreadStoreOptions,
  ThreadTransaction,
  ThreadView,
} from "../store/thread-store.ts";
export type { Queries, SqlParameter, SqlRow, ThreadDatabase } from "../store/database.ts";
export {
  LeaseLostError,
  SchemaTooNewError,
  StoreAddressError,
  ThreadDriverError,
  ThreadFileError,
} from "../store/errors.ts";
export { openStoreAt, type AddressedStore } from "./store-address.ts";
export { createToken, revokeToken, type NewToken, type TokenGrant } from "../store/tokens.ts";
