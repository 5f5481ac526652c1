import {
  activeAgents,
  Empty,
  factory,
  NO_MESSAGE,
  value,
  type ExternalDependency,
  type Of,
  type Tool,
  type ToolContext,
} from "@roboz/core";
import { basename, join } from "node:path";
import * as z from "zod";

import { cutText, withoutHeading } from "./cut-text.ts";
import { claimFolder } from "./folder-claim.ts";
import { memoryContent, memoryText, type MemorySource } from "./memory-document.ts";
import type { Records } from "./records.ts";
import { parseSnapshot } from "./snapshot-document.ts";
import { microsOf, stampAfter, type Stamp } from "./stamp.ts";
import {
  addStamped,
  foldersIn,
  newestStampNow,
  readDamagedText,
  readText,
  stampsIn,
} from "./stamped-files.ts";
import { materialRule, sourceBudget, summaryFor, type SummarySettings } from "./summary-call.ts";

const toolName = "consolidate_memory";

/** What a look at the snapshots that no memory holds yet came to. */
export const ConsolidationResult = value("consolidation_result", {
  /**
   * `superseded`: somebody else wrote a memory meanwhile, and nothing was written. `postponed`: somebody else is at it, or the
   * model gave no summary this time.
   */
  status: z.enum(["consolidated", "not_due", "superseded", "postponed"]),
  /** The snapshots that were found newer than the memory. */
  pending: z.number().int(),
  /** Those that the new memory holds. */
  consumed: z.number().int(),
  /** The new memory's file name; null when none was written. */
  memory: z.string().nullable(),
});
/** What a look at the snapshots that no memory holds yet came to. */
export type ConsolidationResult = Of<typeof ConsolidationResult>;

/** What memory is consolidated with. */
export interface ConsolidationToolOptions extends SummarySettings {
  readonly records: Records;
  readonly watchedAgentNames: ReadonlySet<string>;
  /** How many snapshots are enough while an agent is at work; less than 1 counts as 1. */
  readonly minimumPending: number;
  /** How old a snapshot may become before it is consolidated while an agent is at work. */
  readonly maxPendingAgeMs: number;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

/** The default tool that makes one memory of all snapshots. */
export function consolidationTool(
  options: ConsolidationToolOptions,
): Tool<Empty, ConsolidationResult, typeof toolName> {
  return bind(new Consolidator(options));
}

const bind = factory<Consolidator>()({
  name: toolName,
  description: "Work new conversation snapshots into the persistent memory.",
  input: Empty,
  output: ConsolidationResult,
  run: (_input, context, consolidator) => consolidator.look(context),
});

/** A snapshot that is newer than the memory. */
interface Pending {
  readonly stamp: Stamp;
  readonly conversationId: string;
}

/** What a look at the folders found. */
interface Listed {
  readonly previous: Stamp | undefined;
  readonly listedAt: number;
  readonly pending: readonly Pending[];
  readonly isDue: boolean;
}

/** A pending snapshot that was read. */
interface Part extends Pending {
  readonly agentName: string | undefined;
  readonly text: string;
}

class Consolidator {
  readonly #options: ConsolidationToolOptions;
  readonly #now: () => number;
  readonly externalDependencies = (): readonly ExternalDependency[] =>
    this.#options.endpoint.externalDependencies();

  constructor(options: ConsolidationToolOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async look(context: ToolContext): Promise<ConsolidationResult> {
    const { pending, isDue } = await this.#listed();
    if (!isDue) return resultOf("not_due", { pending: pending.length });
    const claim = await claimFolder(this.#options.records.memoryDir);
    if (!claim.isOurs) return resultOf("postponed", { pending: pending.length });
    try {
      return await this.#consolidate(context);
    } finally {
      claim.release();
    }
  }

  /** Consolidates what is due, in parts when one request does not take it all. */
  async #consolidate(context: ToolContext): Promise<ConsolidationResult> {
    let done: ConsolidationResult | undefined;
    for (;;) {
      const part = await this.#part(context);
      if (part.status !== "consolidated") return done ?? part;
      const { pending, memory } = part;
      const consumed = (done?.consumed ?? 0) + part.consumed;
      done = resultOf("consolidated", { pending: done?.pending ?? pending, consumed, memory });
      if (part.consumed === pending) return done;
    }
  }

  async #part(context: ToolContext): Promise<ConsolidationResult> {
    const { memoryDir, snapshotsDir } = this.#options.records;
    const { previous, listedAt, pending, isDue } = await this.#listed();
    if (!isDue) return resultOf("not_due", { pending: pending.length });
    const budget = sourceBudget(this.#options);
    const previousText =
      previous === undefined ? undefined : await readDamagedText(join(memoryDir, `${previous}.md`));
    // Somebody may have made it longer than any that is written here.
    const before =
      previousText === undefined
        ? undefined
        : cutText(withoutHeading(memoryContent(previousText)), budget / 2);
    const parts = await this.#fitting(pending, budget - (before?.length ?? 0));
    const last = parts.at(-1);
    if (last === undefined) return resultOf("not_due", { pending: pending.length });
    const outcome = await summaryFor(toolName, this.#options, {
      instructions,
      source: sourceText(before, parts),
      context,
    });
    if ("failure" in outcome) return resultOf("postponed", { pending: pending.length });
    const newest = newestStampNow(memoryDir);
    if (newest !== undefined && (previous === undefined || newest > previous))
      return resultOf("superseded", { pending: pending.length });
    const text = memoryText({
      summary: outcome.summary,
      sources: parts.map((part) => sourceOf(snapshotsDir, part)),
      previous: previous === undefined ? undefined : `${previous}.md`,
    });
    // Named by when its sources were listed: what is snapshotted later is newer, and stays pending.
    const isAll = parts.length === pending.length;
    const named = isAll ? stampAfter(listedAt, undefined) : last.stamp;
    const floor = [named, last.stamp, ...(previous === undefined ? [] : [stampAfter(0, previous)])]
      .sort()
      .at(-1);
    const stamp = addStamped(memoryDir, [], floor ?? named, text);
    return resultOf("consolidated", {
      pending: pending.length,
      consumed: parts.length,
      memory: `${stamp}.md`,
    });
  }

