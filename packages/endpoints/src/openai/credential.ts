import { loadSecrets } from "../secrets/load-secrets.ts";
import { ENCRYPTED_NAMESPACE } from "../secrets/names.ts";
import { MissingCredentialError, type CredentialFault } from "./provider-errors.ts";

/** A key, or a function that finds it; the function is called when a client is first used. */
export type ApiKey = string | (() => string | Promise<string>);

/**
 * Finds a key in an environment variable when a client is first used. If the variable has no usable value,
 * {@link loadSecrets} is called with its defaults, and the variable looked at once more.
 *
 * @returns A function for `apiKey`. It throws {@link MissingCredentialError} (`endpoints/missing-credential`) when there is no
 * usable key, and what {@link loadSecrets} throws.
 */
export function environmentKey(envName: string): () => Promise<string> {
  return async () => {
    if (faultOf(process.env[envName]) !== undefined) await loadSecrets();
    return usable(process.env[envName], envName);
  };
}

/**
 * The key, ready to be sent.
 *
 * @throws MissingCredentialError (`endpoints/missing-credential`) for one that cannot be sent; what the function throws, as it is.
 */
export async function usableKey(apiKey: ApiKey): Promise<string> {
  return usable(typeof apiKey === "function" ? await apiKey() : apiKey);
}

function usable(candidate: unknown, envName?: string): string {
  const fault = faultOf(candidate);
  if (fault !== undefined) throw new MissingCredentialError({ envName, fault });
  return String(candidate).trim();
}

/** What is wrong with a candidate for a key. Ciphertext is never sent to a service. */
function faultOf(candidate: unknown): CredentialFault | undefined {
  if (typeof candidate !== "string") return "missing";
  const key = candidate.trim();
  if (key === "") return "empty";
  if (key.startsWith(ENCRYPTED_NAMESPACE)) return "encrypted";
  return /^[\t\x20-\x7e\x80-\xff]+$/.test(key) ? undefined : "malformed";
}
