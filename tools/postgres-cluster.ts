import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { chown, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

import { freePort } from "./free-port.ts";

/** Where Debian puts the programs of each version. */
const versions = "/usr/lib/postgresql";

/** The folder of PostgreSQL's programs, of the latest version that is installed; undefined where there is none. */
export const postgresPrograms: string | undefined = findPrograms();

/** Why tests that need the server are left out; undefined where it is installed. */
export const withoutPostgres =
  postgresPrograms === undefined ? "Debian's package `postgresql` is not installed" : undefined;

/** A PostgreSQL server of its own, with nothing in it. */
export interface PostgresCluster {
  /** Address of its database, with name and password. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Stops it and removes its files. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a PostgreSQL server on a free loopback port, with its data in a temporary folder.
 *
 * @param options.connections - Connections that it takes at once; 100 by default.
 * @param options.isDurable - Whether what is committed is on the disk, as it is by default; without, tests are faster.
 */
export async function startPostgres({ connections = 100, isDurable = true } = {}): Promise<PostgresCluster> {
  if (postgresPrograms === undefined) throw new Error(withoutPostgres);
  const folder = await mkdtemp(join(tmpdir(), "roboz-postgres-"));
  const data = join(folder, "data");
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  // The server refuses to run as root.
  const owner = process.getuid?.() === 0 ? servant() : {};
  if (owner.uid !== undefined && owner.gid !== undefined) {
    await chown(folder, owner.uid, owner.gid);
    await chown(passwordFile, owner.uid, owner.gid);
  }
  const options = { cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" }, ...owner };
  const removeFolder = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await promisify(execFile)(
      join(postgresPrograms, "initdb"),
      ["-D", data, "-U", "roboz", "-E", "UTF8", "-A", "scram-sha-256", "--pwfile", passwordFile, "--no-sync"],
      options,
    );
    for (let tries = 1; ; tries += 1) {
      const port = await freePort();
      const settings = {
        port,
        listen_addresses: "127.0.0.1",
        unix_socket_directories: folder,
        max_connections: connections,
        shared_buffers: "64MB",
        ...(isDurable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
      };
      const server = spawn(
        join(postgresPrograms, "postgres"),
        ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
        { ...options, stdio: ["ignore", "ignore", "pipe"] },
      );
      if (await isReady(server)) return clusterOf(server, { port, password, removeFolder });
      if (tries === 3) throw new Error("PostgreSQL did not start");
    }
  } catch (error) {
    removeFolder();
    throw error;
  }
}

function clusterOf(
  server: ChildProcess,
  {
    port,
    password,
    removeFolder,
  }: { readonly port: number; readonly password: string; readonly removeFolder: () => void },
): PostgresCluster {
  const atExit = (): void => {
    server.kill("SIGQUIT");
    removeFolder();
  };
  process.once("exit", atExit);
  return {
    url: `postgres://roboz:${password}@127.0.0.1:${port}/postgres`,
    host: "127.0.0.1",
    port,
    stop: async () => {
      process.off("exit", atExit);
      if (server.exitCode === null && server.signalCode === null) {
        const ended = once(server, "exit");
        server.kill("SIGINT");
        const isSlow = await Promise.race([ended.then(() => false), delay(10_000, true, { ref: false })]);
        if (isSlow) {
          server.kill("SIGQUIT");
          await ended;
        }
      }
      removeFolder();
    },
  };
}

/** Waits for the server to say that it takes connections; false when it ends instead. */
async function isReady(server: ChildProcess): Promise<boolean> {
  const { stderr } = server;
  if (stderr === null) throw new Error("The server's messages are not read");
  return new Promise((resolve, reject) => {
    let said = "";
    stderr.on("data", (piece: Buffer) => {
      // It is read to the end, or the server would wait for its reader.
      if (said.length > 100_000) return;
      said += piece.toString();
      if (said.includes("database system is ready to accept connections")) resolve(true);
    });
    server.once("error", reject);
    server.once("exit", () => {
      resolve(false);
    });
  });
}

function findPrograms(): string | undefined {
  if (!existsSync(versions)) return undefined;
  const [latest] = readdirSync(versions)
    .filter((version) => existsSync(join(versions, version, "bin", "initdb")))
    .sort((a, b) => Number(b) - Number(a));
  return latest === undefined ? undefined : join(versions, latest, "bin");
}

/** Whom the server runs as in place of root. */
function servant(): { readonly uid?: number; readonly gid?: number } {
  for (const name of ["postgres", "nobody"]) {
    const [, uid, gid] =
      new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, "m").exec(readFileSync("/etc/passwd", "utf8")) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  return {};
}
