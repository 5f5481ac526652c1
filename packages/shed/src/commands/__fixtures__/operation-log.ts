import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const effects = [
  "unlinkSync",
  "rmdirSync",
  "mkdirSync",
  "renameSync",
  "linkSync",
  "utimesSync",
  "chmodSync",
] as const;

/**
 * Notes which objects every call of the file system really meets: the true path of each file that is opened, and of
 * the directory in which a name is made, changed or removed.
 */
export class OperationLog {
  readonly #isAllowed: (path: string) => boolean;
  readonly #isReadable: (path: string) => boolean;
  readonly #restore: (() => void)[] = [];
  readonly violations: string[] = [];
  calls = 0;

  /**
   * @param isAllowed - Whether a true path may be read or changed.
   * @param isReadable - Whether a true path may be opened for reading.
   */
  constructor(isAllowed: (path: string) => boolean, isReadable: (path: string) => boolean) {
    this.#isAllowed = isAllowed;
    this.#isReadable = isReadable;
  }

  start(): void {
    const { openSync } = fs;
    const open = (path: fs.PathLike, flags: fs.OpenMode = "r", mode?: fs.Mode | null): number => {
      const descriptor = openSync(path, flags, mode);
      // Patterns may lead through folders of which nothing is shown; what is read and changed are files.
      if (!fs.fstatSync(descriptor).isDirectory()) {
        this.#note("openSync", fs.readlinkSync(`/proc/self/fd/${descriptor}`), this.#isReadable);
      }
      return descriptor;
    };
    this.#patch("openSync", open);
    for (const name of effects) this.#watch(name, this.#isAllowed);
    syncBuiltinESMExports();
  }

  stop(): void {
    for (const restore of this.#restore.splice(0)) restore();
    syncBuiltinESMExports();
  }

  #watch(name: (typeof effects)[number], isRight: (path: string) => boolean): void {
    const original: unknown = fs[name];
    if (typeof original !== "function") return;
    const { readlinkSync } = fs;
    this.#patch(name, (...given: unknown[]): unknown => {
      for (const path of given.slice(0, name === "renameSync" || name === "linkSync" ? 2 : 1)) {
        const descriptor = /^\/proc\/(?:self|\d+)\/fd\/(\d+)\//.exec(String(path))?.[1];
        if (descriptor !== undefined) this.#note(name, readlinkSync(`/proc/self/fd/${descriptor}`), isRight);
      }
      const result: unknown = Reflect.apply(original, fs, given);
      return result;
    });
  }

  #patch(name: string, replacement: unknown): void {
    const original: unknown = Reflect.get(fs, name);
    Reflect.set(fs, name, replacement);
    this.#restore.push(() => Reflect.set(fs, name, original));
  }

  #note(call: string, path: string, isRight: (path: string) => boolean): void {
    this.calls++;
    if (!isRight(path.replace(/ \(deleted\)$/, ""))) this.violations.push(`${call} ${path}`);
  }
}
