import {
  Empty,
  factory,
  NO_MESSAGE,
  value,
  type ExternalDependency,
  type JournalStore,
  type Of,
  type RunDocument,
  type Tool,
  type ToolContext,
} from "@roboz/core";
import { join } from "node:path";
import * as z from "zod";

import { cutText, withoutHeading } from "./cut-text.ts";
import { cutRow, rowsAfter, type Row } from "./conversation-rows.ts";
import { isLog, readConversation } from "./conversation-log.ts";
import { filesBelow, type FoundFile } from "./files-below.ts";
import { claimFolder, type FolderClaim } from "./folder-claim.ts";
import { onOneLine } from "./librarian-markers.ts";
import type { Records } from "./records.ts";
import { parseSnapshot, snapshotText, type SnapshotDocument } from "./snapshot-document.ts";
import { microsOf, stampAfter, type Stamp } from "./stamp.ts";
import { addStamped, newestStampNow, readText, stampsIn } from "./stamped-files.ts";
import { materialRule, sourceBudget, summaryFor, type SummarySettings } from "./summary-call.ts";

const toolName = "snapshot_conversations";

/** What a pass over the conversations came to. */
export const SnapshotCounts = value("snapshot_counts", {
  /** Log files that were found: the sum of `parsed` and those that were skipped. */
  scanned: z.number().int(),
  /** Conversations of watched agents. */
  parsed: z.number().int(),
  created: z.number().int(),
  /** Files that cannot be read, or are no logs. */
  skipped_invalid: z.number().int(),
  /** Conversations of other agents. */
  skipped_agent: z.number().int(),
});
/** What a pass over the conversations came to. */
export type SnapshotCounts = Of<typeof SnapshotCounts>;

/** What conversations are snapshotted with. */
export interface SnapshotToolOptions extends SummarySettings {
  readonly records: Records;
  readonly watchedAgentNames: ReadonlySet<string>;
  /** How much a conversation has to grow before it is snapshotted while it is under way. */
  readonly growthThresholdTokens: number;
  /** Where conversations under way have what their logs lack. */
  readonly journal?: JournalStore | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** The default tool that keeps snapshots of conversations. */
export function snapshotTool(options: SnapshotToolOptions): Tool<Empty, SnapshotCounts, typeof toolName> {
  return bind(new Snapshotter(options));
}

const bind = factory<Snapshotter>()({
  name: toolName,
  description: "Summarise what is new in the conversations of the watched agents.",
  input: Empty,
  output: SnapshotCounts,
  run: (_input, context, snapshotter) => snapshotter.pass(context),
});

type Counted = "created" | "unchanged" | "invalid" | "other";

/** What a file came to. */
interface Settled {
  readonly identity: string;
  readonly outcome: Counted;
  /** The newest snapshot by which the file has nothing new; undefined when none matters. */
  readonly covered?: { readonly folder: string; readonly stamp: Stamp | undefined } | undefined;
}

/** A conversation's newest snapshot. */
interface Newest extends SnapshotDocument {
  readonly stamp: Stamp;
}

/** A part of a conversation that is new, and fits into one request. */
interface Segment {
  readonly rows: readonly Row[];
  /** The snapshot before, as far as there is room for it. */
  readonly previous: { readonly stamp: Stamp; readonly text: string } | undefined;
  /** The last row that it covers. */
  readonly sequence: number;
  readonly mode: "incremental" | "terminal-completed" | "terminal-failed";
}

class Snapshotter {
  readonly #options: SnapshotToolOptions;
  readonly #now: () => number;
  /** Files in which nothing was left to do, and cannot be until they, or what covers them, change. */
  readonly #settled = new Map<string, Settled>();
  /** What a model gave no usable summary of: tried again when there is more. */
  readonly #hopeless = new Map<string, number>();
  /** The model cannot be asked in this pass. */
  #isAway = false;
  /** Asked for when there is something to summarise, for the rest of the pass. */
  #claim: FolderClaim | undefined;
  /** The snapshots of this pass. */
  #created = 0;
  readonly externalDependencies = (): readonly ExternalDependency[] =>
    this.#options.endpoint.externalDependencies();

