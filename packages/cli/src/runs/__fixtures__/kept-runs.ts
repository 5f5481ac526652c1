import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { fileJournalStore, type JournalStore } from "@roboz/core";
import { expect, onTestFinished } from "vitest";

import { recordedTerminal, type RecordedTerminal } from "../../__fixtures__/recorded-terminal.ts";
import { main } from "../../main.ts";
import { agent } from "./approval-agent.ts";

/** The module that exports {@link agent}, as the command line takes it. */
export const module = fileURLToPath(new URL("approval-agent.ts", import.meta.url));

/** A place for a store of this test alone, and the store there; nothing is made yet. */
export async function newStore(): Promise<{ readonly path: string; readonly store: JournalStore }> {
  const folder = await mkdtemp(join(tmpdir(), "roboz-runs-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "kept");
  return { path, store: fileJournalStore(path, { survives: "process" }) };
}

/** Runs the command where nobody can be asked. */
export async function roboz(...args: readonly string[]) {
  const terminal = recordedTerminal();
  terminal.input.end();
  const status = await main(args, { terminal });
  return { status, ...terminal.printed };
}

/** A person at a terminal who types each answer when asked for it. */
export async function atTerminal(args: readonly string[], answers: readonly string[]) {
  const terminal = recordedTerminal({ isTTY: true });
  answerWhenAsked(terminal, answers);
  const status = await main(args, { terminal });
  return { status, ...terminal.printed };
}

function answerWhenAsked(terminal: RecordedTerminal, answers: readonly string[]): void {
  const waiting = [...answers];
  const write = terminal.output.write.bind(terminal.output);
  terminal.output.write = (text) => {
    write(text);
    if (!text.endsWith("> ")) return;
    const next = waiting.shift();
    if (next === undefined) terminal.input.end();
    else terminal.input.write(`${next}\n`);
  };
}

/** A run that waits for its approval. */
export async function waitingRun(store: JournalStore, runId: string): Promise<void> {
  expect(await agent.invoke("Chairs, please.", { journal: store, runId })).toMatchObject({
    status: "suspended",
  });
}
