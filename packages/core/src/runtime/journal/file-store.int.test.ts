import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";

import { testJournalStore } from "../../testing/journal-store-suite.ts";
import { fileJournalStore } from "./file-store.ts";

testJournalStore(
  {
    makePlace: () => mkdtemp(join(tmpdir(), "roboz-journal-")),
    open: (folder) => fileJournalStore(folder),
    program: (folder) => ({
      file: new URL("__fixtures__/serve-file-store.ts", import.meta.url),
      arguments: [folder],
      nodeArguments: ["--conditions=@roboz/source", "--import", import.meta.resolve("tsx")],
    }),
    tear: (folder, runId, part) => appendFile(join(folder, `${runId}.jsonl`), part),
    removePlace: (folder) => rm(folder, { recursive: true, force: true }),
  },
  { describe, it },
);