  constructor(options: SnapshotToolOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async pass(context: ToolContext): Promise<SnapshotCounts> {
    const { logsDir, snapshotsDir } = this.#options.records;
    const counts = { created: 0, unchanged: 0, invalid: 0, other: 0 };
    const files = await filesBelow(logsDir, isLog, snapshotsDir);
    this.#forget(files);
    this.#isAway = false;
    this.#created = 0;
    try {
      for (const file of files) {
        context.signal.throwIfAborted();
        const outcome = (await this.#known(file)) ?? (await this.#look(file, context));
        counts[outcome] += 1;
      }
    } finally {
      this.#claim?.release();
      this.#claim = undefined;
    }
    const { invalid, other } = counts;
    const parsed = counts.created + counts.unchanged;
    const created = this.#created;
    return SnapshotCounts(
      { scanned: parsed + invalid + other, parsed, created, skipped_invalid: invalid, skipped_agent: other },
      { truncation: NO_MESSAGE, messageKind: created > 0 ? "librarian_activity" : "librarian_routine" },
    );
  }

  #forget(files: readonly FoundFile[]): void {
    const paths = new Set(files.map(({ path }) => path));
    for (const path of this.#settled.keys()) if (!paths.has(path)) this.#settled.delete(path);
  }

  /** What a file came to that was looked at before, and of which nothing has changed. */
  async #known(file: FoundFile): Promise<Counted | undefined> {
    const settled = this.#settled.get(file.path);
    if (settled?.identity !== file.identity) return undefined;
    const { covered, outcome } = settled;
    if (covered === undefined) return outcome;
    return (await stampsIn(covered.folder)).at(-1) === covered.stamp ? outcome : undefined;
  }

  async #look(file: FoundFile, context: ToolContext): Promise<Counted> {
    const document = await readConversation(file.path, this.#options.journal);
    const settle = (outcome: Counted, covered?: Settled["covered"]): Counted => {
      this.#settled.set(file.path, { identity: file.identity, outcome, covered });
      return outcome;
    };
    if (document === "unreadable") return "invalid";
    if (document === "invalid") return settle("invalid");
    if (!this.#options.watchedAgentNames.has(document.agent_name)) return settle("other");
    if (document.status === "cancelled") return settle("unchanged");
    const folder = join(this.#options.records.snapshotsDir, document.conversation_id);
    let outcome: Counted = "unchanged";
    for (;;) {
      const newest = await newestIn(folder);
      if (!this.#isDue(document, newest?.sequence)) {
        // A journal grows beside the file.
        const mayGrow = document.status === "running" && this.#options.journal !== undefined;
        if (!mayGrow) settle("unchanged", { folder, stamp: newest?.stamp });
        return outcome;
      }
      if (this.#claim === undefined) {
        this.#claim = await claimFolder(this.#options.records.snapshotsDir);
        // Whoever had it before may just have done it.
        continue;
      }
      if (!this.#claim.isOurs) return outcome;
      const segment = this.#segment(document, newest);
      if (this.#isAway || this.#hopeless.get(document.conversation_id) === segment.sequence) return outcome;
      if (!(await this.#snapshot(document, segment, newest, context))) return outcome;
      this.#created += 1;
      outcome = "created";
    }
  }

  #isDue(document: RunDocument, covered = -Infinity): boolean {
    const isOver = document.status === "completed" || document.status === "failed";
    let tokens = 0;
    for (const row of rowsAfter(document, covered)) {
      tokens += row.tokens;
      if (isOver || tokens >= this.#options.growthThresholdTokens) return true;
    }
    return false;
  }

  /** As many rows as one request takes: the marker covers no more, and the next segment goes on from there. */
  #segment(document: RunDocument, newest: Newest | undefined): Segment {
    const budget = sourceBudget(this.#options);
    // Somebody may have made it longer than any that is written here.
    const previous =
      newest === undefined
        ? undefined
        : { stamp: newest.stamp, text: cutText(withoutHeading(newest.text), budget / 2) };
    let left = budget - (previous?.text.length ?? 0);
    const taken: Row[] = [];
    let next: Row | undefined;
    for (const row of rowsAfter(document, newest?.sequence ?? -Infinity)) {
      if (taken.length > 0 && row.text.length > left) {
        next = row;
        break;
      }
      const cut = cutRow(row, left);
      taken.push(cut);
      left -= cut.text.length;
    }
    // A marker cannot stand between rows of one number.
    while (taken.length > 1 && next !== undefined && taken.at(-1)?.sequence === next.sequence) taken.pop();
    // Rows that no summary speaks of are covered with the last one before them.
    const last = next === undefined ? document.messages.at(-1) : taken.at(-1);
    const { status } = document;
    const isOver = next === undefined && (status === "completed" || status === "failed");
    const mode = isOver ? (`terminal-${status}` as const) : "incremental";
    return { rows: taken, previous, sequence: last?.sequence ?? 0, mode };
  }

  /** Whether it wrote a snapshot. */
  async #snapshot(
    document: RunDocument,
    segment: Segment,
    newest: Newest | undefined,
    context: ToolContext,
  ): Promise<boolean> {
    const { conversation_id: id, agent_name: agentName } = document;
    const outcome = await summaryFor(toolName, this.#options, {
      instructions,
      source: sourceText(document, segment),
      context,
    });
    if ("failure" in outcome) {
      if (outcome.isGeneral) this.#isAway = true;
      else this.#hopeless.set(id, segment.sequence);
      return false;
    }
    const { snapshotsDir, memoryDir } = this.#options.records;
    const folder = join(snapshotsDir, id);
    let seen = newest;
    // Read whatever came meanwhile, until nothing does: then the write follows with nothing between.
    for (let now = newestStampNow(folder); now !== seen?.stamp; now = newestStampNow(folder)) {
      seen = await newestIn(folder);
      if (seen === undefined || seen.stamp === newest?.stamp) continue;
      // Somebody else was faster, and has seen at least as much.
      if (seen.sequence !== undefined && seen.sequence >= segment.sequence) return false;
    }
    const text = snapshotText({ agentName, summary: outcome.summary, sequence: segment.sequence });
    // What is older than the memory counts as part of it.
    const stamp = stampAfter(this.#now(), seen?.stamp, newestStampNow(memoryDir));
    addStamped(snapshotsDir, [id], stamp, text);
    return true;
  }
}

async function newestIn(folder: string): Promise<Newest | undefined> {
  const stamp = (await stampsIn(folder)).at(-1);
  if (stamp === undefined) return undefined;
  const text = await readText(join(folder, `${stamp}.md`));
  return { stamp, ...parseSnapshot(text ?? "") };
}

const instructions = [
  "You keep the record of a conversation between an AI agent, its tools and its user. Summarise what is new in it, so that a later reader knows what happened without the conversation itself: what was asked and wanted, what the user prefers, what was decided and why, what was done and with what result, names, paths, numbers and dates exactly, what failed, and what is open.",
  "With a previous snapshot, write one that takes its place: keep what still matters of it, and correct what has changed. The mode says how the conversation stands: `incremental` while it goes on, `terminal-completed` or `terminal-failed` when it is over.",
  materialRule,
].join("\n\n");

function sourceText(document: RunDocument, { rows, mode, previous }: Segment): string {
  const { agent_name: agent, conversation_id: id, status, started_at: start, ended_at: end } = document;
  const facts = [
    `- Agent: ${onOneLine(agent)}`,
    `- Conversation: ${id}`,
    `- Status: ${status}`,
    `- Mode: ${mode}`,
    `- Started: ${onOneLine(start)}`,
    `- Ended: ${end === null ? "not yet" : onOneLine(end)}`,
  ];
  const before =
    previous === undefined ? [] : [`# Previous snapshot, of ${isoOf(previous.stamp)}`, previous.text];
  const segment = ["# New in the conversation", ...rows.map(({ text }) => text)];
  return ["# Source", facts.join("\n"), ...before, ...segment].join("\n\n");
}

function isoOf(stamp: Stamp): string {
  return new Date((microsOf(stamp) ?? 0) / 1_000).toISOString();
}
