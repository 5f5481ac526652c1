import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:http";

import { ThreadDriverError } from "../store/errors.ts";
import { loopbackHosts } from "./hosts.ts";

/** Where a server listens. */
export interface ListenOptions {
  /** 0, the default, for any that is free. */
  readonly port?: number | undefined;
  /** `127.0.0.1` by default: this machine alone. */
  readonly host?: string | undefined;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  readonly url: string;
  /** The names of a server that this machine alone reaches; undefined for one that others reach. */
  readonly ownHosts: readonly string[] | undefined;
  readonly close: () => Promise<void>;
}

/** How long a request's head, and all of it, may take to come, in milliseconds. */
const headersTimeout = 10_000;
const requestTimeout = 20_000;
/** How often connections are looked at that are late. */
const connectionsCheckingInterval = 2000;

/**
 * Listens on a port.
 *
 * @throws {@link ThreadDriverError} (`threads/driver`) when `@hono/node-server` is not installed; the system's error when the
 * port is taken.
 */
export async function listenOn(
  fetch: (request: Request) => Promise<Response>,
  { port = 0, host = "127.0.0.1" }: ListenOptions,
): Promise<Listening> {
  const { getRequestListener } = await import("@hono/node-server").catch((cause: unknown) => {
    throw new ThreadDriverError({ driver: "@hono/node-server", cause });
  });
  const listener = getRequestListener(fetch);
  const server = createServer(
    { headersTimeout, requestTimeout, connectionsCheckingInterval, maxHeaderSize: 16 * 1024 },
    (request, response) => {
      void listener(request, response);
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  const bound = isAddress(address) ? address.port : port;
  const isOwn = ["127.0.0.1", "::1", "localhost"].includes(host);
  return {
    port: bound,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    ownHosts: isOwn ? loopbackHosts : undefined,
    close: () => closed(server),
  };
}

function isAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

async function closed(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeIdleConnections();
    // Streams were told to end; what does not is cut off.
    setTimeout(() => {
      server.closeAllConnections();
    }, 1000).unref();
  });
}
