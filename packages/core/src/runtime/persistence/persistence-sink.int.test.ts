import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { fileJournalStore } from "../journal/file-store.ts";
import { parseJournal } from "../journal/parse-journal.ts";
import { emptyPlace } from "./__fixtures__/scratch.ts";
import { activeRuns, clearActiveRuns } from "./activity.ts";
import { readRunDocument } from "./document.ts";
import { listRunDocuments, writeRunDocument } from "./document-folder.ts";
import { exportRun } from "./journal-document.ts";

const kills = process.env["ROBOZ_LONG"] === undefined ? 10 : 500;
const program = fileURLToPath(new URL("__fixtures__/count-until-killed.ts", import.meta.url));

/** The messages that a process had told of, by run, when it was killed. */
async function killedAfter(
  bytes: number,
  root: string,
  folder: string,
): Promise<ReadonlyMap<string, readonly (number | "done")[]>> {
  const args = ["--conditions=@roboz/source", "--import", "tsx", program, root, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let told = "";
  child.stdout.on("data", (chunk: Buffer) => {
    told += chunk.toString();
    if (told.length >= bytes) child.kill("SIGKILL");
  });
  await once(child, "close");
  const runs = new Map<string, (number | "done")[]>();
  for (const line of told.split("\n").slice(0, -1)) {
    const [runId = "", what = ""] = line.split(" ");
    runs.set(runId, [...(runs.get(runId) ?? []), what === "done" ? "done" : Number(what)]);
  }
  return runs;
}

it(`PS-01, PS-02: ${String(kills)} kills leave whole documents, and lose no message but those of the step under way`, async () => {
  const root = await emptyPlace();
  let unfinished = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    const folder = await emptyPlace();
    const store = fileJournalStore(folder);
    const runs = await killedAfter(Math.ceil(Math.random() * 800), root, folder);
    for (const { path } of await listRunDocuments(root)) {
      const { conversation_id: runId, status } = await readRunDocument(path);
      const told = runs.get(runId);
      if (told === undefined) continue;
      if (told.includes("done")) expect(status).toBe("completed");
      // On request, the document is made of the journal.
      const written = await writeRunDocument(root, await exportRun(store, runId));
      const kept = new Set((await readRunDocument(written)).messages.map(({ sequence }) => sequence));
      const lost = told.filter((each) => each !== "done" && !kept.has(each));
      const { records } = parseJournal((await store.read(runId)) ?? []);
      // Of the first step come the prompt and the input too.
      const isFirst = !records.some(({ type }) => type === "step");
      expect(lost.length).toBeLessThanOrEqual(isFirst ? 3 : 1);
      if (status === "running") unfinished += 1;
    }
    const marked = await activeRuns(root);
    expect(marked.length).toBeLessThanOrEqual(1);
    expect(await clearActiveRuns(root)).toEqual(marked);
    const names = await readdir(root, { recursive: true });
    const documents = names.filter((name) => name.endsWith(".json"));
    expect(documents.length).toBe((await listRunDocuments(root)).length);
    for (const name of names.filter((each) => each.endsWith(".tmp")))
      expect(name).toMatch(/\.json\.[\da-f-]+\.tmp$/);
  }
  expect(unfinished).toBeGreaterThan(0);
});
