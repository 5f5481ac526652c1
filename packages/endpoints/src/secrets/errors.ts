import { EndpointsError } from "../errors.ts";

/** Every error class of encrypted environments. */
export type AnySecretsError =
  | SecretNameError
  | SecretValueError
  | SecretCollisionError
  | SecretPasswordError
  | InvalidSecretError
  | LegacySecretError
  | SecretSettingError
  | EnvFileError
  | Argon2Error;

/**
 * What is wrong with a name: it is not in the environment that should hold it (`missing`), it cannot be
 * the name of a setting (`not-base-name`), or it cannot be the name of a stored entry (`not-stored-name`).
 */
export type SecretNameFault = "missing" | "not-base-name" | "not-stored-name";

const nameFaults: Readonly<Record<SecretNameFault, string>> = {
  missing: "is to be encrypted, but the environment has no entry of that name",
  "not-base-name":
    "is not a base name: letters, digits and underscores, no digit first, and not ending with `_ENCRYPTED`",
  "not-stored-name": "is neither a base name nor a base name followed by exactly one `_ENCRYPTED`",
};

/** A name is missing, or cannot be used where it stands. */
export class SecretNameError extends EndpointsError {
  readonly code = "endpoints/secret-name";
  /** `undefined` when it stands in a file where it may be part of a value, as below a quote that was never closed. */
  readonly envName: string | undefined;
  /** The line of the file, counted from 1, when it was found in one. */
  readonly line: number | undefined;
  readonly fault: SecretNameFault;

  constructor({
    envName,
    line,
    fault,
  }: {
    envName?: string | undefined;
    line?: number;
    fault: SecretNameFault;
  }) {
    const place = line === undefined ? "" : ` (line ${line})`;
    super(`${envName === undefined ? "A name" : `\`${envName}\``}${place} ${nameFaults[fault]}`);
    this.envName = envName;
    this.line = line;
    this.fault = fault;
  }
}

/**
 * What is wrong with a value: it holds a NUL character (`nul`), half of a surrogate pair, which UTF-8 cannot
 * write (`malformed-text`), it already is ciphertext (`ciphertext`), or there is none to encrypt (`no-value`).
 */
export type SecretValueFault = "nul" | "malformed-text" | "ciphertext" | "no-value";

const valueFaults: Readonly<Record<SecretValueFault, string>> = {
  nul: "has a value with a NUL character, which no environment can hold",
  "malformed-text": "has a value with half of a surrogate pair, which UTF-8 cannot write",
  ciphertext: "already holds ciphertext; encrypt from the plaintext source",
  "no-value": "is to be encrypted, but is a bare name without a value; write `NAME=` for an empty one",
};

/** A value cannot be encrypted, written or loaded. The error names the entry and never shows the value. */
export class SecretValueError extends EndpointsError {
  readonly code = "endpoints/secret-value";
  readonly envName: string;
  readonly fault: SecretValueFault;

  constructor({ envName, fault }: { envName: string; fault: SecretValueFault }) {
    super(`\`${envName}\` ${valueFaults[fault]}`);
    this.envName = envName;
    this.fault = fault;
  }
}

/** A setting is there twice: in plain text and encrypted. */
export class SecretCollisionError extends EndpointsError {
  readonly code = "endpoints/secret-collision";
  readonly envName: string;

  constructor({ envName }: { envName: string }) {
    super(`\`${envName}\` is there twice, in plain text and as \`${envName}_ENCRYPTED\`; remove one of them`);
    this.envName = envName;
  }
}

/**
 * What is wrong with a password: none was given (`missing`), it is empty (`empty`), or it holds half of a
 * surrogate pair (`malformed-text`).
 */
export type SecretPasswordFault = "missing" | "empty" | "malformed-text";

const passwordFaults: Readonly<Record<SecretPasswordFault, string>> = {
  missing: "A password is needed; pass `password`, or set `ROBOZ_ENV_PASSWORD`",
  empty: "The password is empty; choose one with at least one character",
  "malformed-text": "The password holds half of a surrogate pair, which UTF-8 cannot write; choose another",
};

/** A password is needed and there is none that can be used. */
export class SecretPasswordError extends EndpointsError {
  readonly code = "endpoints/secret-password";
  readonly fault: SecretPasswordFault;

  constructor({ fault }: { fault: SecretPasswordFault }) {
    super(passwordFaults[fault]);
    this.fault = fault;
  }
}

/**
 * Ciphertext could not be opened. Wrong password, changed, cut, swapped or renamed entry, unknown version:
 * one error with one message and no facts, so that it helps nobody who tries.
 */
export class InvalidSecretError extends EndpointsError {
  readonly code = "endpoints/invalid-secret";

  constructor() {
    super(
      "The encrypted entries could not be opened; check the password, " +
        "and that no `_ENCRYPTED` entry was edited, renamed or set by another program",
    );
  }
}

/** Ciphertext stands under a name without the suffix, as releases before 0.11 of the Python package wrote it. */
export class LegacySecretError extends EndpointsError {
  readonly code = "endpoints/legacy-secret";
  readonly envName: string;

  constructor({ envName }: { envName: string }) {
    super(
      `\`${envName}\` holds ciphertext, so its name must end with \`_ENCRYPTED\`; ` +
        "recover secrets of an older release with that release, and encrypt them again under base names",
    );
    this.envName = envName;
  }
}

/** A setting for encrypting is outside of what this release writes; `setting` is its name. */
export class SecretSettingError extends EndpointsError {
  readonly code = "endpoints/secret-setting";
  readonly setting: "format" | "scryptLogN";

  constructor({ setting }: { setting: "format" | "scryptLogN" }) {
    super(setting === "format" ? "`format` is `v1` or `v2`" : "`scryptLogN` is a whole number from 15 to 18");
    this.setting = setting;
  }
}

/**
 * Why an environment file cannot be used: it is not there (`missing`), it or the output is a symbolic link
 * (`link`) or no regular file (`not-a-file`), it is not UTF-8 (`not-utf8`), it is over the limit (`too-large`),
 * or the system refused (`unreadable`, `unwritable`; `cause` is its error).
 */
export type EnvFileFault =
  "missing" | "link" | "not-a-file" | "not-utf8" | "too-large" | "unreadable" | "unwritable";

const fileFaults: Readonly<Record<EnvFileFault, string>> = {
  missing: "does not exist",
  link: "is a symbolic link; name the file itself",
  "not-a-file": "is not a regular file",
  "not-utf8": "is not UTF-8 text; save it as UTF-8",
  "too-large": "is over 64 MiB; an environment file holds settings, not data",
  unreadable: "could not be read; see `cause`",
  unwritable: "could not be written, what was there before is unchanged; see `cause`",
};

/** An environment file cannot be read or written. */
export class EnvFileError extends EndpointsError {
  readonly code = "endpoints/env-file";
  readonly path: string;
  readonly fault: EnvFileFault;

  constructor({ path, fault, cause }: { path: string; fault: EnvFileFault; cause?: unknown }) {
    super(`\`${path}\` ${fileFaults[fault]}`, cause === undefined ? undefined : { cause });
    this.path = path;
    this.fault = fault;
  }
}

/** The Argon2id library, which only format v1 needs, has no build for this platform. `cause` says why. */
export class Argon2Error extends EndpointsError {
  readonly code = "endpoints/argon2";

  constructor({ cause }: { cause: unknown }) {
    super(
      "Format v1 needs `@node-rs/argon2`, which could not be loaded; " +
        "run `npm install @node-rs/argon2`, or encrypt again in format v2",
      { cause },
    );
  }
}
