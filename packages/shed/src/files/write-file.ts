import { randomUUID } from "node:crypto";
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, fsyncSync, writeSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import type { FileAccess } from "./access.ts";
import { isSame } from "./entry.ts";
import { lastName, parentLocation } from "./file-name.ts";
import type { OpenDirectory } from "./open-directory.ts";
import { readWhole } from "./reading.ts";
import { FileChangedError, systemCode, systemSentence } from "./system-error.ts";

/** Writes all of a chunk: the system may take it in parts. */
export function writeAll(descriptor: number, chunk: Uint8Array): void {
  let written = 0;
  while (written < chunk.length) written += writeSync(descriptor, chunk, written, chunk.length - written);
}

/** What the files of {@link UnfinishedFile} are called; nothing else begins so. */
const unfinishedPrefix = ".roboz-unfinished-";

/** Whether a file of this name is an {@link UnfinishedFile}; after a crash it stays behind. */
export function isUnfinished(name: string): boolean {
  return name.startsWith(unfinishedPrefix);
}

/** What a file is to become. */
interface UnfinishedFileOptions {
  /**
   * The file as it was checked; `undefined` when there was none. Its mode and owner are kept. Another object, or this
   * one changed since, is left alone.
   */
  readonly expected: BigIntStats | undefined;
  /** The mode of a new file, of which the umask takes its part. */
  readonly mode?: number;
  /** Also takes the place of a file that cannot be written, and is then like a new one. */
  readonly isForced?: boolean;
}

/**
 * A file that is written under a name of its own, beside the place that it takes once it is whole: whoever looks finds
 * the old content or the new one. {@link close} is to be called in the end.
 */
export class UnfinishedFile {
  readonly #access: FileAccess;
  readonly #location: string;
  readonly #expected: BigIntStats | undefined;
  readonly #name = unfinishedPrefix + randomUUID();
  readonly #descriptor: number;
  /** What is to become its mode; `undefined` when it has it already. */
  #mode: bigint | undefined;
  #isOpen = true;

  /** @throws {@link FileChangedError}, or an error of the operating system. */
  constructor(
    access: FileAccess,
    location: string,
    { expected, mode = 0o666, isForced = false }: UnfinishedFileOptions,
  ) {
    this.#access = access;
    this.#location = location;
    this.#expected = expected;
    const kept = expected !== undefined && isWritable(access, location, expected, isForced) ? expected : null;
    this.#descriptor = this.#directory.createFile(
      this.#name,
      constants.O_WRONLY,
      kept === null ? mode : 0o600,
    );
    if (kept === null) return;
    this.#mode = kept.mode;
    try {
      keepOwner(this.#descriptor, kept);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get #directory(): OpenDirectory {
    return this.#access.at(parentLocation(this.#location));
  }

  /** Lets only its owner read it until it is whole, also where nothing stood. */
  hide(): void {
    this.#mode ??= fstatSync(this.#descriptor, { bigint: true }).mode;
    fchmodSync(this.#descriptor, 0o600);
  }

  write(chunk: Uint8Array): void {
    writeAll(this.#descriptor, chunk);
  }

  /** Puts on disk what was written. */
  sync(): void {
    fsyncSync(this.#descriptor);
  }

  /** @throws {@link FileChangedError} when something else stands there now, or an error of the operating system. */
  finish(): void {
    if (this.#mode !== undefined) fchmodSync(this.#descriptor, Number(this.#mode & 0o7777n));
    if (this.#expected === undefined) this.#takeName();
    else this.#takePlace(this.#expected);
    this.#isOpen = false;
    closeSync(this.#descriptor);
  }

  /** Gives up what is not finished. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#descriptor);
    try {
      this.#directory.unlink(this.#name);
    } catch (error) {
      // Why the work ended counts for more than what it leaves.
      if (systemSentence(error) === undefined) throw error;
    }
  }

  #takeName(): void {
    const directory = this.#directory;
    const name = lastName(this.#location);
    try {
      // A rename would silently replace what somebody made meanwhile; a second name is refused when the first is taken.
      if (hasLinked(directory, this.#name, name)) {
        directory.unlink(this.#name);
      } else {
        // So is an empty file, which may then be replaced.
        closeSync(directory.createFile(name, constants.O_WRONLY));
        directory.rename(this.#name, directory, name);
      }
    } catch (error) {
      if (systemCode(error) === "EEXIST") throw new FileChangedError(this.#location);
      throw error;
    }
  }

  #takePlace(expected: BigIntStats): void {
    const directory = this.#directory;
    const now = directory.inspect(lastName(this.#location));
    if (now === undefined || !isUnchanged(now, expected)) throw new FileChangedError(this.#location);
    directory.rename(this.#name, directory, lastName(this.#location));
  }
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
  access: FileAccess,
  location: string,
  content: Uint8Array,
  { expected, oldContent }: { expected: BigIntStats | undefined; oldContent?: Buffer },
): void {
  const file = new UnfinishedFile(access, location, { expected });
  try {
    file.hide();
    file.write(content);
    file.sync();
    if (expected !== undefined && oldContent !== undefined) {
      const now = readWhole(access, { location, stats: expected }, oldContent.length);
      if (now?.content.equals(oldContent) !== true) throw new FileChangedError(location);
    }
    file.finish();
  } finally {
    file.close();
  }
  access.at(parentLocation(location)).sync();
}

/** What the systems say where files cannot have a second name, such as on FAT. */
const unlinkable = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

function hasLinked(directory: OpenDirectory, name: string, newName: string): boolean {
  try {
    directory.link(name, newName);
    return true;
  } catch (error) {
    if (unlinkable.has(systemCode(error) ?? "")) return false;
    throw error;
  }
}

/** A rename needs no right to write the file, so that right is asked for first. */
function isWritable(
  access: FileAccess,
  location: string,
  expected: BigIntStats,
  mayLackRight: boolean,
): boolean {
  const directory = access.at(parentLocation(location));
  try {
    closeSync(directory.openFile(lastName(location), constants.O_WRONLY, expected).descriptor);
    return true;
  } catch (error) {
    if (mayLackRight && systemCode(error) === "EACCES") return false;
    throw error;
  }
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
