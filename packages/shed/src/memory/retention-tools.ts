import { Empty, NO_MESSAGE, tool, value, type AnyTool, type Of } from "@roboz/core";
import { readdir, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";

import { systemCode } from "../files/system-error.ts";
import { isUnfinished } from "../files/write-file.ts";
import { isLog } from "./conversation-log.ts";
import { filesBelow, type FoundFile } from "./files-below.ts";
import type { Records } from "./records.ts";
import { isGone, stampsIn } from "./stamped-files.ts";

/** What a purge came to. */
export const PurgeResult = value("purge_result", {
  found: z.number().int(),
  deleted: z.number().int(),
  /** Folders that were empty. */
  pruned: z.number().int(),
});
/** What a purge came to. */
export type PurgeResult = Of<typeof PurgeResult>;

/** How many files of each kind are kept; a negative number counts as 0. */
export interface RetentionLimits {
  readonly logs: number;
  readonly snapshots: number;
  readonly memory: number;
}

/** The three default tools that keep the folders from growing for ever. */
export function retentionTools(records: Records, limits: RetentionLimits): readonly AnyTool[] {
  return [
    purgeTool("purge_logs", "Delete the oldest logs.", () =>
      purgeFiles({ root: records.logsDir, extension: ".json", limit: limits.logs }),
    ),
    purgeTool("purge_snapshots", "Delete the oldest conversation snapshots.", () =>
      purgeFiles({
        root: records.snapshotsDir,
        extension: ".md",
        limit: limits.snapshots,
        prunes: true,
        keeps: () => coveringSnapshots(records),
      }),
    ),
    purgeTool("purge_memory", "Delete the oldest memory files.", () =>
      purgeFiles({
        root: records.memoryDir,
        extension: ".md",
        limit: limits.memory,
        keeps: () => newestMemory(records, limits.memory),
      }),
    ),
  ];
}

function purgeTool(name: string, description: string, purge: () => Promise<Purged>): AnyTool {
  return tool({
    name,
    description,
    input: Empty,
    output: PurgeResult,
    run: async () => {
      const purged = await purge();
      const isActivity = purged.deleted + purged.pruned > 0;
      return PurgeResult(purged, {
        truncation: NO_MESSAGE,
        messageKind: isActivity ? "librarian_activity" : "librarian_routine",
      });
    },
  });
}

/** What is purged. */
interface Purge {
  readonly root: string;
  readonly extension: string;
  readonly limit: number;
  /** Whether empty folders below the root go, too. */
  readonly prunes?: boolean | undefined;
  /** Tells the files that stay, whatever their age; asked only when there are too many. */
  readonly keeps?: (() => Promise<ReadonlySet<string>>) | undefined;
}

interface Purged {
  readonly found: number;
  readonly deleted: number;
  readonly pruned: number;
}

/** Deletes the oldest files below a folder, down to a limit. A folder that is not there is empty. */
async function purgeFiles({ root, extension, limit, prunes = false, keeps }: Purge): Promise<Purged> {
  const files = await filesBelow(root, (name) => name.endsWith(extension));
  const excess = files.length - Math.max(0, limit);
  const kept = excess > 0 ? await keeps?.() : undefined;
  let deleted = 0;
  for (const { path } of [...files].sort(oldestFirst)) {
    if (deleted >= excess) break;
    if (kept?.has(path) === true) continue;
    await remove(path);
    deleted += 1;
  }
  await sweep(root);
  return { found: files.length, deleted, pruned: prunes ? await pruneEmpty(root) : 0 };
}

async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** How old a file is that nobody is writing any more. */
const abandonedMs = 3_600_000;

/** Removes what processes that died while they wrote have left behind. */
async function sweep(root: string): Promise<void> {
  const youngest = BigInt(Date.now() - abandonedMs) * 1_000_000n;
  for (const { path, modified } of await filesBelow(root, isUnfinished))
    if (modified < youngest) await remove(path);
}

function oldestFirst(one: FoundFile, other: FoundFile): number {
  if (one.modified !== other.modified) return one.modified < other.modified ? -1 : 1;
  return one.path < other.path ? -1 : 1;
}

/** Removes the empty folders below a folder, the deepest first; the folder itself stays. */
async function pruneEmpty(root: string): Promise<number> {
  let pruned = 0;
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    if (isGone(error)) return [];
    throw error;
  });
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const folder = join(root, entry.name);
    pruned += await pruneEmpty(folder);
    try {
      await rmdir(folder);
      pruned += 1;
    } catch (error) {
      // Somebody put something into it, or took it away.
      if (!isGone(error) && !["ENOTEMPTY", "EEXIST"].includes(systemCode(error) ?? "")) throw error;
    }
  }
  return pruned;
}

/** The memory that counts, which may have been changed longer ago than others; nothing when none is to be kept. */
async function newestMemory({ memoryDir }: Records, limit: number): Promise<ReadonlySet<string>> {
  const newest = limit > 0 ? (await stampsIn(memoryDir)).at(-1) : undefined;
  return new Set(newest === undefined ? [] : [join(memoryDir, `${newest}.md`)]);
}

/**
 * Tells the snapshots that say how far a conversation is covered whose log is still there. Without them the conversation would
 * count as new, and be summarised once more with every pass.
 */
async function coveringSnapshots({ logsDir, snapshotsDir }: Records): Promise<ReadonlySet<string>> {
  const logs = await filesBelow(logsDir, isLog, snapshotsDir);
  const covering = new Set<string>();
  for (const { path } of logs) {
    const folder = join(snapshotsDir, basename(path, ".json"));
    const newest = (await stampsIn(folder)).at(-1);
    if (newest !== undefined) covering.add(join(folder, `${newest}.md`));
  }
  return covering;
}
