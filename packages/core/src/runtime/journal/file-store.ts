import { dirname, join, resolve } from "node:path";

import { JournalReadError, JournalWriteError, RunLockedError, UnknownRunError } from "./errors.ts";
import { nodeFileLayer, type AppendFile, type FileLayer } from "./file-layer.ts";
import { checkRunId, isRunId } from "./run-id.ts";
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
 * a line of its own. Whether the holder of a run is still there is told by its process id and start; so a folder belongs
 * to the processes of one machine, or of one container, at a time.
 */
export function fileJournalStore(
  path: string,
  { survives = "power", files = nodeFileLayer }: FileStoreOptions = {},
): JournalStore {
  const folder = resolve(path);
  const syncs = survives === "power";
  const pathOf = (runId: string): string => join(folder, `${checkRunId(runId)}${extension}`);
  return {
    open: async (runId, { mustExist = false } = {}) => {
      const path = pathOf(runId);
      if (mustExist && !(await read(runId, files.exists(path)))) throw new UnknownRunError({ runId });
      let unlock: (() => Promise<void>) | undefined;
      let file: AppendFile | undefined;
      try {
        const made = await files.makeFolder(folder);
        unlock = await lockRun(files, folder, runId);
        const bytes = (await read(runId, files.read(path))) ?? new Uint8Array();
        file = await files.openForAppend(path);
        if (syncs) for (const one of foldersToSync(folder, made)) await files.syncFolder(one);
        const endsLine = bytes.length === 0 || bytes.at(-1) === newline;
        return { runId, lines: linesOf(bytes), ...writer({ runId, file, unlock, syncs, endsLine }) };
      } catch (error) {
        await closed(file);
        await unlock?.();
        if (error instanceof RunLockedError || error instanceof JournalReadError) throw error;
        throw new JournalWriteError({ runId, cause: error });
      }
    },
    read: async (runId) => {
      const bytes = await read(runId, files.read(pathOf(runId)));
      return bytes === undefined ? undefined : linesOf(bytes);
    },
    list: async () =>
      (await read(null, files.list(folder)))
        .filter((name) => name.endsWith(extension))
        .map((name) => name.slice(0, -extension.length))
        .filter(isRunId),
  };
}

async function read<T>(runId: string | null, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new JournalReadError({ runId, cause });
  }
}

/** The folders whose entries are new: that of the journals, and what had to be made for it. */
function foldersToSync(folder: string, made = ""): readonly string[] {
  const folders = [folder];
  for (let at = folder; made !== "" && at.length >= made.length;) {
    at = dirname(at);
    folders.push(at);
  }
  return folders;
}

const newline = 0x0a;

function linesOf(bytes: Uint8Array): readonly string[] {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\n");
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
  let failure: JournalWriteError | undefined;
  let closing: Promise<void> | undefined;
  let startsLine = endsLine;
  // Appends stand in line, so that records are in the order in which they were given.
  let last: Promise<void> = Promise.resolve();
  const write = async (record: string): Promise<void> => {
    // A record behind one that is missing could not be read.
    if (failure !== undefined) throw failure;
    try {
      await file.append(Buffer.from(`${startsLine ? "" : "\n"}${record}\n`));
      if (syncs) await file.sync();
      startsLine = true;
    } catch (cause) {
      failure = new JournalWriteError({ runId, cause });
      throw failure;
    }
  };
  return {
    append: (record) => {
      if (closing !== undefined)
        return Promise.reject(new JournalWriteError({ runId, cause: new Error("The journal was closed") }));
      const done = last.then(() => write(record));
      last = done.catch(() => undefined);
      return done;
    },
    close: () => (closing ??= last.then(() => closed(file)).then(unlock)),
  };
}

/** What was acknowledged stands already; a file that cannot be closed takes nothing from it. */
async function closed(file: AppendFile | undefined): Promise<void> {
  await file?.close().catch(() => undefined);
}
