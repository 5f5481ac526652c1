/** What the name of an encrypted entry ends with, in upper case only. */
export const ENCRYPTED_SUFFIX = "_ENCRYPTED";

/** What every ciphertext starts with, in every format; any value that starts so counts as ciphertext. */
export const ENCRYPTED_NAMESPACE = "roboz:";

/** Where {@link loadSecrets} looks when no path is given, relative to the working directory. */
export const DEFAULT_ENCRYPTED_ENV_PATH = ".env.encrypt";

/** The process variable that may hold the password. It is removed from the process as it is read. */
export const ENV_PASSWORD_VARIABLE = "ROBOZ_ENV_PASSWORD";

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const reservedEnding = /_encrypted$/i;

/** True when the name can be that of a setting, as programs read it. */
export function isBaseName(name: string): boolean {
  return identifier.test(name) && !reservedEnding.test(name);
}

/** True when the name is spelled like a variable, reserved ending or not. */
export function isIdentifier(name: string): boolean {
  return identifier.test(name);
}

/** A name as an environment stores it, taken apart. */
export interface StoredName {
  readonly baseName: string;
  readonly isEncrypted: boolean;
}

/** Takes a stored name apart, or gives `undefined` when it is not one. */
export function readStoredName(name: string): StoredName | undefined {
  const isEncrypted = name.endsWith(ENCRYPTED_SUFFIX);
  const baseName = isEncrypted ? name.slice(0, -ENCRYPTED_SUFFIX.length) : name;
  return isBaseName(baseName) ? { baseName, isEncrypted } : undefined;
}

/** True when the value is ciphertext of any format, known or not. */
export function isCiphertext(value: string): boolean {
  return value.startsWith(ENCRYPTED_NAMESPACE);
}
