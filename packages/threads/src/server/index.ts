export { createThreadServer } from "./thread-server.ts";
export type { ThreadServer, ThreadServerOptions } from "./thread-server.ts";
export type { ListenOptions, Listening } from "./listen.ts";
export type { HostSettings } from "./hosts.ts";
export { serverLimits } from "./limits.ts";
export type { ServerLimits } from "./limits.ts";
export { storedTokens } from "./verifier.ts";
export type { TokenVerifier, VerifiedCaller } from "./verifier.ts";
export type { Caller } from "../store/caller.ts";
export { createToken, revokeToken } from "../store/tokens.ts";
export type { NewToken, TokenGrant } from "../store/tokens.ts";
export { openThreadStore } from "../store/thread-store.ts";
export type {
  ThreadStore,
  ThreadStoreOptions,
  ThreadTransaction,
  ThreadView,
} from "../store/thread-store.ts";
export type { DeltaLimits } from "../store/delta.ts";
export type { Queries, SqlParameter, SqlRow, ThreadDatabase } from "../store/database.ts";
export {
  AgentMissingError,
  LeaseLostError,
  SchemaTooNewError,
  ServerLimitError,
  StoreAddressError,
  ThreadDriverError,
  ThreadFileError,
} from "../store/errors.ts";
export { openStoreAt, type AddressedStore } from "./store-address.ts";
export type { AgentSource, GivenAgent, ThreadAgent } from "../turns/thread-agent.ts";
export type { GoalTargets } from "../turns/achieve-tools.ts";
export type { FlushSettings } from "../turns/answer-text.ts";
export { currentThreadCall } from "../turns/thread-call.ts";
export type { ThreadCall } from "../turns/thread-call.ts";
export { storeTurnQueue } from "../turns/turn-queue.ts";
export type { TurnQueue, TurnQueueOptions } from "../turns/turn-queue.ts";
export type { TurnLimits } from "../turns/turn-runner.ts";
export { titleOfFirstMessage } from "../turns/worker.ts";
export type { LeaseSettings, TitleMaker } from "../turns/worker.ts";
