import { EnvFileError } from "./errors.ts";
import { readEnvFile, replaceOwnerOnly, requireReplaceable, type OnEnvWarning } from "./env-file.ts";
import { serializeEnv } from "./env-text.ts";
import { encryptEnvValues, type EncryptOptions } from "./env-values.ts";
import { takePassword } from "./password.ts";

/** What to encrypt, and how. */
export interface EncryptEnvOptions extends EncryptOptions {
  /** The plaintext source; a regular file, not a link. Default `.env`. */
  readonly path?: string | undefined;
  /** Without one, the process variable `ROBOZ_ENV_PASSWORD` is read and removed from the process. */
  readonly password?: string | undefined;
  /** Is told of each line that is no setting and therefore left out. Default: a process warning with its line. */
  readonly onWarning?: OnEnvWarning | undefined;
  /** Gives it up, as long as nothing was written; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes an encrypted copy of a dotenv file beside it: the path of the source with `.encrypt` at its end.
 *
 * The copy has every setting, in order, without comments and formatting; the source is never changed. The copy is
 * readable by its owner only (mode 0600; on Windows the folder's rules apply), and an older copy is replaced in one
 * step or left as it was.
 *
 * @returns The path of the copy; relative when `path` is.
 * @throws {@link EnvFileError} (`endpoints/env-file`) when the source is missing, a link, not a regular file, not
 * UTF-8 or over 64 MiB, or the copy is a link or cannot be written; what {@link encryptEnvValues} throws otherwise.
 */
export async function encryptEnv(options: EncryptEnvOptions): Promise<string> {
  const { path = ".env", onWarning, signal } = options;
  const secretNames = new Set(options.secretNames);
  const output = `${path}.encrypt`;
  const values = await readEnvFile(path, { allowLink: false, onWarning });
  if (values === undefined) throw new EnvFileError({ path, fault: "missing" });
  await requireReplaceable(output);
  const password = secretNames.size === 0 ? undefined : takePassword(options.password);
  const encrypted = await encryptEnvValues(values, { ...options, secretNames, password });
  signal?.throwIfAborted();
  await replaceOwnerOnly(output, serializeEnv(encrypted));
  return output;
}
