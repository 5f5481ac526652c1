import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import type * as Client from "@roboz/threads/client";
import type * as Server from "@roboz/threads/server";

import { ThreadsPackageError } from "../errors.ts";

/** What the commands use of `@roboz/threads/server`. */
export type ThreadsServer = typeof Server;

/** What the commands use of `@roboz/threads/client`. */
export type ThreadsClientPackage = typeof Client;

/**
 * Loads the server's side of threads: the package of the project, which has its database drivers beside it, else the one beside this command.
 *
 * @throws {@link ThreadsPackageError} (`cli/threads-package`) when it is not installed.
 */
export async function loadThreadsServer(): Promise<ThreadsServer> {
  const loaded: unknown = await load("@roboz/threads/server");
  if (isServer(loaded)) return loaded;
  throw new ThreadsPackageError();
}

/**
 * Loads the client's side of threads.
 *
 * @throws {@link ThreadsPackageError} (`cli/threads-package`) when it is not installed.
 */
export async function loadThreadsClient(): Promise<ThreadsClientPackage> {
  const loaded: unknown = await load("@roboz/threads/client");
  if (isClient(loaded)) return loaded;
  throw new ThreadsPackageError();
}

async function load(entry: string): Promise<unknown> {
  let path: string | undefined;
  try {
    path = createRequire(pathToFileURL(resolve("package.json"))).resolve(entry);
  } catch {
    // The project has none.
  }
  try {
    // Not written where it is imported, so that nothing that follows imports takes it for a dependency.
    return await import(path === undefined ? entry : pathToFileURL(path).href);
  } catch (cause) {
    throw new ThreadsPackageError({ cause });
  }
}

function isServer(candidate: unknown): candidate is ThreadsServer {
  return typeof candidate === "object" && candidate !== null && "openStoreAt" in candidate;
}

function isClient(candidate: unknown): candidate is ThreadsClientPackage {
  return typeof candidate === "object" && candidate !== null && "AgentThread" in candidate;
}
