import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { testJournalStore } from "@roboz/core/testing";
import { describe, it } from "vitest";

import { sqliteJournalStore } from "./journal-store.ts";

testJournalStore(
  {
    makePlace: async () => join(await mkdtemp(join(tmpdir(), "roboz-sqlite-")), "runs.db"),
    open: (path) => sqliteJournalStore(path),
    program: (path) => ({
      file: new URL("__fixtures__/serve-store.ts", import.meta.url),
      arguments: [path],
      nodeArguments: ["--conditions=@roboz/source", "--import", import.meta.resolve("tsx")],
    }),
    removePlace: (path) => rm(dirname(path), { recursive: true, force: true }),
  },
  { describe, it },
);
