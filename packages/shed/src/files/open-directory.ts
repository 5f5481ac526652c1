import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statfsSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import type { BigIntStats, Dirent, PathLike } from "node:fs";
import { basename } from "node:path";
import { isSame, kindOf } from "./entry.ts";
import type { EntryKind, Identity } from "./entry.ts";
import { bytesFromName, childLocation, compareNames, isTextName, nameFromBytes } from "./file-name.ts";
import { FileChangedError, systemCode, systemError } from "./system-error.ts";

/** A name in a directory, with the kind the directory itself gave. */
export interface ListedEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** Node does not export O_PATH. The number holds on every Linux that Node runs on. */
export const pathOnly = 0o10000000;
const directoryFlags = constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** File systems that show the kernel's and other processes' state: proc, sysfs, debugfs, tracefs, securityfs, bpf. */
const kernelFileSystems = new Set([0x9fa0, 0x62656572, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11]);

let descriptorFolder: string | undefined;

/**
 * The folder in which this process's descriptors lead to what they stand for; undefined where there is none. Found once:
 * it is named by the number that `/proc` itself gives the thread, which saves every call a link, and threads from waiting
 * for each other.
 */
export function ownDescriptors(): string | undefined {
  if (descriptorFolder !== undefined || process.platform !== "linux") return descriptorFolder;
  try {
    // Such as `17/task/18`.
    const thread = basename(readlinkSync("/proc/thread-self"));
    const folder = `/proc/${thread}/fd`;
    if (lstatSync(folder).isDirectory()) descriptorFolder = folder;
  } catch {
    // Without /proc there is no such folder.
  }
  return descriptorFolder;
}

/**
 * A directory that is held open. On Linux every name is looked up in the directory itself, through its descriptor,
 * so it does not matter what has become of the path that led to it. Elsewhere the path is used, after a look whether
 * the same directory still stands there.
 */
export class OpenDirectory {
  readonly location: string;
  readonly stats: BigIntStats;
  readonly #descriptor: number;
  /** {@link ownDescriptors}, or undefined for a directory that is reached by its path. */
  readonly #anchor: string | undefined;
  /** What comes before a name in a path that leads through the descriptor. */
  readonly #prefix: string;
  readonly #isTextPrefix: boolean;
  #isOpen = true;

  private constructor(location: string, descriptor: number, stats: BigIntStats, anchor: string | undefined) {
    this.location = location;
    this.#descriptor = descriptor;
    this.stats = stats;
    this.#anchor = anchor;
    this.#prefix = anchor === undefined ? childLocation(location, "") : `${anchor}/${descriptor}/`;
    this.#isTextPrefix = anchor !== undefined || isTextName(location);
  }

  /** Opens `/`, from where every other directory is reached. */
  static root(anchor: string | undefined): OpenDirectory {
    return OpenDirectory.#open("/", "/", anchor, undefined);
  }

