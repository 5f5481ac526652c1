import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import { basename, resolve } from "node:path";

import { pathOnly } from "../files/open-directory.ts";
import { ScriptSettingsError } from "./errors.ts";

/** The longest path that the system takes for a socket, in bytes. */
const longestSocketPath = 107;

/** @throws {@link ScriptSettingsError} (`shed/script-settings`) */
export function checkSocketPath(given: unknown): string {
  const refuse = (problem: string): never => {
    throw new ScriptSettingsError({ setting: "socketPath", problem });
  };
  if (typeof given !== "string" || given === "" || given.includes("\0")) return refuse("is no path");
  const path = resolve(given);
  return basename(path) === "" || /[/]\.?$/.test(given) ? refuse("names no file") : path;
}

/** A directory that is held open, and a path of any socket in it that is short enough for the system. */
export interface SocketDirectory {
  readonly pathOf: (name: string) => string;
  readonly close: () => Promise<void>;
}

/** Opens a directory that is to hold, or holds, a socket. */
export async function openSocketDirectory(folder: string): Promise<SocketDirectory> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return { pathOf: (name) => `/proc/self/fd/${handle.fd}/${name}`, close: () => handle.close() };
}

/** Connects to a socket, also to one whose path is longer than the system takes. Rejects with the system's error. */
export async function connectTo(path: string): Promise<Socket> {
  if (Buffer.byteLength(path) <= longestSocketPath) return connected(path);
  // Through a descriptor of the socket itself, whose path is short.
  const handle = await open(path, pathOnly);
  try {
    return await connected(`/proc/self/fd/${handle.fd}`);
  } finally {
    await handle.close();
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolveWith, reject) => {
    const socket = createConnection({ path });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolveWith(socket);
    });
  });
}
