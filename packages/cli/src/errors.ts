const marker = Symbol.for("@roboz/cli/error");

/** The base of every error the command line makes itself; `main` turns each into one line and an exit status. */
export abstract class CliError extends Error {
  /** Stable, for programs; the message is for people and may change in a patch. */
  abstract readonly code: CliErrorCode;
  readonly [marker] = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Like `instanceof`, and also true for an error of another installed copy of this package. */
  static is(error: unknown): error is AnyCliError {
    return error instanceof Error && marker in error;
  }
}

/** Every error class of this package. */
export type AnyCliError =
  | AgentExportError
  | DependencyExportError
  | EnvNamesError
  | InterruptedError
  | MissingPackageError
  | ModuleError
  | NoModelError
  | OutputClosedError
  | PromptError
  | RunEndedError
  | StoreError
  | ScaffoldError
  | SuspendedRunError
  | ThreadsPackageError
  | ThreadsTokenError
  | UnavailableError
  | UsageError;

/** The codes of {@link AnyCliError}. */
export type CliErrorCode = AnyCliError["code"];

/** The arguments make no command. */
export class UsageError extends CliError {
  readonly code = "cli/usage";
}

/** The user ended the command from the keyboard. */
export class InterruptedError extends CliError {
  readonly code = "cli/interrupted";

  constructor() {
    super("cancelled");
  }
}

/** Whoever read the output of the command went away. */
export class OutputClosedError extends CliError {
  readonly code = "cli/output-closed";

  constructor() {
    super("the output was closed");
  }
}

/**
 * Why nobody answered: there is no terminal to ask at (`no-terminal`), the input ended (`input-ended`), or the two passwords
 * differ (`no-match`).
 */
export type PromptFault = "no-terminal" | "input-ended" | "no-match";

const promptFaults: Readonly<Record<PromptFault, string>> = {
  "no-terminal":
    "there is no terminal to ask for the password at; set `ROBOZ_ENV_PASSWORD` for this command instead",
  "input-ended": "the input ended before a password was given; nothing was written",
  "no-match": "the passwords do not match; nothing was written",
};

/** A password could not be asked for. */
export class PromptError extends CliError {
  readonly code = "cli/prompt";
  readonly fault: PromptFault;

  constructor({ fault }: { readonly fault: PromptFault }) {
    super(promptFaults[fault]);
    this.fault = fault;
  }
}

/** Names that were checked cannot be used as they are. */
export class EnvNamesError extends CliError {
  readonly code = "cli/env-names";
  readonly envNames: readonly string[];

  constructor({ envNames, checked }: { readonly envNames: readonly string[]; readonly checked: number }) {
    const names = envNames.map((name) => `\`${name}\``).join(", ");
    super(`${envNames.length} of ${checked} names cannot be used as they are: ${names}`);
    this.envNames = envNames;
  }
}

/**
 * Why a module was not loaded: it is not there (`missing`), it is no JavaScript or TypeScript by its name (`extension`), it is
 * TypeScript and nothing here reads that (`no-typescript`), or loading it failed (`failed`; `cause` is its error).
 */
export type ModuleFault = "missing" | "extension" | "no-typescript" | "failed";

const moduleFaults: Readonly<Record<ModuleFault, string>> = {
  missing: "does not exist",
  extension: "is no module: its name must end with .ts, .mts, .cts, .js, .mjs or .cjs",
  "no-typescript": `is TypeScript, which Node ${process.versions.node} does not read by itself; run \`npm install tsx\` beside it`,
  failed: "could not be loaded",
};

/** A module given on the command line could not be loaded. */
export class ModuleError extends CliError {
  readonly code = "cli/module";
  /** As it was given. */
  readonly module: string;
  readonly fault: ModuleFault;

