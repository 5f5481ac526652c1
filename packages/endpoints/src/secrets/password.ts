import { ENV_PASSWORD_VARIABLE } from "./names.ts";
import { SecretPasswordError } from "./errors.ts";

const loneSurrogate = /\p{Surrogate}/u;

/** True when the text cannot be written as UTF-8 without loss. */
export function isMalformedText(text: string): boolean {
  return loneSurrogate.test(text);
}

/**
 * The password as given, once it is known to be usable. Its characters are not normalised.
 *
 * @throws {@link SecretPasswordError} when it is missing, empty, or cannot be written as UTF-8.
 */
export function requirePassword(given: unknown): string {
  // Also from untyped code, where an error of Node would show the value.
  if (typeof given !== "string") throw new SecretPasswordError({ fault: "missing" });
  if (given === "") throw new SecretPasswordError({ fault: "empty" });
  // Encoding would replace it by U+FFFD, and different passwords would open the same file.
  if (isMalformedText(given)) throw new SecretPasswordError({ fault: "malformed-text" });
  return given;
}

/** The password given, else the one of the process variable, which is removed as it is read. */
export function takePassword(given: string | undefined): string {
  if (given !== undefined) return requirePassword(given);
  const found = process.env[ENV_PASSWORD_VARIABLE];
  Reflect.deleteProperty(process.env, ENV_PASSWORD_VARIABLE);
  return requirePassword(found);
}
