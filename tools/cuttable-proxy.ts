import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** What becomes of a piece on its way: it goes on, it goes on as the last one, or it is lost with the connection. */
export type Passage = "pass" | "pass-then-cut" | "lose";

/** A network between a client and a server that can fail. */
export interface CuttableProxy {
  readonly port: number;
  /** Breaks every connection there is. */
  readonly cut: () => void;
  /** Whether new connections are refused. */
  isDown: boolean;
  /** Decides about what clients send; everything passes by default. What comes back after a cut is lost. */
  passage: (piece: Buffer) => Passage;
  readonly close: () => Promise<void>;
}

/** Starts a proxy on a free loopback port. */
export async function startProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<CuttableProxy> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (proxy.isDown) {
      client.destroy();
      return;
    }
    const remote = connect(target);
    const end = (): void => {
      client.destroy();
      remote.destroy();
    };
    for (const socket of [client, remote]) {
      open.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        open.delete(socket);
        end();
      });
    }
    remote.pipe(client);
    client.on("data", (piece: Buffer) => {
      const passage = proxy.passage(piece);
      if (passage === "lose") {
        end();
        return;
      }
      if (passage === "pass-then-cut") {
        // The answer goes nowhere, and the server has what was sent.
        remote.unpipe(client);
        client.destroy();
        remote.end(piece);
        return;
      }
      if (!remote.write(piece)) {
        client.pause();
        remote.once("drain", () => {
          client.resume();
        });
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  const proxy: CuttableProxy = {
    port: address.port,
    isDown: false,
    passage: () => "pass",
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    close: async () => {
      server.close();
      proxy.cut();
      await once(server, "close");
    },
  };
  return proxy;
}
