import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { testJournalStore } from "../../testing/journal-store-suite.ts";
import { watchedFiles } from "./__fixtures__/watched-files.ts";
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

it("opens each of a thousand runs in one folder without looking at the others", async () => {
  const folder = await mkdtemp(join(tmpdir(), "roboz-journal-"));
  const record = '{"sequence":1,"at":"2026-01-01T00:00:00.000Z","type":"resumed"}';
  const lists: string[] = [];
  const files = watchedFiles((happening) => {
    if (happening.startsWith("list")) lists.push(happening);
  });
  const store = fileJournalStore(folder, { files, survives: "process" });
  const ids = Array.from({ length: 1000 }, (_, index) => `run-${index}`);
  for (const runId of ids) {
    const handle = await store.open(runId);
    await handle.append(record);
    await handle.close();
  }
  expect(new Set(lists)).toEqual(new Set(ids.map((runId) => `list ${runId}.lock`)));
  expect([...(await store.list())].sort()).toEqual([...ids].sort());
  for (const runId of ids) expect(await store.read(runId)).toEqual([record, ""]);
  await rm(folder, { recursive: true });
});
