import { constants, fstatSync } from "node:fs";
import { randomUUID } from "node:crypto";
import {
  link,
  lstat,
  mkdir,
  open,
  readdir,
  truncate,
  unlink,
  writeFile,
  type FileHandle,
} from "node:fs/promises";

/** A file that records are added to. */
export interface AppendFile {
  readonly append: (bytes: Uint8Array) => Promise<void>;
  /** Brings what was written to the disk. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What a file store asks of the file system: an interface, so that a test can record the calls or let them fail. */
export interface FileLayer {
  /** Makes a folder, for its owner alone, and those it is in; the first one that was made, undefined when all were there. */
  readonly makeFolder: (path: string) => Promise<string | undefined>;
  /** Opens a file for appending, and makes it, for its owner alone, if it is not there. */
  readonly openForAppend: (path: string) => Promise<AppendFile>;
  /** Brings a folder's entries to the disk, such as that of a new file. */
  readonly syncFolder: (path: string) => Promise<void>;
  /** Puts a whole file where none may be yet, at once; false when there is one. */
  readonly createExclusive: (path: string, text: string) => Promise<boolean>;
  /** Takes everything out of a file, which needs no room on the disk. */
  readonly empty: (path: string) => Promise<void>;
  /** Whether something has this name, whatever it is. */
  readonly exists: (path: string) => Promise<boolean>;
  /** A file's bytes; undefined when there is none. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
  readonly list: (path: string) => Promise<readonly string[]>;
  /** Removes a file; nothing happens when there is none. */
  readonly remove: (path: string) => Promise<void>;
}

/** Waiting for the other end of a pipe would hold the process; a link may lead anywhere. */
const neitherLinkNorWait = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The file system of the machine. */
export const nodeFileLayer: FileLayer = {
  makeFolder: (path) => mkdir(path, { recursive: true, mode: 0o700 }),
  openForAppend: async (path) => {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | neitherLinkNorWait;
    const handle = await openFile(path, flags);
    return {
      append: async (bytes) => {
        // A short write is no error of its own: the rest is tried, and the disk then says what is wrong.
        let done = 0;
        while (done < bytes.length) done += (await handle.write(bytes, done)).bytesWritten;
        // What is written to a file without a name is lost when it is closed, and no call says so.
        if (fstatSync(handle.fd).nlink === 0) throw new Error("The file was removed");
      },
      sync: () => handle.datasync(),
      close: () => handle.close(),
    };
  },
  syncFolder: async (path) => {
    // Windows has no call for it, and opens no folder.
    if (process.platform === "win32") return;
    const handle = await open(path, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  createExclusive: async (path, text) => {
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
      await link(temporary, path);
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return false;
      throw error;
    } finally {
      await removed(temporary);
    }
  },
  empty: (path) => truncate(path),
  exists: async (path) => (await unlessMissing(lstat(path), undefined)) !== undefined,
  read: async (path) => {
    const handle = await unlessMissing(openFile(path, constants.O_RDONLY | neitherLinkNorWait), undefined);
    if (handle === undefined) return undefined;
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  },
  list: (path) => unlessMissing(readdir(path), []),
  remove: (path) => removed(path),
};

/** A regular file: appending to anything else, or reading it, is nothing a journal could do. */
async function openFile(path: string, flags: number): Promise<FileHandle> {
  const handle = await open(path, flags, 0o600);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error("It is no regular file");
}

function removed(path: string): Promise<void> {
  return unlessMissing(unlink(path), undefined);
}

async function unlessMissing<T, Otherwise>(work: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return otherwise;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
