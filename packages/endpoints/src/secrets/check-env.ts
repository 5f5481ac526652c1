import {
  collectCandidates,
  isInProcess,
  type Candidate,
  type EnvLocation,
  type EnvSource,
} from "./candidates.ts";
import { SecretNameError } from "./errors.ts";
import { isReadableCiphertext } from "./env-values.ts";
import { isBaseName, isCiphertext } from "./names.ts";

/**
 * What would keep a setting from being used although it is there: it is empty (`empty`); its ciphertext has a form
 * that no password opens, such as an unrelated variable ending in `_ENCRYPTED` (`unreadable`); ciphertext stands
 * under its plain name (`not-unlocked`); or it is there in plain and encrypted (`collision`).
 */
export type EnvProblem = "empty" | "unreadable" | "not-unlocked" | "collision";

/** What is known of one setting without opening anything. It never holds a value. */
export interface EnvStatus {
  readonly name: string;
  /** `present`: in the process, or {@link loadSecrets} sets it without a password; `locked`: it needs one. */
  readonly status: "present" | "missing" | "locked";
  /** Where the entry that wins stands; `null` when missing. */
  readonly source: EnvSource | null;
  readonly problem: EnvProblem | null;
}

/** Which names to look for, and where. */
export interface CheckEnvOptions extends EnvLocation {
  /** Base names; without them, every name of the files and every `NAME_ENCRYPTED` of the process. */
  readonly names?: readonly string[] | undefined;
}

/**
 * Says which settings {@link loadSecrets} would find, and which of them need the password. Opens nothing, reads no
 * password, changes nothing.
 *
 * @returns One entry per name: in the order of `names`, each once, else sorted.
 * @throws {@link SecretNameError} (`endpoints/secret-name`) for a name that is not a base name, or one of a file or
 * an `_ENCRYPTED` variable that is not a stored name; {@link EnvFileError} (`endpoints/env-file`) as `loadSecrets`.
 */
export async function checkEnv({ names, ...location }: CheckEnvOptions = {}): Promise<readonly EnvStatus[]> {
  for (const envName of names ?? []) {
    if (!isBaseName(envName)) throw new SecretNameError({ envName, fault: "not-base-name" });
  }
  const byName = new Map<string, Candidate[]>();
  for (const candidate of await collectCandidates(location)) {
    const ofName = byName.get(candidate.baseName);
    if (ofName === undefined) byName.set(candidate.baseName, [candidate]);
    else ofName.push(candidate);
  }
  const wanted = new Set(names ?? [...byName.keys()].sort());
  return [...wanted].map((name) => statusOf(name, byName.get(name) ?? []));
}

function statusOf(name: string, candidates: readonly Candidate[]): EnvStatus {
  if (isInProcess(name)) {
    return { name, status: "present", source: "process", problem: problemOfPlain(process.env[name] ?? "") };
  }
  const encrypted = candidates.find(({ isEncrypted }) => isEncrypted);
  if (encrypted !== undefined) {
    const { source, value } = encrypted;
    const isReadable = value !== undefined && isReadableCiphertext(value);
    const problem = candidates.length > 1 ? "collision" : isReadable ? null : "unreadable";
    return { name, status: "locked", source, problem };
  }
  const [plain] = candidates;
  if (plain?.value === undefined) return { name, status: "missing", source: null, problem: null };
  return { name, status: "present", source: plain.source, problem: problemOfPlain(plain.value) };
}

function problemOfPlain(value: string): EnvProblem | null {
  if (value === "") return "empty";
  return isCiphertext(value) ? "not-unlocked" : null;
}
