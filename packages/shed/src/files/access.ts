import { isSame } from "./entry.ts";
import type { Identity } from "./entry.ts";
import { childLocation, isWithin, lastName, parentLocation } from "./file-name.ts";
import { lookUp } from "./look-up.ts";
import type { Place } from "./look-up.ts";
import { OpenDirectory, ownDescriptors } from "./open-directory.ts";
import { FileChangedError, systemCode } from "./system-error.ts";

/**
 * How far a check holds. `"anchored"`: every check and every effect goes through descriptors of directories, so what
 * was checked is what is used. `"best-effort"`: paths are checked again right before each use, and another program
 * that swaps a directory in between could still lead a command elsewhere.
 */
export type Containment = "anchored" | "best-effort";

/** What this machine can give: descriptors lead anywhere only on Linux, with `/proc` mounted. */
export function bestContainment(): Containment {
  return ownDescriptors() === undefined ? "best-effort" : "anchored";
}

/** How many directories one command holds open; trees are deeper than processes may have descriptors. */
const heldOpen = 16;

/**
 * The way of one command to its files. Each directory is reached from `/` by opening one component after the other
 * without following links, and stays the same object for as long as the access is used: one that was replaced is
 * refused.
 */
export class FileAccess {
  /** Where relative paths start: absolute, without links. */
  readonly base: string;
  readonly containment: Containment;
  /** What is held, the one that was used last at the end. */
  readonly #open = new Map<string, OpenDirectory>();
  #last: OpenDirectory | undefined;
  #closing: NodeJS.Immediate | undefined;
  readonly #seen = new Map<string, Identity>();

  /**
   * @param options.base - Absolute and canonical. It need not exist yet; commands fail until it does.
   * @param options.containment - What {@link bestContainment} says, unless less is wanted.
   */
  constructor({ base, containment = bestContainment() }: { base: string; containment?: Containment }) {
    this.base = base;
    this.containment = containment;
  }

  /**
   * Finds out what a path leads to, from the base. Every component it names is looked at, also one that a later `..`
   * takes back, and none may be a link; the last one is for the caller to judge.
   *
   * @throws {@link LinkOnPathError}, {@link FileChangedError}, or an error of the operating system: `ENOTDIR` for a
   * file on the way, `ENAMETOOLONG`, `EACCES`.
   */
  lookUp(path: string): Place {
    return lookUp(this, this.base, path);
  }

  /**
   * The directory at a location. It stays the access's own: use it at once, and ask again for the next use.
   *
   * @throws An error of the operating system, or {@link FileChangedError} when another directory stands there now.
   */
  at(location: string): OpenDirectory {
    if (this.#last?.location === location) return this.#last;
    const held = this.#held(location);
    if (held !== undefined) return held;
    // The directory above often is held: a tree is walked one directory after the other.
    const parent = this.#held(parentLocation(location));
    if (parent !== undefined) return this.#hold(this.#below(parent, lastName(location)));
    const above = this.#fromBelow(location);
    if (above !== undefined) return this.#hold(above);
    const missing: string[] = [];
    let ancestor = location;
    while (ancestor !== "/" && !this.#open.has(ancestor)) {
      missing.push(lastName(ancestor));
      ancestor = parentLocation(ancestor);
    }
    let directory =
      this.#held(ancestor) ??
      this.#hold(OpenDirectory.root(this.containment === "anchored" ? ownDescriptors() : undefined));
    while (missing.length > 0) directory = this.#hold(this.#below(directory, missing.pop() ?? ""));
    return directory;
  }

  #held(location: string): OpenDirectory | undefined {
    const held = this.#open.get(location);
    if (held === undefined) return undefined;
    this.#open.delete(location);
    this.#open.set(location, held);
    this.#last = held;
    return held;
  }

  #below(directory: OpenDirectory, name: string): OpenDirectory {
    try {
      return directory.openDirectory(name);
    } catch (error) {
      const location = childLocation(directory.location, name);
      if (this.#seen.has(location) && isGone(systemCode(error))) throw new FileChangedError(location);
      throw error;
    }
  }

  /** Goes up from a directory below, so that leaving a deep tree does not walk down from `/` at each level. */
  #fromBelow(location: string): OpenDirectory | undefined {
    const expected = this.#seen.get(location);
    if (expected === undefined) return undefined;
    for (const below of this.#open.values()) {
      if (!isRightAbove(location, below.location)) continue;
      const directory = below.openDirectory("..", location);
      if (isSame(directory.stats, expected)) return directory;
      directory.close();
      throw new FileChangedError(location);
    }
    return undefined;
  }

  #hold(directory: OpenDirectory): OpenDirectory {
    const expected = this.#seen.get(directory.location);
    if (expected !== undefined && !isSame(expected, directory.stats)) {
      directory.close();
      throw new FileChangedError(directory.location);
    }
    if (expected === undefined) {
      const { dev, ino, birthtimeNs } = directory.stats;
      this.#seen.set(directory.location, { dev, ino, birthtimeNs });
    }
    this.#open.set(directory.location, directory);
    this.#last = directory;
    if (this.#open.size > heldOpen) this.#closeOldest();
    return directory;
  }

  #closeOldest(): void {
    const [oldest] = this.#open.values();
    if (oldest === undefined) return;
    this.#open.delete(oldest.location);
    oldest.close();
  }

  /** Which directory was reached at a location; undefined when none was. */
  identityOf(location: string): Identity | undefined {
    return this.#seen.get(location);
  }

  /** Notes which directory has to stand at a location, as was found out elsewhere; false when another one was reached there. */
  expect(location: string, identity: Identity): boolean {
    const expected = this.#seen.get(location);
    if (expected !== undefined) return isSame(expected, identity);
    this.#seen.set(location, identity);
    return true;
  }

  /** Drops what is known about a directory that the command itself has removed, moved or replaced. */
  forget(location: string): void {
    for (const known of [...this.#open.keys()]) {
      if (!isWithin(known, location)) continue;
      this.#open.get(known)?.close();
      this.#open.delete(known);
    }
    this.#last = undefined;
    this.#seen.delete(location);
  }

  /** Gives back what is held open when the event loop turns: who goes on at once, and says {@link stayOpen}, needs not open it again. */
  closeSoon(): void {
    this.#closing ??= setImmediate(() => {
      this.close();
    });
  }

  /** Takes back {@link closeSoon}. */
  stayOpen(): void {
    clearImmediate(this.#closing);
    this.#closing = undefined;
  }

  /** Gives back what is held open. The access can still be used, and is to be closed again then. */
  close(): void {
    this.stayOpen();
    for (const directory of this.#open.values()) directory.close();
    this.#open.clear();
    this.#last = undefined;
  }
}

/** Deep trees have long paths, so a look at the last separator comes before a comparison. */
function isRightAbove(directory: string, below: string): boolean {
  const slash = below.lastIndexOf("/");
  if (directory === "/") return slash === 0 && below !== "/";
  return slash === directory.length && below.startsWith(directory);
}

function isGone(code: string | undefined): boolean {
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}
