import { setImmediate } from "node:timers/promises";

import {
  cliSink,
  printableLine,
  readTranscript,
  summariseRun,
  type JournalStore,
  type Message,
  type RunSummary,
  type TextStream,
  type TranscriptEntry,
} from "@roboz/core";

import { questionOf } from "../run/reply.ts";
import type { TerminalOutput } from "../terminal.ts";

/** How often a long transcript lets others have their turn: Ctrl-C, and the reader of the output that went away. */
const entriesPerTurn = 100;

/** What a run is shown with. */
export interface ShowOptions {
  /** Prints one JSON document, `{ run, entries }`. */
  readonly json?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** Prints a run as people read it, each entry as it is read from the journal. */
export async function showRun(
  store: JournalStore,
  runId: string,
  output: TerminalOutput,
  { json = false, signal }: ShowOptions,
): Promise<void> {
  // Read once: the head and the entries are of the same moment, also of a run under way.
  const lines = await store.read(runId);
  const kept = { ...store, read: () => Promise.resolve(lines) };
  const run = await summariseRun(kept, runId);
  const printer = json ? new JsonPrinter(output, run) : new TextPrinter(output, run);
  let count = 0;
  for await (const entry of readTranscript(kept, runId)) {
    count += 1;
    if (count % entriesPerTurn === 0) await setImmediate();
    signal.throwIfAborted();
    printer.entry(entry);
  }
  printer.end();
}

class JsonPrinter {
  readonly #output: TerminalOutput;
  #separator = "";

  constructor(output: TerminalOutput, run: RunSummary) {
    this.#output = output;
    output.write(`{\n"run": ${JSON.stringify(run)},\n"entries": [`);
  }

  entry(entry: TranscriptEntry): void {
    this.#output.write(`${this.#separator}\n${JSON.stringify(entry)}`);
    this.#separator = ",";
  }

  end(): void {
    this.#output.write("\n]\n}\n");
  }
}

class TextPrinter {
  readonly #output: TerminalOutput;
  readonly #run: RunSummary;
  readonly #print: (message: Message) => void;
  #step = 0;
  /** What the next lines begin with; of an entry's lines only the first has the number of its step. */
  #margins = { first: "", others: "" };

  constructor(output: TerminalOutput, run: RunSummary) {
    this.#output = output;
    this.#run = run;
    const stream: TextStream = {
      isTTY: output.isTTY,
      write: (text) => {
        this.#write(text);
      },
    };
    const sink = cliSink({ stream });
    this.#print = (message) => {
      sink({ type: "message", message, sequence: 0, runId: run.runId, agentName: run.agentName });
    };
    output.write(headline(run));
  }

  entry(entry: TranscriptEntry): void {
    const indent = "  ".repeat(entry.depth);
    const number = entry.step === this.#step ? "" : String(entry.step);
    this.#step = entry.step;
    this.#margins = { first: `${number.padStart(5)}  ${indent}`, others: `${" ".repeat(7)}${indent}` };
    switch (entry.type) {
      case "message":
        this.#print(entry.message);
        return;
      case "history":
        this.#line(`(${count(entry.removed, "message")} left the history, ${entry.added.length} came in)`);
        for (const message of entry.added) this.#print(message);
        return;
      case "request":
        this.#line(`(waits for a reply to ${entry.tool}: ${questionOf(entry.request)})`);
        return;
      case "ended":
        this.#line(`(${entry.status}${entry.errorType === null ? "" : `: ${entry.errorType}`})`);
        return;
      case "resumed":
        this.#line("(resumed)");
        return;
      case "damage":
        this.#line(`(${count(entry.broken, "line")} of the journal cannot be read)`);
        return;
    }
  }

  end(): void {
    if (this.#run.status === "running") this.#output.write("(under way, or cut off)\n");
  }

  #line(text: string): void {
    this.#write(`${printableLine(text)}\n`);
  }

  /** Whole lines, with their margins. */
  #write(text: string): void {
    const lines = text.replace(/\n$/, "").split("\n");
    for (const line of lines) {
      this.#output.write(`${`${this.#margins.first}${line}`.trimEnd()}\n`);
      this.#margins = { ...this.#margins, first: this.#margins.others };
    }
  }
}

function headline({
  runId,
  agentName,
  status,
  steps,
  llmCalls,
  startedAt,
  parentRunId,
  forkedFrom,
}: RunSummary): string {
  const facts = [
    `run ${runId} of ${agentName}: ${status}`,
    count(steps, "step"),
    count(llmCalls, "model call"),
    `started ${startedAt}`,
    ...(parentRunId === null ? [] : [`called by ${parentRunId}`]),
    ...(forkedFrom === null ? [] : [`forked from ${forkedFrom}`]),
  ];
  return `${printableLine(facts.join(", "))}\n\n`;
}

/** A number of things in words, such as `1 model call` or `2 model calls`. */
export function count(many: number, what: string): string {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}
