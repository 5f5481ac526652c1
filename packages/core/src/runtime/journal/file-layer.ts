import { constants } from "node:fs";
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";

/** A file that records are added to. */
export interface AppendFile {
  readonly append: (bytes: Uint8Array) => Promise<void>;
  /** Brings what was written to the disk. */
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What a file store asks of the file system: an interface, so that a test can record the calls or let them fail. */
export interface FileLayer {
  readonly makeFolder: (path: string) => Promise<void>;
  /** Opens a file for appending, and makes it, for its owner alone, if it is not there. */
  readonly openForAppend: (path: string) => Promise<AppendFile>;
  /** Brings a folder's entries to the disk, such as that of a new file. */
  readonly syncFolder: (path: string) => Promise<void>;
  /** Puts a whole file where none may be yet, at once; false when there is one. */
  readonly createExclusive: (path: string, text: string) => Promise<boolean>;
  /** Puts a whole file in the place of another, at once. */
  readonly replace: (path: string, text: string) => Promise<void>;
  /** A file's bytes; undefined when there is none. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
  readonly list: (path: string) => Promise<readonly string[]>;
  /** Removes a file; nothing happens when there is none. */
  readonly remove: (path: string) => Promise<void>;
}

/** The file system of the machine. */
export const nodeFileLayer: FileLayer = {
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  openForAppend: async (path) => {
    const handle = await open(
      path,
      constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
      0o600,
    );
    return {
      append: async (bytes) => {
        // A short write is no error of its own: the rest is tried, and the disk then says what is wrong.
        let done = 0;
        while (done < bytes.length) done += (await handle.write(bytes, done)).bytesWritten;
      },
      sync: () => handle.datasync(),
      close: () => handle.close(),
    };
  },
  syncFolder: async (path) => {
    const handle = await open(path, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  createExclusive: async (path, text) => {
    const temporary = await writeTemporary(path, text);
    try {
      await link(temporary, path);
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return false;
      throw error;
    } finally {
      await unlink(temporary);
    }
  },
  replace: async (path, text) => {
    const temporary = await writeTemporary(path, text);
    await rename(temporary, path);
  },
  read: async (path) => {
    try {
      return await readFile(path);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  },
  list: async (path) => {
    try {
      return await readdir(path);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  },
  remove: async (path) => {
    try {
      await unlink(path);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
  },
};

/** A file beside `path`, to be put in its place. */
async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
  return temporary;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
