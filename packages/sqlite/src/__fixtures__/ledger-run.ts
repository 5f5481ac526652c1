// Runs the ledger agent again and again in a folder, until it is killed: first what the one before it left undone.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  CoreError,
  fileJournalStore,
  resumeRun,
  type Agent,
  type JournalStore,
  type RunResult,
  type Stop,
} from "@roboz/core";

import { sqliteJournalStore } from "../journal-store.ts";
import { ledgerAgent, type Ledger } from "./ledger-agent.ts";

const [folder = "", kind, ledgerKind, runs = ""] = process.argv.slice(2);

const linesOf = (name: string): readonly string[] => {
  try {
    return readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
};
const add = (name: string, line: string): void => {
  appendFileSync(join(folder, name), `${line}\n`);
};

/** One write adds an entry, so that it is there or it is not, whenever the process is killed. */
const ledger: Ledger = {
  has: (key) => linesOf("ledger").includes(key),
  post: (key) => {
    if (ledgerKind !== "deduplicating" || !ledger.has(key)) add("ledger", key);
  },
};
const store: JournalStore =
  kind === "sqlite" ? sqliteJournalStore(join(folder, "runs.db")) : fileJournalStore(join(folder, "runs"));

async function resumeOrStart(agent: Agent, runId: string): Promise<RunResult<Stop>> {
  try {
    return await resumeRun(store, runId, agent);
  } catch (error) {
    if (CoreError.is(error) && error.code === "core/unknown-run")
      return agent.invoke(undefined, { journal: store, runId });
    throw error;
  }
}

async function work(runId: string): Promise<RunResult<Stop>> {
  try {
    return await resumeOrStart(
      ledgerAgent(ledger, ledgerKind === "deduplicating" ? "repeat" : "report"),
      runId,
    );
  } catch (error) {
    if (!CoreError.is(error) || error.code !== "core/once-uncertain") throw error;
    add("uncertain", error.idempotencyKey);
    // What a person would do: look into the ledger.
    return resumeOrStart(ledgerAgent(ledger, "verify"), runId);
  }
}

process.send?.("ready");
for (let done = linesOf("done").length; done < Number(runs); done += 1) {
  const { status, messages } = await work(`run-${done + 1}`);
  add("done", JSON.stringify({ status, messages }));
}
