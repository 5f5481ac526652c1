import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";

import { scriptTool, type ScriptReport } from "../script-tool.ts";
import { serveScripts, type ScriptServer, type ScriptServerSettings } from "../serve-scripts.ts";
import { scriptFolder, type ScriptFolder } from "./script-folder.ts";

/** A client that speaks by hand. */
export interface HandClient {
  readonly socket: Socket;
  /** What it has heard. */
  readonly lines: () => readonly string[];
  readonly closed: Promise<unknown>;
}

/** A folder with a socket in it: served, left behind, or served by something else. */
export class ServiceFolder {
  readonly folder: ScriptFolder = scriptFolder();
  readonly run = join(this.folder.root, "run");
  socketPath = join(this.run, "socket");
  readonly #open: (() => unknown)[] = [];

  async close(): Promise<void> {
    for (const close of this.#open.splice(0).reverse()) await close();
    this.folder[Symbol.dispose]();
  }

  async serve(settings: Partial<ScriptServerSettings> = {}): Promise<ScriptServer> {
    const { scriptsDir, root: cwd } = this.folder;
    const server = await serveScripts({ socketPath: this.socketPath, scriptsDir, cwd, ...settings });
    this.#open.push(server.close);
    return server;
  }

  /** Calls the tool by the socket. */
  call(script?: string): Promise<ScriptReport> {
    return scriptTool({ socketPath: this.socketPath }).invoke({ script });
  }

  /** Runs a script once the service has tidied up after another one. */
  async callWhenFree(script: string): Promise<ScriptReport> {
    for (;;) {
      const report = await this.call(script);
      if (report.status !== "busy") return report;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async connect(): Promise<HandClient> {
    const socket = createConnection({ path: this.socketPath });
    let text = "";
    socket.on("data", (bytes) => (text += bytes.toString()));
    socket.on("error", () => undefined);
    this.#open.push(() => socket.destroy());
    const closed = once(socket, "close");
    await once(socket, "connect");
    return { socket, lines: () => text.split("\n").filter((line) => line !== ""), closed };
  }

  /** A service that greets as told, and answers the first thing it hears. */
  async pretend(
    greeting: unknown,
    answer: (socket: Socket) => void = () => undefined,
  ): Promise<{ readonly heard: () => string }> {
    let heard = "";
    mkdirSync(this.run, { recursive: true });
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      if (greeting !== undefined) socket.write(`${JSON.stringify(greeting)}\n`);
      socket.on("data", (bytes) => {
        if (heard === "") answer(socket);
        heard += bytes.toString();
      });
      this.#open.push(() => socket.destroy());
    });
    server.listen(this.socketPath);
    await once(server, "listening");
    this.#open.push(() => server.close());
    return { heard: () => heard };
  }

  /** Leaves the socket of a service that was killed. */
  async leaveStale(): Promise<void> {
    mkdirSync(this.run, { recursive: true, mode: 0o700 });
    const path = JSON.stringify(this.socketPath);
    const program = `require("net").createServer().listen(${path}, () => console.log("up"))`;
    const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}
