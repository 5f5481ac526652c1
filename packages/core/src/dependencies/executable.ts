import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve as absolute, sep } from "node:path";

import { waitFor } from "../llm/wait.ts";
import { DependencyError, ExecutableNotFoundError } from "./errors.ts";
import type { CheckOptions, ExternalDependency } from "./external-dependency.ts";
import { DependencyFailure } from "./failure.ts";

/** How a program presents itself, and where it is looked for. */
export interface ExecutableOptions {
  /** The name that people know; the program's by default. */
  readonly displayName?: string | undefined;
  /** Where `PATH` is read, anew at each look; the process's environment by default. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * A program that tools start. Found by its name on the `PATH`, or at the path that the name is. Nothing is ever started to
 * find it.
 *
 * Entries of `PATH` that are empty or relative are skipped: they stand for the working directory, whose files may be
 * anybody's.
 *
 * @throws {@link DependencyError} (`core/dependency`) for a name that is blank or has a NUL.
 */
export class ExecutableDependency implements ExternalDependency {
  readonly kind = "executable";
  readonly executable: string;
  readonly displayName: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;

  constructor(executable: string, { displayName, environment = process.env }: ExecutableOptions = {}) {
    if (typeof executable !== "string" || executable.trim() === "" || executable.includes("\0")) {
      throw new DependencyError("An executable has a name that is not blank and has no NUL");
    }
    this.executable = executable;
    this.displayName = displayName ?? executable;
    this.#environment = environment;
    Object.freeze(this);
  }

  get dependencyId(): string {
    return `executable:${this.executable}`;
  }

  readonly redactedMetadata = (): { readonly executable: string; readonly displayName: string } => ({
    executable: this.executable,
    displayName: this.displayName,
  });

  readonly externalDependencies = (): readonly ExternalDependency[] => [this];

  /** The absolute path of the program; `null` when it is not there. Looks anew each time. */
  readonly resolve = async ({ signal }: CheckOptions = {}): Promise<string | null> => {
    signal?.throwIfAborted();
    return waitFor(this.#find(signal), { signal });
  };

  /**
   * The absolute path of the program.
   *
   * @throws {@link ExecutableNotFoundError} (`core/executable-not-found`) when it is not there.
   */
  readonly require = async (options: CheckOptions = {}): Promise<string> => {
    const path = await this.resolve(options);
    if (path === null) throw new ExecutableNotFoundError(this);
    return path;
  };

  readonly check = async (options: CheckOptions = {}): Promise<DependencyFailure | null> => {
    const path = await this.resolve(options);
    if (path !== null) return null;
    const { message } = new ExecutableNotFoundError(this);
    return new DependencyFailure({ reasonCode: "not_found", message });
  };

  async #find(signal: AbortSignal | undefined): Promise<string | null> {
    for (const candidate of candidates(this.executable, this.#environment)) {
      if (signal?.aborted === true) return null;
      if (await isProgram(candidate)) return candidate;
    }
    return null;
  }
}

/** The paths at which a program may be, in the order in which they are looked at. */
function candidates(
  executable: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const names = suffixes(environment).map((suffix) => executable + suffix);
  if (executable.includes("/") || executable.includes(sep)) return names.map((name) => absolute(name));
  const folders = (valueOf(environment, "PATH") ?? "").split(delimiter).filter(isAbsolute);
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

/** What a program's file name may end with beside its own end; Windows has a list of it. */
function suffixes(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (process.platform !== "win32") return [""];
  return ["", ...(valueOf(environment, "PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").split(";")];
}

/** A variable; on Windows its case does not matter. */
function valueOf(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  if (process.platform !== "win32") return environment[name];
  const key = Object.keys(environment).find((candidate) => candidate.toUpperCase() === name);
  return key === undefined ? undefined : environment[key];
}

/** Whether there is a file at a path that may be started. Links are followed. */
async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
