import type { ChosenBy } from "../../agent/snapshot.ts";
import type { Message } from "../../values/message.ts";
import type { RunStatus } from "../events.ts";
import { UnknownRunError } from "./errors.ts";
import { parseJournal } from "./parse-journal.ts";
import type { JournalMessage, JournalRecord, StepRecord } from "./record.ts";
import type { JournalStore } from "./store.ts";
import { openedOf } from "./summary.ts";

/** What every entry of a transcript says. */
interface Placed {
  /** The step it belongs to, as `forkRun` counts them: from 1; 0 for what a fork began with. */
  readonly step: number;
  /** UTC, milliseconds, `Z`. */
  readonly at: string;
  /** 0 for a model's call and what stands by itself; 1 for the tool that was called; one more for the chain that it started. */
  readonly depth: number;
}

/** One entry of a transcript. */
export type TranscriptEntry =
  | (Placed & {
      readonly type: "message";
      readonly message: Message;
      /** Asked the model to mend its reply; no part of the conversation. */
      readonly isRepair: boolean;
    })
  /** A step took messages out of the history, or put others in. */
  | (Placed & { readonly type: "history"; readonly removed: number; readonly added: readonly Message[] })
  /** A tool asked, and the run waits. `tool` is its key in the graph. */
  | (Placed & { readonly type: "request"; readonly tool: string; readonly request: unknown })
  | (Placed & { readonly type: "ended"; readonly status: RunStatus; readonly errorType: string | null })
  | (Placed & { readonly type: "resumed" })
  /** Lines that are no records, such as one that a crash cut off. */
  | (Placed & { readonly type: "damage"; readonly broken: number });

/**
 * A journaled run as people read it: one entry after another, each with its depth in the chain, without holding the whole
 * run at once.
 *
 * @throws {@link UnknownRunError} (`core/unknown-run`); {@link JournalDamagedError} (`core/journal-damaged`) for what does
 * not begin as a journal.
 */
export async function* readTranscript(
  store: JournalStore,
  runId: string,
): AsyncGenerator<TranscriptEntry, void, undefined> {
  const lines = await store.read(runId);
  if (lines === undefined) throw new UnknownRunError({ runId });
  const { base, at } = openedOf(runId, lines);
  for (const message of base?.messages ?? [])
    yield { type: "message", step: 0, at, depth: 0, message, isRepair: false };
  const reader = new TranscriptReader(base?.position.chosenBy ?? "default");
  for (const line of lines) yield* reader.read(line);
}

/** Knows how far the run had come, so that each record can be placed. */
class TranscriptReader {
  #step = 0;
  #at = "";
  /** The depth of what a chain that goes on now runs. */
  #chainDepth: number;

  /** @param chosenBy - Who led to the tool that the run began after. */
  constructor(chosenBy: ChosenBy) {
    this.#chainDepth = chosenBy === "default" ? 1 : 2;
  }

  read(line: string): readonly TranscriptEntry[] {
    const { records, damage } = parseJournal([line]);
    const entries = records.flatMap((record) => this.#entries(record));
    if (damage === null) return entries;
    const { broken } = damage;
    return [...entries, { type: "damage", step: this.#step, at: this.#at, depth: 0, broken }];
  }

  #entries(record: JournalRecord): readonly TranscriptEntry[] {
    const { at } = record;
    this.#at = at;
    const placed = { step: this.#step, at, depth: 0 };
    switch (record.type) {
      case "step":
        this.#step += 1;
        return this.#stepEntries(record);
      case "ended":
        return [
          ...(record.messages ?? []).map((entry) => this.#messageEntry(entry, 0)),
          { type: "ended", ...placed, status: record.status, errorType: record.errorType ?? null },
        ];
      case "resumed":
        return [{ type: "resumed", ...placed }];
      default:
        return [];
    }
  }

  #stepEntries({ at, messages, replacements, position, pending }: StepRecord): readonly TranscriptEntry[] {
    const step = this.#step;
    // A tool that failed, or waits, leaves the run where it stood: it is where the next tool would have been.
    const isMoved = position.lastTool !== null && pending === null;
    const { chosenBy } = position;
    const isOfChain = !isMoved || chosenBy === "chain" || chosenBy === "tool";
    const depth = isOfChain ? this.#chainDepth : chosenBy === "model" ? 1 : 0;
    const entries: TranscriptEntry[] = replacements.map(({ from, to, messages: added }) => ({
      type: "history",
      step,
      at,
      depth,
      removed: to - from,
      added,
    }));
    const last = messages.length - 1;
    for (const [index, entry] of messages.entries()) {
      const isOutput = index === last && entry.message.role !== "assistant" && entry.isRepair !== true;
      entries.push(this.#messageEntry(entry, isOutput ? depth : 0));
    }
    if (pending !== null)
      entries.push({ type: "request", step, at, depth, tool: pending.tool, request: pending.request });
    else if (!isOfChain) this.#chainDepth = depth + 1;
    return entries;
  }

  #messageEntry({ at, message, isRepair }: JournalMessage, depth: number): TranscriptEntry {
    return { type: "message", step: this.#step, at, depth, message, isRepair: isRepair === true };
  }
}
