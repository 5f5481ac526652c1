const longest = 2000;

/** Names of variables that hold credentials, as the specifications of this project list them. */
const credentialName = /_(?:SECRET|PASSWORD|API_KEY|TOKEN)$/i;
const encryptedSuffix = "_ENCRYPTED";

/**
 * What went wrong, fit for one line of a terminal: no line breaks or control characters, no credentials of the process, no user or
 * password in an address.
 */
export function errorLine(error: unknown): string {
  const line = maskCredentials(withSystemCode(error))
    // Line breaks would end the line, escape sequences would be obeyed.
    .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message === "" ? error.name : error.message;
  return typeof error === "string" ? error : "something that is no error was thrown";
}

/** The message, with the system's code in place of the advice to look for it. */
function withSystemCode(error: unknown): string {
  const message = messageOf(error);
  if (!(error instanceof Error) || !(error.cause instanceof Error) || !("code" in error.cause))
    return message;
  const { code } = error.cause;
  if (typeof code !== "string" || !/^E[A-Z0-9]+$/.test(code)) return message;
  const said = message.replace("; see `cause`", "");
  return code === "ENOENT" || code === "EEXIST" ? said : `${said} (${code})`;
}

function maskCredentials(text: string): string {
  const secrets = Object.entries(process.env)
    .filter(([name]) => credentialName.test(name) || `${name}${encryptedSuffix}` in process.env)
    .map(([, secret = ""]) => secret)
    // A word of a few letters is no credential, and masking it would destroy the text.
    .filter((secret) => secret.trim().length >= 6)
    .sort((one, other) => other.length - one.length)
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const masked = secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), text);
  return masked.replace(/(?<=:\/\/)[^\s/?#@]*@/g, "[redacted]@");
}