  async #listed(): Promise<Listed> {
    const { memoryDir, snapshotsDir } = this.#options.records;
    const previous = (await stampsIn(memoryDir)).at(-1);
    const listedAt = this.#now();
    const pending = await pendingIn(snapshotsDir, previous);
    return { previous, listedAt, pending, isDue: await this.#isDue(pending, listedAt) };
  }

  async #isDue(pending: readonly Pending[], now: number): Promise<boolean> {
    const [oldest] = pending;
    if (oldest === undefined) return false;
    const { minimumPending, maxPendingAgeMs, records, watchedAgentNames } = this.#options;
    if (pending.length >= Math.max(1, minimumPending)) return true;
    if (now - (microsOf(oldest.stamp) ?? now * 1_000) / 1_000 >= maxPendingAgeMs) return true;
    return (await activeAgents(records.logsDir, [...watchedAgentNames])).length === 0;
  }

  /** The oldest snapshots, as many as one request takes; those of one moment stay together. */
  async #fitting(pending: readonly Pending[], room: number): Promise<readonly Part[]> {
    let left = room;
    const parts: Part[] = [];
    for (const one of pending) {
      const path = join(this.#options.records.snapshotsDir, one.conversationId, `${one.stamp}.md`);
      const given = await readText(path);
      // It was purged meanwhile, or is no text.
      if (given === undefined) continue;
      const { text, agentName } = parseSnapshot(given);
      const last = parts.at(-1);
      if (last !== undefined && text.length > left && last.stamp !== one.stamp) break;
      const shown = cutText(text, left);
      parts.push({ ...one, text: shown, agentName });
      left -= shown.length;
    }
    return parts;
  }
}

/** The snapshots that are newer than a stamp, the oldest first. */
async function pendingIn(snapshotsDir: string, after: Stamp | undefined): Promise<readonly Pending[]> {
  const pending: Pending[] = [];
  for (const conversationId of await foldersIn(snapshotsDir))
    for (const stamp of await stampsIn(join(snapshotsDir, conversationId)))
      if (after === undefined || stamp > after) pending.push({ stamp, conversationId });
  return pending.sort((one, other) => (one.stamp < other.stamp ? -1 : one.stamp > other.stamp ? 1 : 0));
}

function sourceOf(snapshotsDir: string, { conversationId, stamp, agentName }: Part): MemorySource {
  return { path: join(basename(snapshotsDir), conversationId, `${stamp}.md`), agentName, conversationId };
}

const instructions = [
  "You keep the long-term memory of AI agents that work for the same people. You are given the memory as it is, and snapshots of conversations that it does not hold yet. Write the memory as it should be from now on: it takes the place of the one before.",
  "Keep what will be of use in conversations to come: who the people are and what they prefer, how they want things done, standing decisions and why, facts, names, paths and numbers exactly, what failed and what was learnt, what is under way and what is open, with dates. Newer facts replace older ones. Leave out what is over and teaches nothing.",
  materialRule,
].join("\n\n");

/** The memory before, then the snapshots by conversation, the oldest first. */
function sourceText(before: string | undefined, parts: readonly Part[]): string {
  const byConversation = new Map<string, Part[]>();
  for (const part of parts)
    byConversation.set(part.conversationId, [...(byConversation.get(part.conversationId) ?? []), part]);
  const conversations = [...byConversation].map(([conversationId, snapshots]) => {
    const agent = snapshots.find(({ agentName }) => agentName !== undefined)?.agentName;
    const title = `# Conversation ${conversationId}${agent === undefined ? "" : ` of ${agent}`}`;
    return [title, ...snapshots.map(({ stamp, text }) => `## Snapshot ${stamp}\n\n${text}`)].join("\n\n");
  });
  const memory = before === undefined ? [] : ["# Previous memory", before];
  return [...memory, ...conversations].join("\n\n");
}

function resultOf(
  status: ConsolidationResult["status"],
  facts: { readonly pending: number; readonly consumed?: number; readonly memory?: string | null },
): ConsolidationResult {
  const isActivity = status === "consolidated";
  return ConsolidationResult(
    { status, consumed: 0, memory: null, ...facts },
    { truncation: NO_MESSAGE, messageKind: isActivity ? "librarian_activity" : "librarian_routine" },
  );
}
