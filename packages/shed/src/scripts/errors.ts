import { ShedError } from "../errors.ts";

/** Scripts were set up with something that cannot be: a limit, a name of a variable, or where the scripts are. */
export class ScriptSettingsError extends ShedError {
  readonly code = "shed/script-settings";
  /** The setting that is wrong, such as `timeoutMs`. */
  readonly setting: string;

  constructor({ setting, problem }: { setting: string; problem: string }) {
    super(`\`${setting}\` of scripts ${problem}`);
    this.setting = setting;
  }
}

/**
 * What keeps a script service from its work: the platform is not Linux (`platform`), the socket's directory is not the user's own
 * (`directory`), something stands at the socket's path already (`exists`), the scripts' working directory is none (`cwd`), the
 * socket could not be made (`socket`), or no compatible service answers (`unavailable`).
 */
export type ScriptServiceFault = "platform" | "directory" | "exists" | "cwd" | "socket" | "unavailable";

const sentences: Readonly<Record<ScriptServiceFault, string>> = {
  platform: "needs Linux",
  directory:
    "needs a real directory of its own: owned by the user who serves, with mode 0700; or none, which it then makes",
  exists: "was not started: something stands at the path already; remove it when no service uses it",
  cwd: "was not started: its working directory is not a directory",
  socket: "could not make the socket",
  unavailable: "is unavailable or incompatible",
};

/** A script service cannot be started, or does not answer as it should. */
export class ScriptServiceError extends ShedError {
  readonly code = "shed/script-service";
  readonly fault: ScriptServiceFault;
  /** Absolute. */
  readonly socketPath: string;

  constructor(failed: {
    readonly fault: ScriptServiceFault;
    readonly socketPath: string;
    readonly detail?: string | undefined;
    readonly cause?: unknown;
  }) {
    const { fault, socketPath, detail, cause } = failed;
    super(
      `The script service at \`${socketPath}\` ${sentences[fault]}${detail === undefined ? "" : `: ${detail}`}`,
      cause === undefined ? undefined : { cause },
    );
    this.fault = fault;
    this.socketPath = socketPath;
  }
}
