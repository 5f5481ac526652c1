import {
  InvalidSecretError,
  LegacySecretError,
  SecretCollisionError,
  SecretNameError,
  SecretSettingError,
  SecretValueError,
} from "./errors.ts";
import { openV1, readV1, sealV1, type SealedV1 } from "./format-v1.ts";
import {
  defaultScryptLogN,
  readV2,
  scryptLimits,
  sealV2,
  V2Opener,
  type PlainEntry,
  type SealedV2,
} from "./format-v2.ts";
import { ENCRYPTED_SUFFIX, isBaseName, isCiphertext, readStoredName } from "./names.ts";
import { isMalformedText, requirePassword } from "./password.ts";

/** Names to values, in the order of the file; `undefined` stands for a bare `NAME` line, which has no value. */
export type EnvValues = ReadonlyMap<string, string | undefined>;

/**
 * How ciphertext is written. `v2` binds every value to its name and derives one key per file; `v1` is what the
 * Python release reads. Both are recognised when decrypting.
 */
export type SecretFormat = "v1" | "v2";

/** What to encrypt, and how. */
export interface EncryptOptions {
  /** Base names of the entries to encrypt. Never guessed from a spelling; naming one twice is naming it once. */
  readonly secretNames: readonly string[] | ReadonlySet<string>;
  /** Needed when `secretNames` is not empty. Its characters are taken as they are, without normalisation. */
  readonly password?: string | undefined;
  /** Default `v2`. */
  readonly format?: SecretFormat | undefined;
  /**
   * The cost of guessing the password, in format v2 only: the base-2 logarithm of scrypt's N. Every step doubles
   * the time and the memory of each opening. Default 17, which takes 128 MiB; 15 (32 MiB) is for small containers.
   */
  readonly scryptLogN?: 15 | 16 | 17 | 18 | undefined;
}

/**
 * Encrypts the named values of an environment; all others pass through unchanged.
 *
 * Reads no file and no process variable. Everything is checked before anything is encrypted.
 *
 * @param values - Base names to values; `undefined` stands for a bare `NAME` line.
 * @returns A new map in the same order; each encrypted entry is renamed `NAME_ENCRYPTED`. Salts and nonces are
 * fresh, so no two results are equal.
 * @throws {@link SecretNameError} (`endpoints/secret-name`) when a name is missing from `values`, or any name is
 * not a base name; {@link SecretValueError} (`endpoints/secret-value`) when any value holds a NUL or already is
 * ciphertext, or one to encrypt is bare or not well-formed text; {@link SecretPasswordError}
 * (`endpoints/secret-password`) when something is to be encrypted and the password is missing or empty;
 * {@link SecretSettingError} (`endpoints/secret-setting`) for another `format` or `scryptLogN`.
 * @see RFC 7914 (scrypt), NIST SP 800-38D (AES-GCM); for `v1` RFC 9106 (Argon2id) and the Fernet specification
 */
export async function encryptEnvValues(values: EnvValues, options: EncryptOptions): Promise<EnvValues> {
  requireSettings(options);
  const selected = new Set(options.secretNames);
  const entries = [...values];
  for (const envName of selected) {
    if (!values.has(envName)) throw new SecretNameError({ envName, fault: "missing" });
  }
  for (const [name, value] of entries) requireEncryptable(name, value, selected.has(name));
  if (selected.size === 0) return new Map(entries);

  const plain = entries.flatMap(([baseName, value]): PlainEntry[] =>
    selected.has(baseName) && value !== undefined ? [{ baseName, value }] : [],
  );
  const sealed = await seal(plain, requirePassword(options.password), options);
  return new Map(
    entries.map(([name, value]) => {
      const ciphertext = sealed.get(name);
      return ciphertext === undefined ? [name, value] : [name + ENCRYPTED_SUFFIX, ciphertext];
    }),
  );
}

/** For callers without types: what is written otherwise could not be opened again. */
function requireSettings({ format = "v2", scryptLogN = defaultScryptLogN }: EncryptOptions): void {
  const formats: readonly string[] = ["v1", "v2"];
  if (!formats.includes(format)) throw new SecretSettingError({ setting: "format" });
  const { minLogN, maxLogN } = scryptLimits;
  if (!Number.isInteger(scryptLogN) || scryptLogN < minLogN || scryptLogN > maxLogN) {
    throw new SecretSettingError({ setting: "scryptLogN" });
  }
}

function requireEncryptable(envName: string, value: string | undefined, isSelected: boolean): void {
  if (!isBaseName(envName)) throw new SecretNameError({ envName, fault: "not-base-name" });
  if (value === undefined) {
    if (isSelected) throw new SecretValueError({ envName, fault: "no-value" });
    return;
  }
  if (value.includes("\0")) throw new SecretValueError({ envName, fault: "nul" });
  if (isCiphertext(value)) throw new SecretValueError({ envName, fault: "ciphertext" });
  if (isSelected && isMalformedText(value)) throw new SecretValueError({ envName, fault: "malformed-text" });
}

