import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { scripted, ServerStage } from "./__fixtures__/server-stage.ts";

let stage: ServerStage;
const sockets: Socket[] = [];
let dripping: NodeJS.Timeout | undefined;
afterEach(async () => {
  clearInterval(dripping);
  for (const socket of sockets) socket.destroy();
  await stage.close();
});

describe("connections that send byte by byte", () => {
  it("TH-18: are closed, 1,000 with their head and 1,000 with a body, and others are answered meanwhile", async () => {
    stage = await ServerStage.open({ standard: scripted([]) });
    const { port, url } = await stage.server.listen();
    const authorization = `Bearer ${stage.tokens.get("u1") ?? ""}`;
    const beginnings = [
      "GET /v1/ai/threads HTTP/1.1\r\nX-Slow: ",
      `POST /v1/ai/threads HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\nContent-Length: 999\r\n\r\n{`,
    ];
    const closed: Promise<void>[] = [];
    for (let number = 0; number < 1000; number += 1) {
      for (const beginning of beginnings) {
        const socket = connect(port, "127.0.0.1");
        socket.write(beginning);
        sockets.push(socket);
        // The server may reset a connection while a byte is under way to it.
        socket.on("error", () => undefined).resume();
        closed.push(
          new Promise<void>((resolve) =>
            socket.once("close", () => {
              resolve();
            }),
          ),
        );
      }
      // Not more at a time than the system lets wait to be accepted.
      const last = sockets.at(-1);
      if (number % 50 === 49 && last?.connecting === true) await once(last, "connect");
    }
    dripping = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write("x");
    }, 5000);
    const ask = async (): Promise<number> =>
      (await fetch(`${url}/v1/ai/threads`, { headers: { authorization } })).status;
    expect(await ask()).toBe(200);
    await Promise.all(closed);
    expect(await ask()).toBe(200);
    expect(await stage.count("threads")).toBe(0);
  });
});
