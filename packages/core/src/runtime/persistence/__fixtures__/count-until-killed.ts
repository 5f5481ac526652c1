import { writeSync } from "node:fs";

import { fileJournalStore } from "../../journal/file-store.ts";
import { persistenceSink } from "../persistence-sink.ts";
import { countingAgent } from "./counting-agent.ts";

/** Runs one short count after another, each with a journal and a document, and tells of each message once it was delivered. */
const [, , root = "", folder = ""] = process.argv;
const store = fileJournalStore(folder, { survives: "process" });
const agent = countingAgent({ to: 8, sinks: [persistenceSink(root, { journal: store })] });
for (let run = 1; ; run += 1) {
  const runId = `run-${String(run)}`;
  await agent.complete("Go.", {
    journal: store,
    runId,
    sinks: [
      (event) => {
        if (event.type === "message") writeSync(1, `${runId} ${String(event.sequence)}\n`);
      },
    ],
  });
  writeSync(1, `${runId} done\n`);
}
