// Resumes the runs that the process which started it names, one by one, and tells how each ended.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { fileJournalStore, resumeRun } from "@roboz/core";

import { sqliteJournalStore } from "../journal-store.ts";
import { ledgerAgent } from "./ledger-agent.ts";

const [folder = "", kind] = process.argv.slice(2);
const store =
  kind === "sqlite" ? sqliteJournalStore(join(folder, "runs.db")) : fileJournalStore(join(folder, "runs"));
const post = (key: string): void => {
  appendFileSync(join(folder, "ledger"), `${key}\n`);
};
const agent = ledgerAgent({ post, has: () => false }, "report");

process.on("message", (runId: string) => {
  void resumeRun(store, runId, agent).then(
    ({ status }) => process.send?.(status),
    (error: unknown) =>
      process.send?.(error instanceof Error && "code" in error ? error.code : String(error)),
  );
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
