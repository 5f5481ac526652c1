import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileJournalStore, parseJournal, type JournalStore } from "@roboz/core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { keysOf, ledgerAgent } from "./__fixtures__/ledger-agent.ts";
import { openSqlite } from "./database.ts";
import { sqliteJournalStore } from "./journal-store.ts";

// Both stores are proved here, since this package knows both.
const isLong = process.env["ROBOZ_LONG"] === "1";
/** In each of four lanes. */
const kills = isLong ? 250 : 25;
/** More than the kills can use up: one that comes when all is done would prove nothing. */
const endless = 1_000_000;

let program: string;

// In one file a child starts in a fraction of the time that loading the sources takes.
beforeAll(async () => {
  const outDir = join(import.meta.dirname, "..", "node_modules", ".cache", `ledger-run-${process.pid}`);
  await build({
    configFile: false,
    logLevel: "silent",
    build: {
      ssr: fileURLToPath(new URL("__fixtures__/ledger-run.ts", import.meta.url)),
      outDir,
      target: "node20",
    },
    ssr: { noExternal: true, external: ["libsql"], resolve: { conditions: ["@roboz/source"] } },
  });
  program = join(outDir, "ledger-run.js");
});

afterAll(async () => {
  await rm(join(program, ".."), { recursive: true, force: true });
});

interface Lane {
  readonly kind: "file" | "sqlite";
  readonly ledger: "deduplicating" | "plain";
}

describe.concurrent.each<Lane>([
  { kind: "file", ledger: "deduplicating" },
  { kind: "file", ledger: "plain" },
  { kind: "sqlite", ledger: "deduplicating" },
  { kind: "sqlite", ledger: "plain" },
])("PS-15: runs in a $kind store that are killed, with a $ledger ledger", ({ kind, ledger }) => {
  it(
    "lose no entry and double none, report what is uncertain, and end as if nothing had happened",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "roboz-kill-"));
      const undisturbed = await ledgerAgent({ post: () => undefined, has: () => false }, "report").complete();
      const linesOf = async (name: string): Promise<readonly string[]> =>
        existsSync(join(folder, name))
          ? (await readFile(join(folder, name), "utf8")).split("\n").slice(0, -1)
          : [];
      // The longest wait before a kill follows the machine: up while kills meet no work, down while runs pass unharmed.
      let longestMs = 200;
      let inAnEffect = 0;
      const expected: string[] = [];
      for (let kill = 0; kill < kills; kill += 1) {
        const before = { done: (await linesOf("done")).length, posted: (await linesOf("ledger")).length };
        await killAfter(Math.random() * longestMs, [folder, kind, ledger, String(endless)]);
        const done = (await linesOf("done")).length;
        if (done > before.done + 1) longestMs *= 0.8;
        else if ((await linesOf("ledger")).length < before.posted + 4) longestMs *= 1.25;
        const dangling = await danglingEffect(folder, kind, `run-${done + 1}`);
        if (dangling === undefined) continue;
        inAnEffect += 1;
        if (!expected.includes(dangling)) expected.push(dangling);
      }
      const finished = (await linesOf("done")).length;
      await runToEnd([folder, kind, ledger, String(finished + 1)]);
      const done = await linesOf("done");
      for (const line of done)
        expect(JSON.parse(line)).toEqual({ status: "completed", messages: undisturbed.messages });
      const posted = await linesOf("ledger");
      const keys = done.flatMap((_, index) => keysOf(`run-${index + 1}`));
      expect([...posted].sort()).toEqual([...keys].sort());
      // One that was killed again before it was settled is reported again.
      const reported = [...new Set(await linesOf("uncertain"))];
      expect(reported).toEqual(ledger === "plain" ? expected : []);
      // Kills that met no work would prove nothing.
      expect(posted.length).toBeGreaterThan(kills);
      if (kind === "sqlite") await checkDatabase(join(folder, "runs.db"), done.length);
      if (isLong) {
        const counts = {
          kind,
          ledger,
          kills,
          inAnEffect,
          runs: done.length,
          posted: posted.length,
          uncertain: expected.length,
        };
        process.stdout.write(`${JSON.stringify(counts)}\n`);
      }
      await rm(folder, { recursive: true });
    },
    isLong ? 3_600_000 : 300_000,
  );
});

/** Starts the program, and kills it so long after it said that it began. */
async function killAfter(milliseconds: number, given: readonly string[]): Promise<void> {
  const child = fork(program, given, { execArgv: [] });
  const exit = once(child, "exit");
  await Promise.race([once(child, "message"), exit]);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  child.kill("SIGKILL");
  // One that ended by itself had an error, which a kill would hide.
  expect(await exit).toEqual([null, "SIGKILL"]);
}

async function runToEnd(given: readonly string[]): Promise<void> {
  expect(await once(fork(program, given, { execArgv: [] }), "exit")).toEqual([0, null]);
}

/** The effect that was begun and whose end was not recorded, by its idempotency key. */
async function danglingEffect(
  folder: string,
  kind: Lane["kind"],
  runId: string,
): Promise<string | undefined> {
  if (!existsSync(join(folder, kind === "sqlite" ? "runs.db" : "runs"))) return undefined;
  const store: JournalStore & { readonly close?: () => Promise<void> } =
    kind === "sqlite" ? sqliteJournalStore(join(folder, "runs.db")) : fileJournalStore(join(folder, "runs"));
  const { records } = parseJournal((await store.read(runId)) ?? []);
  await store.close?.();
  const last = records.findLast(({ type }) => type !== "resumed" && type !== "ended");
  return last?.type === "once-intent" ? `${runId}:${last.key}` : undefined;
}

async function checkDatabase(path: string, runs: number): Promise<void> {
  const database = await openSqlite(path);
  expect(database.rows("PRAGMA integrity_check")).toMatchObject([{ integrity_check: "ok" }]);
  expect(database.rows("SELECT count(*) AS count FROM roboz_run")).toMatchObject([{ count: runs }]);
  database.close();
  expect((await stat(path)).size).toBeGreaterThan(0);
}
