import { join } from "node:path";

import { JournalWriteError, RunLockedError } from "./errors.ts";
import { nodeFileLayer, type AppendFile, type FileLayer } from "./file-layer.ts";
import { checkRunId } from "./run-id.ts";
import { lockRun } from "./run-lock.ts";
import type { JournalHandle, JournalStore } from "./store.ts";

/** How a file store keeps its journals. */
export interface FileStoreOptions {
  /**
   * What a record has to survive before the next step starts. `"power"` (the default): a power cut; each record is synced
   * to the disk. `"process"`: the end of the process; the operating system writes when it likes.
   */
  readonly survives?: "power" | "process" | undefined;
  /** @internal */
  readonly files?: FileLayer | undefined;
}

const extension = ".jsonl";

/**
 * A store of one file per run, a record on each line, in one folder, for the owner's eyes alone (modes 0700 and 0600).
 *
 * A record that a crash cut off stays in the file as a broken line: it is counted, never read, and the next one starts on
 * a line of its own.
 */
export function fileJournalStore(
  folder: string,
  { survives = "power", files = nodeFileLayer }: FileStoreOptions = {},
): JournalStore {
  const pathOf = (runId: string): string => join(folder, `${checkRunId(runId)}${extension}`);
  return {
    open: async (runId) => {
      const path = pathOf(runId);
      const failed = (cause: unknown): JournalWriteError => new JournalWriteError({ runId, cause });
      let unlock: () => Promise<void>;
      try {
        await files.makeFolder(folder);
        unlock = await lockRun(files, folder, runId);
      } catch (error) {
        throw error instanceof RunLockedError ? error : failed(error);
      }
      try {
        const bytes = (await files.read(path)) ?? new Uint8Array();
        const file = await files.openForAppend(path);
        if (survives === "power") await files.syncFolder(folder);
        const endsLine = bytes.length === 0 || bytes.at(-1) === newline;
        return {
          runId,
          lines: linesOf(bytes),
          ...writer({ runId, file, unlock, syncs: survives === "power", endsLine }),
        };
      } catch (error) {
        await unlock();
        throw failed(error);
      }
    },
    read: async (runId) => {
      const bytes = await files.read(pathOf(runId));
      return bytes === undefined ? undefined : linesOf(bytes);
    },
    list: async () =>
      (await files.list(folder))
        .filter((name) => name.endsWith(extension))
        .map((name) => name.slice(0, -extension.length)),
  };
}

const newline = 0x0a;

function linesOf(bytes: Uint8Array): readonly string[] {
  return new TextDecoder().decode(bytes).split("\n");
}

interface WriterParts {
  readonly runId: string;
  readonly file: AppendFile;
  readonly unlock: () => Promise<void>;
  readonly syncs: boolean;
  readonly endsLine: boolean;
}

function writer({
  runId,
  file,
  unlock,
  syncs,
  endsLine,
}: WriterParts): Pick<JournalHandle, "append" | "close"> {
  let isOpen = true;
  let startsLine = endsLine;
  // Appends stand in line, so that records are in the order in which they were given.
  let last: Promise<void> = Promise.resolve();
  const write = async (record: string): Promise<void> => {
    if (!isOpen) throw new JournalWriteError({ runId, cause: new Error("The journal was closed") });
    const line = Buffer.from(`${startsLine ? "" : "\n"}${record}\n`);
    // Until it is known to be whole, what comes next must start on a line of its own.
    startsLine = false;
    try {
      await file.append(line);
      if (syncs) await file.sync();
    } catch (cause) {
      throw new JournalWriteError({ runId, cause });
    }
    startsLine = true;
  };
  return {
    append: (record) => {
      const done = last.then(() => write(record));
      last = done.catch(() => undefined);
      return done;
    },
    close: async () => {
      await last;
      if (!isOpen) return;
      isOpen = false;
      await file.close();
      await unlock();
    },
  };
}
