import { RobotoUnauthorizedException } from "../errors/http-exceptions.ts";

/** Which web pages and host names a server answers. */
export interface HostSettings {
  /** Host names that requests may name; undefined for any. */
  readonly hosts: readonly string[] | undefined;
  /** Origins of web pages that may call the server, besides its own. */
  readonly origins: readonly string[];
}

/** The names of this machine itself. */
export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Refuses requests of other web pages, and under names that the server does not have.
 *
 * @returns The headers that let an allowed page read the answer.
 * @throws {@link RobotoUnauthorizedException} with the status 403.
 */
export function checkHost(
  request: Request,
  { hosts, origins }: HostSettings,
): Readonly<Record<string, string>> {
  const { host, hostname } = new URL(request.url);
  if (hosts !== undefined && !hosts.includes(hostname))
    throw refused("The server does not have this host name");
  const origin = request.headers.get("origin");
  if (origin === null) return {};
  if (origins.includes(origin)) {
    return {
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "Idempotency-Replayed, Retry-After",
      vary: "Origin",
    };
  }
  if (URL.canParse(origin) && new URL(origin).host === host) return {};
  throw refused("Web pages of this origin may not call the server");
}

function refused(message: string): RobotoUnauthorizedException {
  return new RobotoUnauthorizedException({ message, status: 403 });
}