  static #open(
    path: PathLike,
    location: string,
    anchor: string | undefined,
    parent: BigIntStats | undefined,
  ): OpenDirectory {
    const descriptor = openSync(path, anchor === undefined ? directoryFlags : directoryFlags | pathOnly);
    try {
      const stats = fstatSync(descriptor, { bigint: true });
      if (!stats.isDirectory()) throw systemError("ENOTDIR");
      // What is mounted on `/` shows no kernel's state; everything else does so from where it is mounted.
      if (parent !== undefined && parent.dev !== stats.dev && anchor !== undefined) {
        const { type } = statfsSync(`${anchor}/${descriptor}`);
        if (kernelFileSystems.has(type)) throw systemError("EACCES");
      }
      return new OpenDirectory(location, descriptor, stats, anchor);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** A path of one entry that is good for one system call. It never follows more than the entry's own link. */
  reach(name: string): PathLike {
    if (!this.#isOpen) throw new Error(`The directory is closed: \`${this.location}\``);
    if (name === "" || name.includes("/") || name.includes("\0")) throw systemError("EINVAL");
    if (this.#anchor === undefined) this.#checkPlace();
    const path = this.#prefix + name;
    return this.#isTextPrefix && isTextName(name) ? path : bytesFromName(path);
  }

  #checkPlace(): void {
    const stats = lstatSync(this.location, { bigint: true });
    if (!stats.isDirectory() || !isSame(stats, this.stats)) throw new FileChangedError(this.location);
  }

  /** Looks at an entry without following it; `undefined` when there is none. */
  inspect(name: string): BigIntStats | undefined {
    // An error for each name that is not there would cost more than the look.
    return lstatSync(this.reach(name), { bigint: true, throwIfNoEntry: false });
  }

  /** Opens a directory below, or the one above for `..`. Links are refused with `ELOOP` or `ENOTDIR`. */
  openDirectory(name: string, location = childLocation(this.location, name)): OpenDirectory {
    return OpenDirectory.#open(this.reach(name), location, this.#anchor, this.stats);
  }

  /** The names in the directory, in byte order, without `.` and `..`. */
  list(): readonly ListedEntry[] {
    const entries = this.listUnsorted();
    return entries.sort((left, right) => compareNames(left.name, right.name));
  }

  listUnsorted(): ListedEntry[] {
    const path = this.reach(".");
    const entries = readdirSync(path, { withFileTypes: true });
    if (!entries.some(({ name }) => name.includes("\ufffd")))
      return entries.map((entry) => listed(entry, entry.name));
    const raw = readdirSync(path, { withFileTypes: true, encoding: "buffer" });
    return raw.map((entry) => listed(entry, nameFromBytes(entry.name)));
  }

  /**
   * Opens an entry and checks that it is an ordinary file before it is of any use: a link, a special file, or another
   * object than `expected` is refused, and nothing waits for a FIFO's other end.
   */
  openFile(name: string, flags: number, expected?: Identity): { descriptor: number; stats: BigIntStats } {
    const descriptor = this.#openEntry(name, flags);
    try {
      const stats = fstatSync(descriptor, { bigint: true });
      if (stats.isDirectory()) throw systemError("EISDIR");
      if (!stats.isFile() || stats.nlink > 1n || (expected !== undefined && !isSame(stats, expected))) {
        throw new FileChangedError(childLocation(this.location, name));
      }
      return { descriptor, stats };
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /**
   * Opens an entry that only has to be an ordinary file for reading, and tells its number of names; for searches, which
   * open very many. What is no file is refused as by {@link openFile}.
   */
  openAnyFile(name: string): { descriptor: number; size: number; names: number } {
    const descriptor = this.#openEntry(name, constants.O_RDONLY);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new FileChangedError(childLocation(this.location, name));
      return { descriptor, size: stats.size, names: stats.nlink };
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  #openEntry(name: string, flags: number): number {
    const safe = flags | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
    try {
      return openSync(this.reach(name), safe);
    } catch (error) {
      const code = systemCode(error);
      if (code === "ELOOP" || code === "ENXIO")
        throw new FileChangedError(childLocation(this.location, name));
      throw error;
    }
  }

  /** Makes a new file; what already has the name, even a link that leads nowhere, is refused with `EEXIST`. */
  createFile(name: string, flags: number, mode = 0o666): number {
    return openSync(
      this.reach(name),
      flags | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      mode,
    );
  }

  makeDirectory(name: string, mode = 0o777): void {
    mkdirSync(this.reach(name), { mode });
  }

  /** Removes a name; a directory is refused. What a link leads to is left alone. */
  unlink(name: string): void {
    unlinkSync(this.reach(name));
  }

  removeDirectory(name: string): void {
    rmdirSync(this.reach(name));
  }

  rename(name: string, target: OpenDirectory, targetName: string): void {
    renameSync(this.reach(name), target.reach(targetName));
  }

  /** Gives a file of this directory a second name; a name that is taken is refused with `EEXIST`. */
  link(name: string, newName: string): void {
    linkSync(this.reach(name), this.reach(newName));
  }

  /** What a symbolic link says. */
  readLink(name: string): string {
    return nameFromBytes(readlinkSync(this.reach(name), { encoding: "buffer" }));
  }

  /** Puts the directory's own entries on disk, where the file system knows of such a thing. */
  sync(): void {
    const descriptor = openSync(this.reach("."), directoryFlags);
    try {
      fsyncSync(descriptor);
    } catch (error) {
      if (systemCode(error) !== "EINVAL") throw error;
    } finally {
      closeSync(descriptor);
    }
  }

  setMode(mode: number): void {
    chmodSync(this.reach("."), mode);
  }

  /** Sets the times of the directory itself, in seconds since 1970. */
  setTimes(accessed: number | Date, modified: number | Date): void {
    utimesSync(this.reach("."), accessed, modified);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#descriptor);
  }
}

function listed(entry: Dirent | Dirent<Buffer>, name: string): ListedEntry {
  return { name, kind: kindOf(entry) };
}
