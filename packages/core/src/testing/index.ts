export { testJournalStore } from "./journal-store-suite.ts";
export type { JournalStoreSuite } from "./journal-store-suite.ts";
export { serveJournalStore } from "./other-process.ts";
export type { StoreProgram } from "./other-process.ts";
export type { TestRunner } from "./test-runner.ts";