async function seal(
  entries: readonly PlainEntry[],
  password: string,
  { format = "v2", scryptLogN }: EncryptOptions,
): Promise<ReadonlyMap<string, string>> {
  const sealed = new Map<string, string>();
  switch (format) {
    case "v1":
      // One after the other: each derivation takes 64 MiB and all cores already.
      for (const { baseName, value } of entries) sealed.set(baseName, await sealV1(value, password));
      break;
    case "v2": {
      const ciphertexts = await sealV2(entries, { password, logN: scryptLogN });
      for (const [index, { baseName }] of entries.entries()) {
        const ciphertext = ciphertexts[index];
        if (ciphertext !== undefined) sealed.set(baseName, ciphertext);
      }
      break;
    }
  }
  return sealed;
}

/** What decrypting needs. */
export interface DecryptOptions {
  /** Needed when any entry is encrypted. */
  readonly password?: string | undefined;
}

/**
 * Opens an environment: every `NAME_ENCRYPTED` becomes `NAME` with its plain value; all others are copied.
 *
 * Reads no file and no process variable. Either everything opens or nothing is returned. In format v1 a value is
 * not bound to its name: two swapped entries open as swapped. In format v2 they are refused.
 *
 * @param values - Stored names to values, as {@link encryptEnvValues} or a file gives them.
 * @returns A new map of base names, in the same order.
 * @throws {@link SecretNameError} (`endpoints/secret-name`) for what is not a stored name;
 * {@link SecretCollisionError} (`endpoints/secret-collision`) for a name that is there in plain and encrypted;
 * {@link LegacySecretError} (`endpoints/legacy-secret`) for ciphertext under a name without the suffix;
 * {@link SecretPasswordError} (`endpoints/secret-password`) when something is encrypted and the password is
 * missing or empty; {@link InvalidSecretError} (`endpoints/invalid-secret`) when any entry does not open, whatever
 * the reason; {@link Argon2Error} (`endpoints/argon2`) when format v1 is met and its library has no build here.
 */
export async function decryptEnvValues(values: EnvValues, options: DecryptOptions = {}): Promise<EnvValues> {
  const entries = [...values].map(([name, value]) => readEntry(name, value));
  const seen = new Set<string>();
  for (const { baseName } of entries) {
    if (seen.has(baseName)) throw new SecretCollisionError({ envName: baseName });
    seen.add(baseName);
  }
  if (!entries.some(({ isEncrypted }) => isEncrypted)) {
    return new Map(entries.map(({ baseName, value }) => [baseName, value]));
  }
  return openAll(entries, requirePassword(options.password));
}

interface StoredEntry {
  readonly baseName: string;
  readonly isEncrypted: boolean;
  readonly value: string | undefined;
}

function readEntry(envName: string, value: string | undefined): StoredEntry {
  const name = readStoredName(envName);
  if (name === undefined) throw new SecretNameError({ envName, fault: "not-stored-name" });
  if (name.isEncrypted && value === undefined) throw new InvalidSecretError();
  if (!name.isEncrypted && value !== undefined && isCiphertext(value))
    throw new LegacySecretError({ envName });
  return { ...name, value };
}

async function openAll(entries: readonly StoredEntry[], password: string): Promise<EnvValues> {
  // All are read before the first derivation, so that one that cannot open costs nothing.
  const readable = entries.map((entry) => ({
    entry,
    sealed: entry.isEncrypted ? readSealed(entry.value) : undefined,
  }));
  const opener = new V2Opener(password);
  const opened = new Map<string, string | undefined>();
  // One after the other: a derivation takes up to 256 MiB.
  for (const { entry, sealed } of readable) {
    const { baseName, value } = entry;
    opened.set(baseName, sealed === undefined ? value : await open(sealed, { baseName, opener, password }));
  }
  return opened;
}

type Sealed =
  { readonly format: "v1"; readonly parts: SealedV1 } | { readonly format: "v2"; readonly parts: SealedV2 };

function readSealed(text: string | undefined): Sealed {
  if (text !== undefined) {
    const v2 = readV2(text);
    if (v2 !== undefined) return { format: "v2", parts: v2 };
    const v1 = readV1(text);
    if (v1 !== undefined) return { format: "v1", parts: v1 };
  }
  throw new InvalidSecretError();
}

/** True when the text has the form of a ciphertext that this release can open, whatever the password. */
export function isReadableCiphertext(text: string): boolean {
  return readV2(text) !== undefined || readV1(text) !== undefined;
}

async function open(
  sealed: Sealed,
  { baseName, opener, password }: { baseName: string; opener: V2Opener; password: string },
): Promise<string> {
  const plain =
    sealed.format === "v2" ? await opener.open(sealed.parts, baseName) : await openV1(sealed.parts, password);
  // No writer of this format puts a NUL in, and no process variable can hold one.
  if (plain.includes("\0")) throw new InvalidSecretError();
  return plain;
}
