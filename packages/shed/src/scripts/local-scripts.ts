import type { Environment, ExecutableDependency } from "@roboz/core";
import { delimiter, dirname, join } from "node:path";

import { listScripts, locateScript } from "./entrypoints.ts";
import type { CheckedLimits } from "./limits.ts";
import { outcome, type CallOptions, type ScriptHost, type ScriptOutcome } from "./outcome.ts";
import { runScript } from "./run-script.ts";

/** Lets one script run at a time. */
export class ScriptTurn {
  #isTaken = false;

  /** Whether the turn was free, and is now taken. */
  take(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    return true;
  }

  free(): void {
    this.#isTaken = false;
  }
}

/** Where scripts are, and how they run. */
export interface LocalScriptsParts {
  /** Absolute. */
  readonly scriptsDir: string;
  readonly cwd: string;
  readonly limits: CheckedLimits;
  readonly environment: Environment;
  readonly bash: ExecutableDependency;
  readonly turn: ScriptTurn;
}

/** Runs scripts of a directory of this machine. */
export class LocalScripts implements ScriptHost {
  readonly #parts: LocalScriptsParts;

  constructor(parts: LocalScriptsParts) {
    this.#parts = parts;
  }

  async call(script: string | null, options: CallOptions): Promise<ScriptOutcome> {
    options.signal.throwIfAborted();
    if (script === null) return this.#list(options);
    const located = await locateScript(this.#parts.scriptsDir, script);
    if ("refusal" in located) return outcome("refused", { diagnostic: located.refusal });
    const { turn } = this.#parts;
    if (!turn.take())
      return outcome("busy", { diagnostic: "Another script is running; call again when it has ended." });
    try {
      return await this.#run(located.path, options);
    } finally {
      turn.free();
    }
  }

  async #list({ signal }: CallOptions): Promise<ScriptOutcome> {
    const { status, ...facts } = await listScripts(this.#parts.scriptsDir);
    signal.throwIfAborted();
    return outcome(status, facts);
  }

  async #run(path: string, options: CallOptions): Promise<ScriptOutcome> {
    const { bash: dependency, cwd, limits, environment } = this.#parts;
    const bash = await dependency.resolve(options);
    if (bash === null)
      return outcome("failed", { diagnostic: "The script could not be started: bash is not on the PATH." });
    const { timeoutMs, maxOutputBytes } = limits;
    const visible = visibleEnvironment(bash, limits.allowEnv, environment);
    return runScript({ bash, path, cwd, environment: visible, timeoutMs, maxOutputBytes, ...options });
  }
}

/** All that a script sees of the host's variables; read anew for each. */
function visibleEnvironment(
  bash: string,
  allowed: readonly string[],
  host: Environment,
): Record<string, string> {
  const names = allowed.flatMap((name) => {
    const value = host[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const folders = [dirname(bash), ...systemFolders(host)];
  return {
    LANG: "C.UTF-8",
    // An allowed name may be LANG itself, which is then the host's.
    ...Object.fromEntries(names),
    PATH: [...new Set(folders)].join(delimiter),
  };
}

/** Where a system has its programs by default. */
function systemFolders(host: Environment): readonly string[] {
  if (process.platform !== "win32") return ["/usr/bin", "/bin"];
  const { SystemRoot: root = "C:\\Windows" } = host;
  return [join(root, "System32"), root];
}
