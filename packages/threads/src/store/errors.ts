import {
  RobotoConflictException,
  RobotoInvalidRequestException,
  RobotoNotFoundException,
  RobotoUnauthorizedException,
} from "../errors/http-exceptions.ts";
import { ThreadsError } from "../errors/thread-error.ts";

/** The request is not one that can be done. */
export function invalid(message: string, details?: unknown): RobotoInvalidRequestException {
  return new RobotoInvalidRequestException({ message, status: 400, details });
}

/** The caller may not do that. */
export function denied(message: string): RobotoUnauthorizedException {
  return new RobotoUnauthorizedException({ message, status: 401 });
}

/** There is no such thing. */
export function notFound(what: string): RobotoNotFoundException {
  return new RobotoNotFoundException({ message: `There is no ${what}`, status: 404 });
}

/** Something of that name is there already. */
export function conflict(message: string): RobotoConflictException {
  return new RobotoConflictException({ message, status: 409 });
}

/** A worker wrote for a turn that it holds no longer; nothing was written. */
export class LeaseLostError extends ThreadsError {
  readonly code = "threads/lease-lost";
  readonly turnId: string;

  constructor({ turnId }: { readonly turnId: string }) {
    super(
      "LeaseLostError",
      `The turn \`${turnId}\` is no longer this worker's; what it did since then is dropped`,
    );
    this.turnId = turnId;
  }
}

/** A library that is installed apart is missing, or has no binary for this system; the origin is the `cause`. */
export class ThreadDriverError extends ThreadsError {
  readonly code = "threads/driver";
  readonly driver: string;

  constructor({ driver, cause }: { readonly driver: string; readonly cause: unknown }) {
    super("ThreadDriverError", `\`${driver}\` cannot be loaded; install it with \`npm install ${driver}\``, {
      cause,
    });
    this.driver = driver;
  }
}

/** What should be a database file is none; it was not changed. */
export class ThreadFileError extends ThreadsError {
  readonly code = "threads/file";
  readonly path: string;

  /** @param problem - Goes on from the name of the file. */
  constructor({
    path,
    problem,
    cause,
  }: {
    readonly path: string;
    readonly problem: string;
    readonly cause?: unknown;
  }) {
    super("ThreadFileError", `\`${path}\` ${problem}`, { cause });
    this.path = path;
  }
}

/** The database was written by a later release. */
export class SchemaTooNewError extends ThreadsError {
  readonly code = "threads/schema-too-new";
  readonly found: number;
  readonly known: number;

  constructor({ found, known }: { readonly found: number; readonly known: number }) {
    super(
      "SchemaTooNewError",
      `The database has version ${found} of its tables, and this release knows ${known}; install a later release`,
    );
    this.found = found;
    this.known = known;
  }
}

/** An address or an option of a PostgreSQL database is none. */
export class PostgresOptionError extends ThreadsError {
  readonly code = "threads/postgres-option";
  readonly option: string;

  /** @param problem - Goes on from the option's name; says what it should be. */
  constructor({ option, problem }: { readonly option: string; readonly problem: string }) {
    super("PostgresOptionError", `\`${option}\` ${problem}`);
    this.option = option;
  }
}

/** A limit that a server was given is none. */
export class ServerLimitError extends ThreadsError {
  readonly code = "threads/server-limit";
  /** Its name, such as `concurrency` or `requests.burst`. */
  readonly limit: string;

  /** @param problem - What is wrong with it, as a sentence of its own. */
  constructor({ limit, problem }: { readonly limit: string; readonly problem: string }) {
    super("ServerLimitError", `\`limits.${limit}\`: ${problem}`);
    this.limit = limit;
  }
}

/** A server was to be made without an agent, which could answer nobody. */
export class AgentMissingError extends ThreadsError {
  readonly code = "threads/agent-missing";

  constructor() {
    super("AgentMissingError", "A server of threads needs an agent; name one in `agents`");
  }
}

/** The database could not be reached for a while; what the driver said is the `cause`. */
export class DatabaseUnreachableError extends ThreadsError {
  readonly code = "threads/database-unreachable";
  /** Whether it is certain that nothing was done; otherwise the request may have been, and only a key makes it safe again. */
  readonly isOutcomeKnown: boolean;

  constructor({ isOutcomeKnown, cause }: { readonly isOutcomeKnown: boolean; readonly cause: unknown }) {
    super(
      "DatabaseUnreachableError",
      isOutcomeKnown
        ? "The database cannot be reached; see whether it runs and whether the address is right"
        : "The connection to the database was lost at the end of a transaction; it is not known whether it was kept",
      { cause },
    );
    this.isOutcomeKnown = isOutcomeKnown;
  }
}

/** An address is that of no store. It is not repeated: it may hold a password. */
export class StoreAddressError extends ThreadsError {
  readonly code = "threads/store-address";

  constructor() {
    super("StoreAddressError", "A store is `sqlite:PATH` or `postgres://USER:PASSWORD@HOST/DATABASE`");
  }
}
