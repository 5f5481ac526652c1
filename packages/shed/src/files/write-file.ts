import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { isSame } from "./entry.ts";
import type { Identity } from "./entry.ts";
import { childLocation } from "./file-name.ts";
import type { OpenDirectory } from "./open-directory.ts";
import { FileChangedError, systemCode } from "./system-error.ts";

/** Writes all of a chunk: the system may take it in parts. */
export function writeAll(descriptor: number, chunk: Uint8Array): void {
  let written = 0;
  while (written < chunk.length) written += writeSync(descriptor, chunk, written, chunk.length - written);
}

/**
 * Opens a file for writing: the very file that was checked, or a new one when there was none. Nothing is changed
 * before the object is known to be the right one.
 */
export function openForWriting(
  directory: OpenDirectory,
  name: string,
  {
    expected,
    append = false,
    mode = 0o666,
  }: { expected: Identity | undefined; append?: boolean; mode?: number },
): number {
  const flags = constants.O_WRONLY | (append ? constants.O_APPEND : 0);
  if (expected === undefined) {
    try {
      return directory.createFile(name, flags, mode);
    } catch (error) {
      if (systemCode(error) === "EEXIST") throw new FileChangedError(childLocation(directory.location, name));
      throw error;
    }
  }
  const { descriptor } = directory.openFile(name, flags, expected);
  if (append) return descriptor;
  try {
    ftruncateSync(descriptor, 0);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** What unfinished files of {@link replaceFile} are called; nothing else begins so. */
const unfinishedPrefix = ".roboz-unfinished-";

/** Whether a file of this name was being written by {@link replaceFile}; after a crash it stays behind. */
export function isUnfinished(name: string): boolean {
  return name.startsWith(unfinishedPrefix);
}

/**
 * Puts a whole new content in the place of a file: whoever looks, also after a crash, finds the old content or the
 * new one. Mode and owner are kept. The new content is on disk before it takes the name.
 *
 * @param options.expected - The file as it was checked and read; `undefined` when there was none. Another object, or
 * this one changed since, is left alone.
 * @param options.oldContent - What was read. Clocks may be too coarse to tell a change, so it is read once more.
 * @throws {@link FileChangedError} when something else stands there now, or an error of the operating system.
 */
export function replaceFile(
  directory: OpenDirectory,
  name: string,
  content: Uint8Array,
  { expected, oldContent }: { expected: BigIntStats | undefined; oldContent?: Buffer },
): void {
  if (expected !== undefined) checkWritable(directory, name, expected);
  const unfinished = writeUnfinished(directory, content, expected);
  try {
    if (expected === undefined) takeName(directory, unfinished, name);
    else takePlace(directory, { unfinished, name, expected, oldContent });
  } catch (error) {
    directory.unlink(unfinished);
    throw error;
  }
  directory.sync();
}

function takePlace(
  directory: OpenDirectory,
  {
    unfinished,
    name,
    expected,
    oldContent,
  }: { unfinished: string; name: string; expected: BigIntStats; oldContent: Buffer | undefined },
): void {
  const isOld = oldContent === undefined || holds(directory, name, expected, oldContent);
  const now = directory.inspect(name);
  if (!isOld || now === undefined || !isUnchanged(now, expected)) {
    throw new FileChangedError(childLocation(directory.location, name));
  }
  directory.rename(unfinished, directory, name);
}

function holds(directory: OpenDirectory, name: string, expected: Identity, content: Buffer): boolean {
  const { descriptor } = directory.openFile(name, constants.O_RDONLY, expected);
  try {
    return readFileSync(descriptor).equals(content);
  } finally {
    closeSync(descriptor);
  }
}

/** A rename would silently replace what somebody made meanwhile; a second name is refused when the first is taken. */
function takeName(directory: OpenDirectory, unfinished: string, name: string): void {
  try {
    directory.link(unfinished, name);
  } catch (error) {
    if (systemCode(error) === "EEXIST") throw new FileChangedError(childLocation(directory.location, name));
    throw error;
  }
  directory.unlink(unfinished);
}

/** Writes a file that only its owner can read until it is whole. */
function writeUnfinished(
  directory: OpenDirectory,
  content: Uint8Array,
  old: BigIntStats | undefined,
): string {
  const name = unfinishedPrefix + randomBytes(9).toString("base64url");
  // A file that is new altogether is made with the mode of any new file, so that the umask has its say, and narrowed
  // while it is still empty.
  const descriptor = directory.createFile(name, constants.O_WRONLY, old === undefined ? 0o666 : 0o600);
  try {
    const { mode } = old ?? fstatSync(descriptor, { bigint: true });
    fchmodSync(descriptor, 0o600);
    writeAll(descriptor, content);
    if (old !== undefined) keepOwner(descriptor, old);
    // Waiting for the disk takes longest, so the mode is set after it, right before the file takes its name.
    fsyncSync(descriptor);
    fchmodSync(descriptor, Number(mode & 0o7777n));
  } catch (error) {
    directory.unlink(name);
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return name;
}

/** A rename needs no right to write the file, so that right is asked for first. */
function checkWritable(directory: OpenDirectory, name: string, expected: Identity): void {
  closeSync(directory.openFile(name, constants.O_WRONLY, expected).descriptor);
}

function keepOwner(descriptor: number, { uid, gid }: BigIntStats): void {
  const now = fstatSync(descriptor, { bigint: true });
  if (now.uid !== uid || now.gid !== gid) fchownSync(descriptor, Number(uid), Number(gid));
}

function isUnchanged(now: BigIntStats, then: BigIntStats): boolean {
  return (
    isSame(now, then) &&
    now.nlink === 1n &&
    now.size === then.size &&
    now.mtimeNs === then.mtimeNs &&
    now.ctimeNs === then.ctimeNs
  );
}
