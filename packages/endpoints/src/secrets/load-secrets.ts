import { collectCandidates, isInProcess, type EnvLocation } from "./candidates.ts";
import { SecretValueError } from "./errors.ts";
import { decryptEnvValues } from "./env-values.ts";
import { takePassword } from "./password.ts";

/** Where to look, and how to open it. */
export interface LoadSecretsOptions extends EnvLocation {
  /** Without one, the process variable `ROBOZ_ENV_PASSWORD` is read and removed, but only if something is encrypted. */
  readonly password?: string | undefined;
}

let lastLoad: Promise<unknown> = Promise.resolve();

/**
 * Puts settings into `process.env`, for names that are missing there.
 *
 * Weakest first: the entries of `path`, or of `.env.encrypt` in the working directory; process variables that end
 * in `_ENCRYPTED`; and, only when no `path` is given, the entries of `.env`. Plain entries are loaded too, empty
 * ones included. A variable that exists is never replaced, even an empty one, and its ciphertext is not opened.
 * Ciphertext that was opened stays in the process under its stored name, so that failures can mask the value.
 *
 * Everything is opened and checked before the first variable is set: on a failure none is. Calls run one after the
 * other. A second call finds the names present, needs no password and changes nothing.
 *
 * @returns The base names that were set, never a value.
 * @throws {@link EnvFileError} (`endpoints/env-file`) for a file that is not a regular UTF-8 file of at most 64 MiB;
 * {@link SecretValueError} (`endpoints/secret-value`) for a value with a NUL; {@link SecretNameError}
 * (`endpoints/secret-name`) for any name that is not a stored name; what {@link decryptEnvValues} throws otherwise.
 */
export function loadSecrets(options: LoadSecretsOptions = {}): Promise<readonly string[]> {
  const load = lastLoad.then(() => loadNow(options));
  lastLoad = load.catch(() => undefined);
  return load;
}

async function loadNow(options: LoadSecretsOptions): Promise<readonly string[]> {
  const missing = (await collectCandidates(options)).filter(({ baseName }) => !isInProcess(baseName));
  const password = missing.some(({ isEncrypted }) => isEncrypted)
    ? takePassword(options.password)
    : undefined;
  const opened = await decryptEnvValues(
    new Map(missing.map(({ storedName, value }) => [storedName, value])),
    {
      password,
    },
  );
  for (const [envName, value] of opened) {
    if (value?.includes("\0")) throw new SecretValueError({ envName, fault: "nul" });
  }

  const names: string[] = [];
  for (const [name, value] of opened) {
    // A program may have set one while the password was being turned into a key.
    if (value === undefined || isInProcess(name)) continue;
    process.env[name] = value;
    names.push(name);
  }
  for (const { storedName, isEncrypted, value } of missing) {
    if (isEncrypted && value !== undefined) process.env[storedName] = value;
  }
  return names;
}