  constructor(refused: {
    readonly module: string;
    readonly fault: ModuleFault;
    readonly cause?: unknown;
    /** What `cause` said, fit to be shown. */
    readonly detail?: string | undefined;
  }) {
    const { module, fault, cause, detail } = refused;
    super(
      `\`${module}\` ${moduleFaults[fault]}${detail === undefined ? "" : `: ${detail}`}`,
      cause === undefined ? undefined : { cause },
    );
    this.module = module;
    this.fault = fault;
  }
}

/** Why no agent was taken from a module: it exports none, several, what was asked for is none, or two are called `standard`. */
export type AgentExportFault = "none" | "several" | "not-an-agent" | "two-standards";

/** It is not clear which export of a module is the agent. */
export class AgentExportError extends CliError {
  readonly code = "cli/agent-export";
  /** As it was given. */
  readonly module: string;
  readonly fault: AgentExportFault;
  /** The exports that are agents. */
  readonly agents: readonly string[];

  constructor(refused: {
    readonly module: string;
    readonly fault: AgentExportFault;
    readonly agents: readonly string[];
    /** The export that was asked for. */
    readonly asked?: string | undefined;
  }) {
    const { module, fault, agents, asked } = refused;
    const offered = agents.map((name) => `\`${name}\``).join(", ");
    const sentences: Readonly<Record<AgentExportFault, string>> = {
      none: "exports no agent; export one, as the default or by name",
      several: `exports several agents; choose one with --export: ${offered}`,
      "not-an-agent":
        `has no agent called \`${asked ?? ""}\`` + (agents.length === 0 ? "" : `; it exports ${offered}`),
      "two-standards":
        "exports an agent as the default and another as `standard`, which is what the default is called; rename that export",
    };
    super(`\`${module}\` ${sentences[fault]}`);
    this.module = module;
    this.fault = fault;
    this.agents = agents;
  }
}

/** `--model` was given for an agent that asks no model. */
export class NoModelError extends CliError {
  readonly code = "cli/no-model";
  readonly agentName: string;

  constructor({ agentName }: { readonly agentName: string }) {
    super(`\`${agentName}\` is deterministic and asks no model; run it without --model`);
    this.agentName = agentName;
  }
}

/**
 * Why a store was not opened: it is not there (`missing`), it is no folder of journals (`no-folder`), it is called like a database
 * and is none (`no-database`), or nothing here reads databases (`no-sqlite`).
 */
export type StoreFault = "missing" | "no-folder" | "no-database" | "no-sqlite";

const storeFaults: Readonly<Record<StoreFault, string>> = {
  missing: "does not exist; `roboz run MODULE --store PATH` keeps runs in one",
  "no-folder": "is no folder of journals; a database ends with .db, .sqlite or .sqlite3",
  "no-database": "is no database file",
  "no-sqlite": "is a database, which needs one more package; run `npm install @roboz/sqlite`",
};

/** A store of runs given on the command line could not be opened. */
export class StoreError extends CliError {
  readonly code = "cli/store";
  /** As it was given. */
  readonly path: string;
  readonly fault: StoreFault;

  constructor({ path, fault }: { readonly path: string; readonly fault: StoreFault }) {
    super(`the store \`${path}\` ${storeFaults[fault]}`);
    this.path = path;
    this.fault = fault;
  }
}

/** A run waits for a reply that this command cannot give. */
export class SuspendedRunError extends CliError {
  readonly code = "cli/suspended";
  /** The tool that asked. */
  readonly toolName: string;

  constructor(waiting: {
    readonly toolName: string;
    readonly question: string;
    /** How to go on later; only for a run that is kept. */
    readonly resumeCommand?: string | undefined;
  }) {
    const { toolName, question, resumeCommand } = waiting;
    const hint = resumeCommand === undefined ? "" : `; answer with: ${resumeCommand} --reply REPLY`;
    super(`the run waits for a reply to \`${toolName}\`: ${question}${hint}`);
    this.toolName = toolName;
  }
}

/** A run was cancelled, and not from the keyboard; `cause` is the reason. */
export class RunEndedError extends CliError {
  readonly code = "cli/run-ended";

  constructor({ agentName, cause }: { readonly agentName: string; readonly cause: unknown }) {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    super(`the run of \`${agentName}\` was cancelled${reason}`, { cause });
  }
}

