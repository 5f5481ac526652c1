import { EnvFileError, SecretNameError } from "./errors.ts";
import { readEnvFile, type OnEnvWarning } from "./env-file.ts";
import type { EnvValues } from "./env-values.ts";
import { DEFAULT_ENCRYPTED_ENV_PATH, ENCRYPTED_SUFFIX, readStoredName, type StoredName } from "./names.ts";

/** Where an entry came from: the process, the encrypted file, or `.env`, which overlays it. */
export type EnvSource = "process" | "encrypted-file" | "overlay";

/** An entry that may be loaded. */
export interface Candidate extends StoredName {
  readonly storedName: string;
  readonly value: string | undefined;
  readonly source: EnvSource;
}

/** Where to look. */
export interface EnvLocation {
  /** The encrypted file; a missing one has no entries. Default `.env.encrypt`, overlaid by `.env`. */
  readonly path?: string | undefined;
  /** Is told of each line that is no setting and therefore left out. Default: a process warning with its line. */
  readonly onWarning?: OnEnvWarning | undefined;
}

const overlayPath = ".env";

/**
 * The entries of the file, of the process and of the overlay, the stronger in place of the weaker. Every name is
 * checked, also those that will not be loaded. Nothing is decrypted.
 */
export async function collectCandidates({ path, onWarning }: EnvLocation): Promise<readonly Candidate[]> {
  const candidates = new Map<string, Candidate>();
  const file = await readEnvFile(path ?? DEFAULT_ENCRYPTED_ENV_PATH, { allowLink: true, onWarning });
  // Read before anything is looked up in the process, so that all below sees one state of it.
  const overlay = path === undefined ? await readOverlay(onWarning) : undefined;
  for (const candidate of readCandidates(file ?? new Map<string, string>(), "encrypted-file")) {
    candidates.set(candidate.storedName, candidate);
  }
  const variables = Object.entries(process.env).filter(([name]) => name.endsWith(ENCRYPTED_SUFFIX));
  for (const candidate of readCandidates(new Map(variables), "process")) {
    candidates.set(candidate.storedName, candidate);
  }
  for (const candidate of readCandidates(overlay ?? new Map<string, string>(), "overlay")) {
    candidates.delete(candidate.baseName);
    candidates.delete(candidate.baseName + ENCRYPTED_SUFFIX);
    candidates.set(candidate.storedName, candidate);
  }
  return [...candidates.values()];
}

async function readOverlay(onWarning: OnEnvWarning | undefined): Promise<EnvValues | undefined> {
  try {
    return await readEnvFile(overlayPath, { allowLink: true, onWarning });
  } catch (error) {
    // Some projects have a folder of that name, such as a virtual environment of Python.
    if (error instanceof EnvFileError && error.fault === "not-a-file") return undefined;
    throw error;
  }
}

function readCandidates(values: EnvValues, source: EnvSource): Candidate[] {
  return [...values].map(([storedName, value]) => {
    const name = readStoredName(storedName);
    if (name === undefined) throw new SecretNameError({ envName: storedName, fault: "not-stored-name" });
    return { ...name, storedName, value, source };
  });
}

/** True when the process has the variable, also an empty one; names on `Object.prototype` are no exception. */
export function isInProcess(name: string): boolean {
  return Object.hasOwn(process.env, name);
}
