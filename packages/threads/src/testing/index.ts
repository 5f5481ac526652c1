export { testThreadStore } from "./thread-store-suite.ts";
export type { ThreadStoreSuite } from "./thread-store-suite.ts";
