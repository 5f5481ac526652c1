import { isIPv6 } from "node:net";

/**
 * What is wrong with a service's base URL, as the end of a sentence, or `undefined` when nothing is. The URL is not part of the
 * answer: it may hold a credential.
 *
 * The text is judged as it stands (RFC 3986), since `new URL` repairs white space, backslashes and missing slashes in silence.
 */
export function baseUrlProblem(url: string): string | undefined {
  const parts = /^https?:\/\/(?<authority>[^/?#]*)(?<rest>.*)$/isu.exec(url)?.groups;
  const { authority = "", rest = "" } = parts ?? {};
  if (authority === "" || authority.startsWith(":")) {
    return "must be an address with the scheme `http` or `https` and a host";
  }
  if (authority.includes("@")) return "must not hold a user name or a password";
  if (/[?#]/.test(rest)) return "must not hold a query or a fragment";
  const { host = "", port = "" } =
    /^(?<host>\[[^\]]*\]|[^:[\]]*)(?<port>:.*)?$/su.exec(authority)?.groups ?? {};
  if (host === "") return "has a malformed host";
  if (host.startsWith("[") && !isIPv6(host.slice(1, -1))) return "has a malformed IPv6 host";
  if (!/^(?::[0-9]*)?$/.test(port) || Number(port.slice(1)) > 65_535) {
    return "has a port that is not a number from 0 to 65535";
  }
  if (/[\s\\]/.test(url) || !URL.canParse(url)) return "is malformed";
  return undefined;
}
