import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EnvFileError, SecretNameError } from "./errors.ts";
import { parseEnv, type EnvLineFault, type EnvWarning } from "./env-text.ts";
import type { EnvValues } from "./env-values.ts";
import { ENCRYPTED_SUFFIX } from "./names.ts";

const maxBytes = 64 * 2 ** 20;
const ownerOnly = 0o600;

/** A skipped line and the file it stands in. */
export interface EnvFileWarning extends EnvWarning {
  readonly path: string;
}

/** Is told of each line that was skipped; without one, each becomes a process warning. */
export type OnEnvWarning = (warning: EnvFileWarning) => void;

/**
 * Reads a dotenv file; `undefined` when there is none. An encrypted entry that is cut counts as one without a value.
 *
 * @param options.allowLink - Whether the path may be a symbolic link.
 */
export async function readEnvFile(
  path: string,
  { allowLink, onWarning = emitWarning }: { allowLink: boolean; onWarning?: OnEnvWarning | undefined },
): Promise<EnvValues | undefined> {
  const bytes = await readRegularFile(path, allowLink);
  if (bytes === undefined) return undefined;
  if (!isUtf8(bytes)) throw new EnvFileError({ path, fault: "not-utf8" });
  const { values: parsed, warnings } = parseEnv(bytes.toString("utf8"));
  const values = new Map(parsed);
  for (const { line, fault, envName } of warnings) {
    // A setting under an impossible name is a mistake to mend; leaving it out would lose it.
    if (fault === "name") throw new SecretNameError({ envName, line, fault: "not-stored-name" });
    // Cut ciphertext has lost its closing quote. Without it the rest must not load as if nothing were missing.
    if (envName?.endsWith(ENCRYPTED_SUFFIX) && !values.has(envName)) values.set(envName, undefined);
  }
  for (const warning of warnings) onWarning({ ...warning, path });
  return values;
}

const lineFaults: Readonly<Record<EnvLineFault, string>> = {
  "unclosed-quote": "its quote is never closed",
  "after-quote": "something follows the closing quote",
  name: "its name is not one",
  syntax: "it is no setting",
};

function emitWarning({ path, line, fault }: EnvFileWarning): void {
  process.emitWarning(`Line ${line} of \`${path}\` was skipped: ${lineFaults[fault]}`, {
    code: "ROBOZ_ENV_LINE",
  });
}

async function readRegularFile(path: string, allowLink: boolean): Promise<Buffer | undefined> {
  if (!allowLink) await refuseLink(path);
  let file: FileHandle;
  try {
    file = await openQuietly(path, allowLink);
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return undefined;
    if (hasCode(cause, "ELOOP") && !allowLink) throw new EnvFileError({ path, fault: "link" });
    throw new EnvFileError({ path, fault: "unreadable", cause });
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new EnvFileError({ path, fault: "not-a-file" });
    if (stats.size > maxBytes) throw new EnvFileError({ path, fault: "too-large" });
    return await file.readFile();
  } catch (cause) {
    if (cause instanceof EnvFileError) throw cause;
    throw new EnvFileError({ path, fault: "unreadable", cause });
  } finally {
    await file.close();
  }
}

async function refuseLink(path: string): Promise<void> {
  let stats: Stats | undefined;
  try {
    stats = await statLink(path);
  } catch (cause) {
    throw new EnvFileError({ path, fault: "unreadable", cause });
  }
  if (stats?.isSymbolicLink()) throw new EnvFileError({ path, fault: "link" });
}

/** Opens for reading: a pipe does not block, a link is not followed unless allowed, the access time stays if it may. */
async function openQuietly(path: string, allowLink: boolean): Promise<FileHandle> {
  // Flags that a platform lacks are undefined there, which `|` takes as 0.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (allowLink ? 0 : constants.O_NOFOLLOW);
  try {
    return await open(path, flags | constants.O_NOATIME);
  } catch (error) {
    // Only the owner of a file may leave its access time alone.
    if (hasCode(error, "EPERM")) return open(path, flags);
    throw error;
  }
}

/** @throws {@link EnvFileError} when something other than a regular file is there; nothing there is fine. */
export async function requireReplaceable(path: string): Promise<void> {
  let stats: Stats | undefined;
  try {
    stats = await statLink(path);
  } catch (cause) {
    throw new EnvFileError({ path, fault: "unwritable", cause });
  }
  if (stats?.isSymbolicLink()) throw new EnvFileError({ path, fault: "link" });
  if (stats !== undefined && !stats.isFile()) throw new EnvFileError({ path, fault: "not-a-file" });
}

/**
 * Replaces a file in one step, readable by its owner only: a temporary file beside it, synced, renamed over it.
 * On any failure the temporary is removed and the old file is as it was.
 */
export async function replaceOwnerOnly(path: string, text: string): Promise<void> {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length > maxBytes) throw new EnvFileError({ path, fault: "too-large" });
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeNew(temporary, bytes);
    await requireReplaceable(path);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (cause instanceof EnvFileError) throw cause;
    throw new EnvFileError({ path, fault: "unwritable", cause });
  }
  await syncDirectory(directory);
}

async function writeNew(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, "wx", ownerOnly);
  try {
    // An unusual umask could have taken the owner's own permission away.
    await file.chmod(ownerOnly);
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a rename survive a power loss, where the platform can. The new file is complete in any case. */
async function syncDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path, constants.O_RDONLY);
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch {
    // Windows cannot open a directory, and some network file systems cannot sync one.
  }
}

async function statLink(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
