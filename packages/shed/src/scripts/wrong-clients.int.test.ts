import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eventually, processesWith } from "./__fixtures__/eventually.ts";
import { ServiceFolder } from "./__fixtures__/service-folder.ts";
import { mostFrameBytes } from "./frames.ts";
import { checkScriptService } from "./script-socket.ts";

let place: ServiceFolder;
beforeEach(() => {
  place = new ServiceFolder();
});
afterEach(async () => {
  await place.close();
});

describe.skipIf(process.platform !== "linux")("a client that does not keep to the protocol", () => {
  it.each([
    { why: "shed 134: an unknown field", send: '{"kind":"request","script":"a.sh","x":1}\n' },
    { why: "another kind of frame", send: '{"kind":"completion"}\n' },
    { why: "no JSON", send: "a.sh\n" },
    {
      why: "a frame that is too long",
      send: `{"kind":"request","script":"${"x".repeat(mostFrameBytes)}"}\n`,
    },
    {
      why: "a second request at once",
      send: '{"kind":"request","script":"a.sh"}\n{"kind":"request","script":"a.sh"}\n',
    },
    { why: "half a frame, and goes", send: '{"kind":"request"', goes: true },
    { why: "nothing, and goes", send: "", goes: true },
  ])("is closed out, and runs nothing, when it sends $why", async ({ send, goes = false }) => {
    place.folder.write("a.sh", "touch ran");
    await place.serve();
    const { socket, lines, closed } = await place.connect();
    await eventually("it was greeted", () => lines().length === 1);
    socket.write(send);
    if (goes) socket.end();
    await closed;
    expect(lines()).toHaveLength(1);
    expect(existsSync(join(place.folder.root, "ran"))).toBe(false);
    await checkScriptService(place.socketPath);
  });

  it("is closed out after three seconds when it sends no request", async () => {
    await place.serve();
    const { lines, closed, socket } = await place.connect();
    await eventually("it was greeted", () => lines().length === 1);
    socket.write("{");
    await closed;
    expect(lines()).toHaveLength(1);
  });

  it.each([
    { why: "goes away", act: (socket: Socket) => void socket.destroy() },
    { why: "ends its side", act: (socket: Socket) => void socket.end() },
    { why: "sends anything more", act: (socket: Socket) => void socket.write(" ") },
  ])("has its script ended when it $why", async ({ act }) => {
    place.folder.write("a.sh", "echo begun; setsid sleep 600 & sleep 600");
    await place.serve();
    const { socket, lines } = await place.connect();
    socket.write('{"kind":"request","script":"a.sh"}\n');
    await eventually("it runs", () => lines().length === 2);
    act(socket);
    await eventually("it is gone", () => processesWith(place.folder.scriptsDir).length === 0);
    await eventually("the next may run", () => !socket.writable || socket.destroyed);
    place.folder.write("b.sh", "echo next");
    expect(await place.callWhenFree("b.sh")).toMatchObject({ status: "success", output: "next\n" });
  });

  it("has its script ended when it does not read", async () => {
    place.folder.write("a.sh", "exec head -c 50000000 /dev/zero");
    await place.serve({ maxOutputBytes: 60_000_000 });
    const { socket } = await place.connect();
    socket.pause();
    socket.write('{"kind":"request","script":"a.sh"}\n');
    await eventually("it runs", () => processesWith("head -c 50000000".replaceAll(" ", "\0")).length > 0);
    await eventually(
      "it is gone",
      () => processesWith("head -c 50000000".replaceAll(" ", "\0")).length === 0,
    );
    place.folder.write("b.sh", "echo next");
    expect(await place.callWhenFree("b.sh")).toMatchObject({ status: "success" });
  });

  it("is turned away when there are sixteen others, and let in when one has gone", async () => {
    await place.serve();
    const clients = await Promise.all(Array.from({ length: 16 }, () => place.connect()));
    await eventually("all were greeted", () => clients.every(({ lines }) => lines().length === 1));
    await expect(checkScriptService(place.socketPath)).rejects.toMatchObject({ fault: "unavailable" });
    clients[3]?.socket.destroy();
    let isIn = false;
    const enter = async (): Promise<void> => {
      while (!isIn)
        isIn = await checkScriptService(place.socketPath).then(
          () => true,
          () => false,
        );
    };
    await enter();
    expect(isIn).toBe(true);
  });
});