/**
 * Why a capability package was not created: its directory is a symbolic link (`link`), lies in this package (`inside-package`), has a
 * name that is not lower snake case (`name`) or is a keyword (`reserved-name`), is there already (`exists`), would be confused with
 * something else that the project imports (`importable`), or could not be written (`unwritable`; `cause` is the system's error).
 */
export type ScaffoldFault =
  "link" | "inside-package" | "name" | "reserved-name" | "exists" | "importable" | "unwritable";

/** A capability package was not created, and nothing that was there was changed. */
export class ScaffoldError extends CliError {
  readonly code = "cli/scaffold";
  /** The package's directory. */
  readonly path: string;
  readonly fault: ScaffoldFault;

  constructor(refused: {
    readonly path: string;
    readonly fault: ScaffoldFault;
    /** What has the same name. */
    readonly other?: string | undefined;
    readonly cause?: unknown;
  }) {
    const { path, fault, other = "", cause } = refused;
    const sentences: Readonly<Record<ScaffoldFault, string>> = {
      link: "is a symbolic link; give the directory itself",
      "inside-package": "lies inside the installed package of this command; give a directory of your project",
      name: "needs a name in lower snake case, such as `my_quotes`: it names the tools and the capability",
      "reserved-name": "has a name that is reserved; choose another one",
      exists: "exists already; it was left as it is",
      importable: `has the name of ${other}; choose another one, or a directory further down, such as local/tools`,
      unwritable: "could not be created; see `cause`",
    };
    super(`\`${path}\` ${sentences[fault]}`, cause === undefined ? undefined : { cause });
    this.path = path;
    this.fault = fault;
  }
}

/** The package that keeps threads is not installed, or cannot be loaded; then `cause` says why. */
export class ThreadsPackageError extends CliError {
  readonly code = "cli/threads-package";

  constructor(options?: ErrorOptions) {
    super("threads need one more package; run `npm install @roboz/threads libsql`", options);
  }
}

/** A store of threads has no token of an id, or it was revoked before. */
export class ThreadsTokenError extends CliError {
  readonly code = "cli/threads-token";
  readonly tokenId: string;

  constructor({ tokenId }: { readonly tokenId: string }) {
    super(
      `there is no token \`${tokenId}\` that could be revoked; \`threads token create\` prints the id of each`,
    );
    this.tokenId = tokenId;
  }
}

/** A command needs one more package, which is in neither the project nor beside this one. */
export class MissingPackageError extends CliError {
  readonly code = "cli/missing-package";
  readonly packageName: string;

  constructor({ commandName, packageName }: { readonly commandName: string; readonly packageName: string }) {
    super(`\`roboz ${commandName}\` needs one more package; run \`npm install ${packageName}\``);
    this.packageName = packageName;
  }
}

/** Nothing that a module exports, or not the export that was asked for, says what it needs from outside. */
export class DependencyExportError extends CliError {
  readonly code = "cli/dependency-export";
  /** As it was given. */
  readonly module: string;

  constructor({ module, asked }: { readonly module: string; readonly asked?: string | undefined }) {
    super(
      asked === undefined
        ? `\`${module}\` exports nothing that says what it needs; export an agent, an endpoint or a dependency`
        : `\`${module}\` has no \`${asked}\` that says what it needs; export an agent, an endpoint or a dependency`,
    );
    this.module = module;
  }
}

/** Things from outside that were checked cannot be used. */
export class UnavailableError extends CliError {
  readonly code = "cli/unavailable";
  readonly dependencyIds: readonly string[];

  constructor({
    dependencyIds,
    checked,
  }: {
    readonly dependencyIds: readonly string[];
    readonly checked: number;
  }) {
    const names = dependencyIds.map((id) => `\`${id}\``).join(", ");
    super(`${dependencyIds.length} of ${checked} cannot be used: ${names}`);
    this.dependencyIds = dependencyIds;
  }
}
