import { ExecutableDependency, type Environment } from "@roboz/core";
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, link, lstat, mkdir, stat, unlink } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import * as z from "zod";

import { systemCode, systemSentence } from "../files/system-error.ts";
import { ScriptServiceError, ScriptSettingsError } from "./errors.ts";
import { checkLimits, type ScriptLimits } from "./limits.ts";
import { LocalScripts, ScriptTurn } from "./local-scripts.ts";
import { serveConnection } from "./served-connection.ts";
import { checkSocketPath, openSocketDirectory, type SocketDirectory } from "./socket-path.ts";

/** What a script service is started with. Relative paths start from the working directory. */
export interface ScriptServerSettings extends ScriptLimits {
  /** Where clients connect. Its directory belongs to the user alone, with mode 0700; it is made when there is none. */
  readonly socketPath: string;
  /** Where the scripts are; links in it are not followed. */
  readonly scriptsDir: string;
  /** Where scripts run. */
  readonly cwd: string;
  /** Where the variables named in `allowEnv` come from; the process's own by default. */
  readonly environment?: Environment | undefined;
}

/** A script service that runs. */
export interface ScriptServer extends AsyncDisposable {
  /** Absolute. */
  readonly socketPath: string;
  /**
   * Stops it: takes no more clients, ends what runs, waits for it, and removes the socket, if it is still the one that was made.
   * Resolves when all of this is done, also when it is called again.
   */
  readonly close: () => Promise<void>;
}

/** Clients at a time; further ones are turned away. */
const mostClients = 16;

/**
 * Runs scripts for the clients of a socket, which only this user reaches: Linux only. One script runs at a time. The service goes
 * on until it is closed; it sets up no signal handlers.
 *
 * @throws {@link ScriptSettingsError} (`shed/script-settings`) for settings that cannot be; {@link ScriptServiceError}
 * (`shed/script-service`) when the service cannot be started, such as when anything stands at the socket's path.
 */
export async function serveScripts(settings: ScriptServerSettings): Promise<ScriptServer> {
  const { environment = process.env } = settings;
  const limits = checkLimits(settings);
  const socketPath = checkSocketPath(settings.socketPath);
  const scriptsDir = checkFolder("scriptsDir", settings.scriptsDir);
  const cwd = checkFolder("cwd", settings.cwd);
  if (process.platform !== "linux") throw new ScriptServiceError({ fault: "platform", socketPath });
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new ScriptServiceError({ fault: "cwd", socketPath, detail: `\`${cwd}\`` });
  const host = new LocalScripts({
    scriptsDir,
    cwd,
    limits,
    environment,
    bash: new ExecutableDependency("bash"),
    turn: new ScriptTurn(),
  });
  const ending = new AbortController();
  // Every client listens, which is no leak.
  setMaxListeners(0, ending.signal);
  const clients = new Set<Promise<void>>();
  const greeting = {
    roboz: packageVersion(),
    timeout_s: limits.timeoutMs / 1000,
    max_output_bytes: limits.maxOutputBytes,
  };
  const server = createServer((socket) => {
    const client = serveConnection(socket, { host, greeting, signal: ending.signal }).finally(() => {
      clients.delete(client);
    });
    clients.add(client);
  });
  server.maxConnections = mostClients;
  const listening = await listen(server, socketPath);
  const close = async (): Promise<void> => {
    const closed = new Promise((resolveWith) => server.close(resolveWith));
    ending.abort(new ScriptServiceError({ fault: "unavailable", socketPath, detail: "it ends" }));
    await Promise.all(clients);
    await closed;
    await listening.remove();
  };
  let closing: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => (closing ??= close());
  return { socketPath, close: closeOnce, [Symbol.asyncDispose]: closeOnce };
}

/** @throws {@link ScriptSettingsError} (`shed/script-settings`) */
export function checkFolder(setting: string, given: unknown): string {
  if (typeof given === "string" && given !== "" && !given.includes("\0")) return resolve(given);
  throw new ScriptSettingsError({ setting, problem: "is no path" });
}

/** A socket that is there. */
interface Listening {
  /** Takes the socket away, unless something else stands in its place. */
  readonly remove: () => Promise<void>;
}

/**
 * Makes the socket under a name of its own, closes it to others, and only then gives it its name; so nobody finds it half made, and
 * nothing that stands there is replaced. The name is given by a second link: the server removes the first one when it closes,
 * whatever stands there by then.
 */
async function listen(server: Server, socketPath: string): Promise<Listening> {
  const directory = await ownDirectory(socketPath);
  const name = basename(socketPath);
  const [made, published] = [`.${randomBytes(8).toString("hex")}`, name].map(directory.pathOf);
  if (made === undefined || published === undefined) throw new TypeError("two paths were asked for");
  try {
    await new Promise<void>((resolveWith, reject) => {
      server.once("error", reject);
      server.listen({ path: made }, () => {
        server.off("error", reject);
        resolveWith();
      });
    });
    await chmod(made, 0o600);
    await link(made, published);
    const { dev, ino } = await lstat(published);
    await unlink(made);
    return {
      remove: async () => {
        const found = await lstat(published).catch(() => undefined);
        if (found?.dev === dev && found.ino === ino) await unlink(published);
        await directory.close();
      },
    };
  } catch (cause) {
    await new Promise((resolveWith) => server.close(resolveWith));
    await unlink(made).catch(() => undefined);
    await directory.close();
    const isThere = systemCode(cause) === "EEXIST";
    const detail = systemSentence(cause);
    throw new ScriptServiceError(
      isThere ? { fault: "exists", socketPath, cause } : { fault: "socket", socketPath, detail, cause },
    );
  }
}

/** The socket's directory, proven to be the user's own; made when there is none. */
async function ownDirectory(socketPath: string): Promise<SocketDirectory> {
  const folder = dirname(socketPath);
  const refuse = (cause?: unknown, detail = systemSentence(cause)): never => {
    throw new ScriptServiceError({ fault: "directory", socketPath, detail, cause });
  };
  try {
    await mkdir(folder, { mode: 0o700 });
    // The process's mask may have taken some of it away.
    await chmod(folder, 0o700);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return refuse(error, `\`${dirname(folder)}\` does not exist`);
    if (code !== "EEXIST") return refuse(error);
  }
  const found = await lstat(folder).catch((error: unknown) => refuse(error));
  const isOwn = found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o7777) === 0o700;
  if (!isOwn) return refuse();
  // Said first, so that nothing is done for a service that cannot be.
  const taken = await lstat(join(folder, basename(socketPath))).catch(() => undefined);
  if (taken !== undefined) throw new ScriptServiceError({ fault: "exists", socketPath });
  return openSocketDirectory(folder).catch((error: unknown) => refuse(error));
}

const manifest = z.object({ version: z.string() });

/** The version of this package, which clients may show. */
function packageVersion(): string {
  try {
    const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
    return manifest.parse(JSON.parse(text)).version;
  } catch {
    return "unknown";
  }
}
